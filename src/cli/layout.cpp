#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "emit/table/table.h"
#include "engine/layout_map.h"
#include "model/claims.h"
#include "model/error.h"
#include "model/json.h"
#include "report/place_list.h"

namespace platter::cli {
namespace {

struct LayoutOptions {
  std::string model;
  std::vector<std::uint64_t> lbns;
  std::vector<std::string> pbns;
  bool all_tracks = false, json = false;
};

struct Loaded {
  engine::LayoutMap map;
  std::vector<model::NotUnderstood> not_understood;  // a table has none of them
};

Loaded layout_of(const std::string& path) {
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

void say_what_is_not_understood(const std::vector<model::NotUnderstood>& ranges,
                                std::vector<report::Place>& places) {
  for (report::Place& place : places)
    for (const model::NotUnderstood& range : ranges)
      if (place.lbn && range.first_lbn <= *place.lbn && *place.lbn <= range.last_lbn)
        place.not_understood = range.reason;
}

void print_layout(const LayoutOptions& options) {
  const Loaded loaded = layout_of(options.model);
  const engine::LayoutMap& map = loaded.map;
  if (options.all_tracks) {
    const auto print = [](std::string_view piece) { fmt::print("{}", piece); };
    options.json ? report::tracks_as_json(map, print) : report::tracks_as_text(map, print);
    return;
  }
  std::vector<report::Place> places;
  for (const std::uint64_t lbn : options.lbns) places.push_back(report::place_of_lbn(map, lbn));
  for (const std::string& pbn : options.pbns)
    places.push_back(report::place_at(map, report::parse_pbn(pbn)));
  say_what_is_not_understood(loaded.not_understood, places);
  fmt::print("{}", options.json ? report::places_as_json(places) : report::places_as_text(places));
}

}  // namespace

void add_layout(CLI::App& app) {
  auto options = std::make_shared<LayoutOptions>();
  CLI::App* command = app.add_subcommand("layout", "where blocks lie, and at what angle");
  command->add_option("MODEL", options->model, "the model file, or a table (.ptab)")->required();
  auto* what = command->add_option_group("what");
  CLI::Option* lbns = what->add_option("--lbn", options->lbns, "blocks whose place is wanted")
                          ->expected(1, -1)
                          ->transform(block_number());
  CLI::Option* pbns = what->add_option("--pbn", options->pbns, "places C,H,S whose block is wanted")
                          ->expected(1, -1)
                          ->delimiter(' ');
  what->add_flag("--all-tracks", options->all_tracks,
                 "a line a track: first LBN, sectors, cylinder, head, angle of the first sector")
      ->excludes(lbns)
      ->excludes(pbns);
  what->require_option(1, 2);
  command->add_flag("--json", options->json, "for programs");
  command->callback([options] { print_layout(*options); });
}

}  // namespace platter::cli
