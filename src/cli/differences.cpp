#include "cli/differences.h"

#include <fmt/core.h>

#include "model/error.h"
#include "report/model_diff.h"

namespace platter::cli {

void print_differences(const std::vector<model::Difference>& differences, const std::string& a,
                       const std::string& b, DifferencesShown shown) {
  fmt::print("{}", shown.json ? report::differences_as_json(differences)
                              : report::differences_as_text(differences, shown.all));
  const std::size_t differing = report::count(differences).differing;
  if (differing == 0) return;
  throw Error(
      ExitStatus::differs,
      fmt::format("{} and {} differ in {} figures by more than their errors", a, b, differing));
}

}  // namespace platter::cli
