#include "jobs/claims_printed.h"

#include <fmt/format.h>

#include "identity/claims.h"

namespace platter::jobs {

std::string claims_printed() {
  std::string table = "| claim | who may make it | where they disagree |\n|---|---|---|\n";
  for (const identity::ClaimRow& row : identity::claim_table())
    table += fmt::format("| {} | {} | {} |\n", row.what, row.witnesses, row.if_they_disagree);
  return table;
}

}  // namespace platter::jobs
