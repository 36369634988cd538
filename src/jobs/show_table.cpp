#include "jobs/show_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "emit/table/table.h"
#include "model/claims.h"
#include "model/completeness.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/printable_model.h"

namespace platter::jobs {
namespace {

using Json = nlohmann::ordered_json;

double rpm_of(const engine::FlatMotion& motion) {
  return 60e9 * static_cast<double>(motion.denominator) / static_cast<double>(motion.numerator_ns);
}

std::uint64_t runs_in(const engine::LayoutView& layout) {
  std::uint64_t runs = 0;
  for (const engine::FlatNode& node : layout.nodes)
    if (engine::has_run_list(node)) runs += engine::listed(node);
  return runs;
}

Json as_json(const emit_table::Table& table) {
  const engine::Tables& tables = *table.tables;
  const engine::LayoutView& layout = tables.layout.view();
  const engine::FlatLayout& totals = layout.totals;
  Json demerits = Json::array();
  for (const model::Demerit& d : table.validity.demerits)
    demerits.push_back({{"workload", d.workload},
                        {"requests", d.requests},
                        {"demerit_ms", d.demerit_ms},
                        {"demerit_percent", d.demerit_percent}});
  Json stand_ins = Json::array();
  for (const model::StandIn& one : table.stand_ins)
    stand_ins.push_back({{"path", one.path},
                         {"known", word_of(one.known)},
                         {"acts", one.acts},
                         {"reason", one.reason}});
  Json json = model::json_head("platter-table-summary");
  json.update(Json{{"written_by", table.platter},
                   {"format", table.format},
                   {"identity",
                    {{"name", table.identity.name},
                     {"vendor", table.identity.vendor},
                     {"product", table.identity.product},
                     {"revision", table.identity.revision},
                     {"serial", table.identity.serial},
                     {"blocks", table.identity.blocks},
                     {"block_bytes", table.identity.block_bytes}}},
                   {"provenance",
                    {{"method", table.provenance.method},
                     {"source", table.provenance.source},
                     {"date", table.provenance.date},
                     {"model_sha256", table.model_sha256}}},
                   {"rpm", rpm_of(tables.motion)},
                   {"layout",
                    {{"cylinders", totals.cylinders},
                     {"heads", totals.heads},
                     {"zones", totals.zones},
                     {"tracks", totals.tracks},
                     {"nodes", layout.nodes.size()},
                     {"runs", runs_in(layout)},
                     {"pieces", layout.piece_shifts.size()},
                     {"remaps", layout.remaps.size()}}},
                   {"seek_points", tables.seeks.distances().size()},
                   {"seek_curves", tables.seeks.curves()},
                   {"bytes", table.bytes},
                   {"validated", !table.validity.demerits.empty()},
                   {"demerits", demerits},
                   {"stand_ins", stand_ins}});
  return json;
}

std::string in_words(const std::string& path, const emit_table::Table& table) {
  std::string text;
  const auto out = std::back_inserter(text);
  const engine::Tables& tables = *table.tables;
  const engine::LayoutView& layout = tables.layout.view();
  const engine::FlatLayout& totals = layout.totals;
  model::DriveModel texts;
  texts.identity = table.identity;
  texts.provenance = table.provenance;
  texts.validity = table.validity;
  const model::DriveModel shown = model::printable_model(texts);
  const model::Identity& who = shown.identity;
  fmt::format_to(out, "{}: lookup table of {} {} {} {} ({}), {} bytes, written by platter {}\n",
                 path, who.vendor, who.product, who.revision, who.serial, who.name, table.bytes,
                 model::printable(table.platter));
  fmt::format_to(out, "capacity      {} blocks of {} bytes\n", who.blocks, who.block_bytes);
  fmt::format_to(out, "rotation      {:.2f} rpm\n", rpm_of(tables.motion));
  fmt::format_to(
      out,
      "layout        {} cylinders, {} heads, {} zones, {} tracks; {} nodes, {} listed runs, {} "
      "pieces, {} remaps\n",
      totals.cylinders, totals.heads, totals.zones, totals.tracks, layout.nodes.size(),
      runs_in(layout), layout.piece_shifts.size(), layout.remaps.size());
  fmt::format_to(
      out, "seek curve    {} points{}\n", tables.seeks.distances().size(),
      tables.seeks.curves() > 1 ? ", of reads and writes, inward and outward apart" : "");
  fmt::format_to(out, "cache         {} segments of {} blocks\n", tables.cache.segments,
                 tables.cache.segment_blocks);
  const std::string standing = model::standing_of(table.provenance, table.validity);
  const model::Provenance& from = shown.provenance;
  fmt::format_to(out, "model         {}, from {}{}{}; SHA-256 {}\n",
                 standing.empty() ? from.method : standing, from.source,
                 from.date.empty() ? "" : ", ", from.date, model::printable(table.model_sha256));
  for (const model::StandIn& one : table.stand_ins)
    fmt::format_to(out, "not measured  {} ({})\n", model::printable(one.path),
                   model::printable(in_words(one)));
  if (table.validity.demerits.empty()) fmt::format_to(out, "validity      not validated\n");
  for (const model::Demerit& d : shown.validity.demerits)
    fmt::format_to(out, "validity      {} workload, {} requests: demerit {:.3f} ms ({:.2f} %)\n",
                   d.workload, d.requests, d.demerit_ms, d.demerit_percent);
  return text;
}

}  // namespace

std::string table_in_words(const std::string& path, bool json) {
  model::note_input(path);
  const emit_table::Table table = emit_table::load_table(path);
  if (!json) return in_words(path, table);
  return model::json_text(as_json(table), model::JsonForm::indented) + "\n";
}

}  // namespace platter::jobs
