// Random drives, mapped by address translation, every block compared with the truth. One line for
// each drive that did not come out exactly, and a summary.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "compare_layouts.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "model/error.h"
#include "model/json.h"
#include "model/validate.h"
#include "scsi/guard.h"
#include "virtual_drive/random_layout.h"
#include "virtual_drive/target.h"

namespace {

using namespace platter;

struct Settings {
  std::uint64_t first_seed = 1, count = 100, least = 20'000, most = 5'000'000;
  unsigned threads = 2;
  std::string through = "layout", sectors = "from first", lists = "both";
  bool no_back = false, unflagged = false, all = false;
  std::string keep;  // where the truth of failed drives is written
};

enum class Verdict { exact, short_claims, other_sectors, refused, wrong };
constexpr const char* kVerdicts[] = {"exact", "short", "sectors", "refused", "WRONG"};

struct Outcome {
  Verdict verdict = Verdict::exact;
  std::string detail;
  std::uint64_t translations = 0, complexity = 0;  // zones and defects
  double host_seconds = 0;
};

layout::Extraction through_layout(const virtual_drive::RandomLayout& made, const Settings& how) {
  layout::testing::Behaviour behaviour;
  if (how.sectors == "from index") behaviour.sectors = layout::testing::Sectors::from_index;
  if (how.sectors == "without slipped") behaviour.sectors = layout::testing::Sectors::without_holes;
  behaviour.gives_primary = how.lists == "both" || how.lists == "primary";
  behaviour.gives_grown = how.lists == "both";
  behaviour.translates_back = !how.no_back;
  behaviour.says_remapped = !how.unflagged;
  layout::testing::SyntheticTranslator translator(made.truth, behaviour);
  translator.primary = made.primary;
  translator.grown = made.grown;
  return layout::by_address_translation(translator);
}

model::DriveModel drive_of(const virtual_drive::RandomLayout& made) {
  model::DriveModel drive;
  drive.identity.vendor = "RANDOM";
  drive.identity.product = "RANDOM LAYOUT";
  drive.identity.name = made.description;
  drive.identity.blocks = model::count_blocks(made.truth);
  drive.rotation.numerator_ns = 60'000'000'000;
  drive.rotation.denominator = 7200;
  drive.seek.points = {{1, 1.0, {}, 0}, {1000, 8.0, {}, 0}};
  drive.layout = made.truth;
  return drive;
}

layout::Extraction through_commands(const virtual_drive::RandomLayout& made, const Settings& how) {
  model::DriveModel drive = drive_of(made);
  drive.firmware.emplace();
  drive.firmware->scsi_level = "SCSI-2";
  drive.firmware->sector_numbers = how.sectors;
  drive.firmware->translates_back = !how.no_back;
  drive.firmware->defect_list = how.lists != "none";
  drive.firmware->primary_defects = made.primary;
  virtual_drive::VirtualDevice device(drive);
  scsi::Guard guard(device, {});
  scsi::Drive disk(guard, "the drive");
  layout::DriveTranslator translator(disk, "the drive");
  return layout::by_address_translation(translator);
}

Outcome judge(const virtual_drive::RandomLayout& made, const Settings& how) {
  Outcome outcome;
  outcome.complexity = made.truth.zones.size() + made.primary.size() + made.grown.size();
  const auto start = std::chrono::steady_clock::now();
  try {
    const layout::Extraction found =
        how.through == "commands" ? through_commands(made, how) : through_layout(made, how);
    outcome.translations = found.translations;
    const bench::Comparison same = bench::compare(made.truth, found.layout);
    outcome.detail = same.first_difference;
    if (same.other_track > 0) {
      outcome.verdict = Verdict::wrong;
      outcome.detail += fmt::format("; {} blocks on other tracks, {} in other sectors",
                                    same.other_track, same.other_sector);
    } else if (same.other_sector > 0) {
      outcome.verdict = Verdict::other_sectors;
      outcome.detail +=
          fmt::format("; {} blocks in other sectors of their track{}", same.other_sector,
                      made.track_length_visible ? "" : " (some length never shows)");
    } else if (same.not_claimed > 0) {
      outcome.verdict = Verdict::short_claims;
      outcome.detail =
          fmt::format("{} of {} blocks not claimed: {}", same.not_claimed,
                      model::count_blocks(made.truth), found.layout.not_understood.front().reason);
    }
  } catch (const Error& error) {
    outcome.verdict = error.status() == ExitStatus::unsupported ? Verdict::refused : Verdict::wrong;
    outcome.detail = error.what();
  }
  outcome.host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

template <typename T>
T percentile(std::vector<T> values, double share) {
  if (values.empty()) return T{};
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

void print_summary(const std::vector<Outcome>& outcomes) {
  std::uint64_t of[std::size(kVerdicts)] = {};
  std::vector<double> translations, each, seconds;
  for (const Outcome& outcome : outcomes) {
    ++of[static_cast<int>(outcome.verdict)];
    seconds.push_back(outcome.host_seconds);
    if (outcome.translations == 0) continue;
    translations.push_back(static_cast<double>(outcome.translations));
    each.push_back(static_cast<double>(outcome.translations) /
                   static_cast<double>(outcome.complexity));
  }
  fmt::print(
      "{} drives: {} exact, {} with claims short of all blocks, {} with other sectors on the "
      "right tracks, {} refused, {} wrong\n",
      outcomes.size(), of[0], of[1], of[2], of[3], of[4]);
  const auto line = [](const char* what, const std::vector<double>& values) {
    fmt::print("{}: p50 {:.3g}, p90 {:.3g}, p99 {:.3g}, max {:.3g}\n", what,
               percentile(values, 0.5), percentile(values, 0.9), percentile(values, 0.99),
               percentile(values, 1));
  };
  line("translations", translations);
  line("translations for each zone or defect", each);
  line("host seconds", seconds);
}

void run(const Settings& settings) {
  std::vector<Outcome> outcomes(settings.count);
  std::atomic<std::uint64_t> next{0};
  std::mutex printing;
  const auto work = [&] {
    for (std::uint64_t i = next++; i < settings.count; i = next++) {
      const std::uint64_t seed = settings.first_seed + i;
      std::mt19937_64 random(seed);
      const virtual_drive::Recipe recipe = virtual_drive::random_recipe(
          random, {.least_slots = settings.least, .most_slots = settings.most});
      const virtual_drive::RandomLayout made = virtual_drive::build(recipe, random);
      outcomes[i] = judge(made, settings);
      const Outcome& outcome = outcomes[i];
      if (outcome.verdict == Verdict::exact && !settings.all) continue;
      const std::lock_guard lock(printing);
      fmt::print("{} {}: {} | {} | {} translations, {:.1f} s\n",
                 kVerdicts[static_cast<int>(outcome.verdict)], seed, outcome.detail,
                 made.description, outcome.translations, outcome.host_seconds);
      std::fflush(stdout);
      if (!settings.keep.empty())
        model::save_model(drive_of(made), fmt::format("{}/{}.json", settings.keep, seed));
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < settings.threads; ++i) workers.emplace_back(work);
  work();
  workers.clear();
  print_summary(outcomes);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Random drives, mapped by address translation and compared with the truth"};
  app.add_option("--first-seed", settings.first_seed, "seed of the first drive");
  app.add_option("--count", settings.count, "drives, of seeds that follow");
  app.add_option("--threads", settings.threads, "drives at once")->check(CLI::Range(1, 64));
  app.add_option("--least-blocks", settings.least, "sectors of the smallest drive");
  app.add_option("--most-blocks", settings.most, "sectors of the largest drive");
  app.add_option("--through", settings.through, "what answers: the layout, or a drive's commands")
      ->check(CLI::IsMember({"layout", "commands"}));
  app.add_option("--sectors", settings.sectors, "how the drive numbers its sectors")
      ->check(CLI::IsMember({"from first", "from index", "without slipped"}));
  app.add_option("--lists", settings.lists, "defect lists that the drive gives")
      ->check(CLI::IsMember({"both", "primary", "none"}));
  app.add_flag("--no-back", settings.no_back, "the drive translates no places to blocks");
  app.add_flag("--unflagged", settings.unflagged, "the drive does not tell what it remapped");
  app.add_flag("--all", settings.all, "a line for drives that came out exactly, too");
  app.add_option("--keep", settings.keep, "directory for the model files of drives that failed");
  CLI11_PARSE(app, argc, argv);
  run(settings);
}
