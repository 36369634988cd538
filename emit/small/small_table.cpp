#include "emit/small/small_table.h"

#include <optional>
#include <span>

#include "emit/small/simplified_model.h"
#include "emit/small/stated.h"
#include "emit/table/table.h"
#include "model/error.h"

namespace platter::emit_small {
namespace {

// What vtables may take more where one of the figures is 0.
constexpr std::size_t kSlack = 64;

emit_table::Table table_of(const std::string& bytes) {
  return emit_table::read_table(std::as_bytes(std::span(bytes)), "the small table");
}

// As many bytes as what will be stated.
emit_table::Simplified placeholder() {
  emit_table::Simplified errors{std::string(64, '0'), 1, 1, 0.5, {}};
  for (const char* workload : kWorkloads) errors.demerits.push_back({workload, 1, 1, 1, 1, 1});
  return errors;
}

}  // namespace

std::string compile_small_table(const model::DriveModel& model) {
  const std::string whole = emit_table::compile_table(model);
  if (whole.size() <= kMostBytes) return whole;
  const SimplifiedModel less = simplified_model(
      model, kMostBytes - kSlack, [](const model::DriveModel& tried) {
        return emit_table::compile_table(tried, placeholder()).size();
      });
  const emit_table::Simplified errors = stated_errors(
      model, table_of(whole), table_of(emit_table::compile_table(less.model)));
  std::string small = emit_table::compile_table(less.model, errors);
  if (small.size() > kMostBytes)
    throw Error(ExitStatus::internal, "the small table is larger than it was planned");
  return small;
}

}  // namespace platter::emit_small
