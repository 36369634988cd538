#include <memory>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "cli/trace_options.h"
#include "jobs/trace_files.h"

namespace platter::cli {

void add_trace_convert(CLI::App& parent) {
  struct Options {
    jobs::ConvertRun run;
    std::string split_by;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("convert", "a trace in another format");
  add_trace_options(*command, options->run.trace, "--from,--format");
  command->add_option("--to", options->run.to, "the format to write")
      ->required()
      ->check(CLI::IsMember(trace::written_format_names()));
  command
      ->add_option("-o,--output", options->run.output,
                   "the trace file to write; - for standard output")
      ->required();
  CLI::Option* fit = add_fit_option(*command, options->run.fit);
  CLI::Option* blocks = command
                            ->add_option("--blocks", options->run.blocks,
                                         "with --fit: blocks of the drive that it is to fit")
                            ->transform(at_least(1))
                            ->needs(fit);
  fit->needs(blocks);
  command
      ->add_option("--split-by", options->split_by,
                   "device: a file for each, as NAME.DEVICE.ENDING of -o NAME.ENDING")
      ->check(CLI::IsMember({"device"}))
      ->excludes(fit)
      ->excludes(command->get_option("--device-number"));
  add_force(*command, options->run.outputs);
  command->callback([options] {
    options->run.split = !options->split_by.empty();
    jobs::convert_trace(options->run);
  });
}

}  // namespace platter::cli
