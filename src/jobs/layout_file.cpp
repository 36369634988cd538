#include "jobs/layout_file.h"

#include <fmt/core.h>

#include "emit/table/table.h"
#include "model/claims.h"
#include "model/error.h"
#include "model/json.h"

namespace platter::jobs {

LoadedLayout layout_of(const std::string& path) {
  if (emit_table::is_table_file(path)) {
    model::note_input(path);
    return {emit_table::load_table(path).tables->layout, {}};
  }
  const model::DriveModel model = model::load_model(path);
  if (model.layout.zones.empty()) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: has no layout: {}", path,
                    model.layout.reason.empty() ? "no reason is given" : model.layout.reason));
  }
  return {engine::LayoutMap(model.layout), model.layout.not_understood};
}

void note_not_understood(const LoadedLayout& layout, std::vector<report::Place>& places) {
  for (report::Place& place : places)
    for (const model::NotUnderstood& range : layout.not_understood)
      if (place.lbn && range.first_lbn <= *place.lbn && *place.lbn <= range.last_lbn)
        place.not_understood = range.reason;
}

}  // namespace platter::jobs
