#include "cli/contents_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/error.h"

namespace platter::cli {

void ContentsOptions::add_to(CLI::App& command) {
  options_.push_back(command.add_option(
      "--contents", texts_,
      "for what the drives hold, one for each: a file; `generated`, which keeps what file systems "
      "need and drops data, in memory or in generated:FILE (else: all, in memory)"));
  of_generated_ = {
      command.add_option("--keep", generated_.kept_names,
                         "generated: files whose data are kept, by their path as a pattern"),
      command
          .add_option("--contents-waiting", generated_.waiting_bytes,
                      "generated: bytes that may wait until it is known what they are")
          ->transform(CLI::AsSizeValue(false))
          ->capture_default_str(),
      command
          .add_option("--contents-limit", generated_.stored_bytes,
                      "generated: bytes kept at most (else: half of the host's memory, or the "
                      "file's room)")
          ->transform(CLI::AsSizeValue(false))};
  options_.insert(options_.end(), of_generated_.begin(), of_generated_.end());
}

std::vector<emulator::ContentsChoice> ContentsOptions::choices(std::size_t drives) const {
  if (!texts_.empty() && texts_.size() != drives)
    throw Error(ExitStatus::usage,
                fmt::format("{} models and {} files of contents; give one for each, in that order",
                            drives, texts_.size()));
  std::vector<emulator::ContentsChoice> choices;
  for (const std::string& text : texts_) {
    emulator::ContentsChoice choice = emulator::contents_choice(text);
    if (choice.generated) {
      auto file = std::move(choice.file);
      choice = generated_;
      choice.generated = true;
      choice.file = std::move(file);
    }
    choices.push_back(std::move(choice));
  }
  const bool any_generated = std::ranges::any_of(choices, &emulator::ContentsChoice::generated);
  for (const CLI::Option* const option : of_generated_)
    if (option->count() > 0 && !any_generated)
      throw Error(ExitStatus::usage, option->get_name() +
                                         " is for contents of which data are dropped; give "
                                         "--contents generated, or generated:FILE");
  return choices;
}

}  // namespace platter::cli
