#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/numbers.h"
#include "cli/subcommands.h"
#include "jobs/table_and_layout.h"
#include "report/place_list.h"

namespace platter::cli {
namespace {

struct LayoutOptions {
  std::string model;
  std::vector<std::uint64_t> lbns;
  std::vector<std::string> pbns;
  bool all_tracks = false, json = false;
};

void print_layout(const LayoutOptions& options) {
  const jobs::LoadedLayout loaded = jobs::layout_of(options.model);
  const engine::LayoutMap& map = loaded.map;
  if (options.all_tracks) {
    return options.json ? report::tracks_as_json(map, print_text)
                        : report::tracks_as_text(map, print_text);
  }
  std::vector<report::Place> places;
  for (const std::uint64_t lbn : options.lbns) places.push_back(report::place_of_lbn(map, lbn));
  for (const std::string& pbn : options.pbns)
    places.push_back(report::place_at(map, report::parse_pbn(pbn)));
  jobs::note_not_understood(loaded, places);
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
                          ->transform(whole_number());
  CLI::Option* pbns = what->add_option("--pbn", options->pbns, "places C,H,S whose block is wanted")
                          ->expected(1, -1)
                          ->delimiter(' ');
  what->add_flag("--all-tracks", options->all_tracks,
                 "a line a track: first LBN, sectors, cylinder, head, angle of the first sector")
      ->excludes(lbns)
      ->excludes(pbns);
  what->require_option(1, 2);
  add_json(*command, options->json);
  command->callback([options] { print_layout(*options); });
}

}  // namespace platter::cli
