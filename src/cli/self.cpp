// platter about itself: man pages and completions of its command line, which the build installs,
// and the JSON Schema of its models. Hidden from the overview, for it is no work on drives.
#include <fmt/core.h>

#include <memory>
#include <string>

#include "cli/command_tree.h"
#include "cli/streams.h"
#include "cli/subcommands.h"
#include "emit/disksim/rules.h"
#include "jobs/exit_statuses.h"
#include "jobs/needs.h"
#include "jobs/printed_tables.h"
#include "model/read_budget.h"
#include "model/stand_ins.h"
#include "report/model_schema.h"

namespace platter::cli {

void add_self(CLI::App& app) {
  CLI::App* self = app.add_subcommand("self", "platter's own man pages, completions and schemas");
  self->require_subcommand(1);
  self->parse_complete_callback(print_as_it_is);
  auto folder = std::make_shared<std::string>(), shell = std::make_shared<std::string>();
  CLI::App* man = self->add_subcommand("man", "the man pages of section 1");
  man->add_option("FOLDER", *folder, "where to write them")->required();
  man->callback([&app, folder] { write_man_pages(command_tree(app, "platter"), *folder); });
  CLI::App* schema = self->add_subcommand("schema", "a JSON Schema, to standard output");
  schema->require_subcommand(1);
  schema->add_subcommand("model", "of model files, derived from their fields")->callback([] {
    fmt::print("{}", report::model_schema());
  });
  CLI::App* complete = self->add_subcommand("completion", "for a shell, to standard output");
  complete->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  complete->callback(
      [&app, shell] { fmt::print("{}", completion(command_tree(app, "platter"), *shell)); });
  const auto add_table = [&](const char* name, const char* about, std::string (*table)()) {
    self->add_subcommand(name, about)->callback([table] { print_text(table()); });
  };
  add_table("statuses", "the table of docs/exit-statuses.md", jobs::status_table);
  add_table("limits", "the table of docs/limits.md", model::limits_table);
  add_table("advice", "the table of docs/sense.md", jobs::advice_table);
  add_table("claims", "the table of claims of docs/characterize.md", jobs::claims_printed);
  add_table("findings", "the table of docs/findings.md", jobs::finding_table);
  add_table("needs", "the table of docs/needs.md", jobs::needs_table);
  add_table("disksim-rules", "the table of rules of docs/disksim.md", emit_disksim::rules_table);
  add_table("stand-ins", "the table of docs/stand-ins.md", model::stand_ins_table);
  self->group("");  // not before: what is added to a hidden one is hidden in its help, too
}

}  // namespace platter::cli
