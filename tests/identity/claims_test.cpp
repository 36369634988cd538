// The table of claims, and the page that shows it.
#include "identity/claims.h"

#include <fmt/core.h>

#include <string>

#include "catch.h"
#include "model/file.h"
#include "source_folder.h"

namespace platter::identity {
namespace {

TEST_CASE("docs/characterize.md has the rows of the table of claims, in order") {
  const std::string page = model::read_file(source_folder() + "/docs/characterize.md");
  std::string table = "| claim | who may make it | where they disagree |\n|---|---|---|\n";
  for (const ClaimRow& row : claim_table())
    table += fmt::format("| {} | {} | {} |\n", row.what, row.witnesses, row.if_they_disagree);
  INFO(table);
  CHECK(page.find("\n\n" + table + "\n") != std::string::npos);
}

}  // namespace
}  // namespace platter::identity
