// Random drives, mapped by address translation, every block compared with the truth. One line for
// each drive that did not come out exactly, and a summary. Status 1 if a map was wrong where it
// claimed to be right.
#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "compare_schemes.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "model/error.h"
#include "model/json.h"
#include "scsi/guard.h"
#include "virtual_drive/defects.h"
#include "virtual_drive/open.h"
#include "virtual_drive/random_drive.h"
#include "virtual_drive/virtual_device.h"

namespace {

using namespace platter;

struct Settings {
  std::uint64_t first_seed = 1, count = 100;
  virtual_drive::Limits limits{.least_slots = 20'000, .most_slots = 5'000'000};
  std::vector<std::string> drives;  // named ones in place of random ones
  unsigned threads = 2;
  std::string through = "layout", sectors = "from first", lists = "both";
  bool no_back = false, unflagged = false, own_firmware = false, all = false;
  bool schemes = false;
  std::string keep;  // where the truth of failed drives is written
};

// A drive to be mapped.
struct Trial {
  std::string name, description;
  model::DriveModel drive;
  virtual_drive::DefectSlots defects;
  bool track_length_visible = true;
};

// `unlisted`: only remapped blocks are elsewhere, and the drive lists no grown defects. `shifted`:
// only slots differ that the drive's numbers do not tell.
enum class Verdict { exact, short_claims, unlisted, shifted, other_sectors, refused, wrong };
constexpr const char* kVerdicts[] = {"exact",   "short",   "unlisted", "shifted",
                                     "sectors", "refused", "WRONG"};

struct Outcome {
  Verdict verdict = Verdict::exact;
  std::string detail;
  std::uint64_t translations = 0, complexity = 0;  // zones and defects
  double host_seconds = 0;
  std::string spares;  // the scheme in words
  bool right_units = false;
};

// The firmware that the command line asks for.
void set_firmware(model::Firmware& firmware, const Settings& how) {
  const model::Firmware usual;
  firmware.address_formats = usual.address_formats;
  firmware.defect_formats = usual.defect_formats;
  firmware.sector_numbers = how.sectors;
  firmware.translates_back = !how.no_back;
  firmware.defect_list = how.lists != "none";
}

Trial random_trial(std::uint64_t seed, const Settings& how) {
  std::mt19937_64 random(seed);
  const virtual_drive::Recipe recipe = virtual_drive::random_recipe(random, how.limits);
  virtual_drive::RandomLayout made = virtual_drive::build(recipe, random);
  Trial trial{std::to_string(seed),
              made.description,
              virtual_drive::random_drive(seed, how.limits),
              {std::move(made.primary), std::move(made.grown)},
              made.track_length_visible};
  if (!how.own_firmware) set_firmware(*trial.drive.firmware, how);
  return trial;
}

Trial named_trial(const std::string& name, const Settings& how) {
  Trial trial{name, "", virtual_drive::virtual_model(name), {}, true};
  trial.description = trial.drive.identity.name;
  trial.defects = virtual_drive::defects_of(trial.drive);
  if (!trial.drive.firmware) trial.drive.firmware.emplace();
  if (!how.own_firmware) set_firmware(*trial.drive.firmware, how);
  return trial;
}

layout::Extraction through_layout(const Trial& trial, const Settings& how) {
  layout::testing::Behaviour behaviour;
  if (how.sectors == "from index") behaviour.sectors = layout::testing::Sectors::from_index;
  if (how.sectors == "without slipped") behaviour.sectors = layout::testing::Sectors::without_holes;
  behaviour.gives_primary = how.lists == "both" || how.lists == "primary";
  behaviour.gives_grown = how.lists == "both";
  behaviour.translates_back = !how.no_back;
  behaviour.says_remapped = !how.unflagged;
  layout::testing::SyntheticTranslator translator(trial.drive.layout, behaviour);
  translator.primary = trial.defects.primary;
  translator.grown = trial.defects.grown;
  return layout::by_address_translation(translator);
}

// BUSY and UNIT ATTENTION stay, if the drive has them; noise would only cost time.
layout::Extraction through_commands(const Trial& trial) {
  model::DriveModel drive = trial.drive;
  if (drive.imperfections) {
    model::Imperfections quiet;
    quiet.busy_share = drive.imperfections->busy_share;
    quiet.unit_attention_share = drive.imperfections->unit_attention_share;
    drive.imperfections = quiet;
  }
  virtual_drive::VirtualDevice device(drive);
  scsi::Guard guard(device, {});
  scsi::Drive disk(guard, trial.name);
  layout::DriveTranslator translator(disk, trial.name);
  return layout::by_address_translation(translator);
}

void judge_layout(const Trial& trial, const layout::Extraction& found, const Settings& how,
                  Outcome& outcome) {
  if (found.layout.zones.empty()) {
    outcome.verdict = Verdict::refused;
    outcome.detail = found.layout.reason;
    return;
  }
  const bench::Comparison same = bench::compare(trial.drive, found.layout);
  outcome.detail = same.first_difference;
  if (same.other_track > 0 || same.other_sector > 0) {
    // Remapped blocks that no list names are nobody's fault.
    const bool listed = trial.drive.firmware->defect_list && how.lists == "both";
    const bool wrong = same.other_track > (listed ? 0 : same.remapped_other_track);
    const bool sectors = same.other_sector > (listed ? 0 : same.remapped_other_sector);
    outcome.verdict = wrong ? Verdict::wrong : sectors ? Verdict::other_sectors : Verdict::unlisted;
    outcome.detail += fmt::format(
        "; {} blocks on other tracks, {} of them remapped; {} in other sectors, {} of them "
        "remapped; {} shifted{}",
        same.other_track, same.remapped_other_track, same.other_sector, same.remapped_other_sector,
        same.shifted, trial.track_length_visible ? "" : " (some length never shows)");
  } else if (same.not_claimed > 0) {
    outcome.verdict = Verdict::short_claims;
    outcome.detail = fmt::format("{} of {} blocks not claimed: {}", same.not_claimed,
                                 trial.drive.identity.blocks,
                                 found.layout.not_understood.front().reason);
  } else if (same.shifted > 0) {
    outcome.verdict = Verdict::shifted;
    outcome.detail += fmt::format("; {} blocks in slots that the drive's numbers do not tell",
                                  same.shifted);
  }
}

Outcome judge(const Trial& trial, const Settings& how) {
  Outcome outcome;
  outcome.complexity = trial.drive.layout.zones.size() + trial.defects.primary.size() +
                       trial.defects.grown.size();
  const auto start = std::chrono::steady_clock::now();
  try {
    const layout::Extraction found = how.through == "commands" || how.own_firmware
                                         ? through_commands(trial)
                                         : through_layout(trial, how);
    outcome.translations = found.translations;
    outcome.spares = found.layout.spares;
    outcome.right_units = bench::same_units(trial.drive.layout.spares, found.layout.spares,
                                            trial.drive.layout.zones.size() == 1);
    judge_layout(trial, found, how, outcome);
  } catch (const Error& error) {
    outcome.verdict = error.status() == ExitStatus::unsupported ? Verdict::refused : Verdict::wrong;
    outcome.detail = error.what();
  } catch (...) {
    outcome.verdict = Verdict::wrong;
    outcome.detail = "extraction ended by something that is no Error";
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
      "{} drives: {} exact, {} with claims short of all blocks, {} exact but for remapped blocks "
      "that "
      "no list names, {} exact but for slots that no number tells, {} with other sectors on the "
      "right tracks, {} refused, {} wrong\n",
      outcomes.size(), of[0], of[1], of[2], of[3], of[4], of[5], of[6]);
  const auto named = std::ranges::count_if(outcomes, &Outcome::right_units);
  fmt::print("{} of {} schemes of sparing named by the right units\n", named, outcomes.size());
  const auto line = [](const char* what, const std::vector<double>& values) {
    fmt::print("{}: p50 {:.3g}, p90 {:.3g}, p99 {:.3g}, max {:.3g}\n", what,
               percentile(values, 0.5), percentile(values, 0.9), percentile(values, 0.99),
               percentile(values, 1));
  };
  line("translations", translations);
  line("translations for each zone or defect", each);
  line("host seconds", seconds);
}

std::string firmware_in_words(const model::Firmware& firmware) {
  return fmt::format("sectors {}, formats {}, {} defect list in {}, {}", firmware.sector_numbers,
                     fmt::join(firmware.address_formats, "+"), firmware.defect_list ? "a" : "no",
                     fmt::join(firmware.defect_formats, "+"),
                     firmware.translates_back ? "back too" : "not back");
}

bool run(const Settings& settings) {
  const std::uint64_t count = settings.drives.empty() ? settings.count : settings.drives.size();
  std::vector<Outcome> outcomes(count);
  std::atomic<std::uint64_t> next{0};
  std::mutex printing;
  const auto work = [&] {
    for (std::uint64_t i = next++; i < count; i = next++) {
      const Trial trial = settings.drives.empty() ? random_trial(settings.first_seed + i, settings)
                                                  : named_trial(settings.drives[i], settings);
      outcomes[i] = judge(trial, settings);
      const Outcome& outcome = outcomes[i];
      if (settings.schemes && !outcome.right_units) {
        const std::lock_guard lock(printing);
        fmt::print("scheme {}: found {} | {}\n", trial.name, outcome.spares, trial.description);
      }
      if (outcome.verdict == Verdict::exact && !settings.all) continue;
      const std::lock_guard lock(printing);
      fmt::print("{} {}: {} | {}{} | {} translations, {:.1f} s\n",
                 kVerdicts[static_cast<int>(outcome.verdict)], trial.name, outcome.detail,
                 trial.description,
                 settings.own_firmware ? " | " + firmware_in_words(*trial.drive.firmware) : "",
                 outcome.translations, outcome.host_seconds);
      std::fflush(stdout);
      if (!settings.keep.empty())
        model::save_model(trial.drive, fmt::format("{}/{}.json", settings.keep, trial.name));
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < settings.threads; ++i) workers.emplace_back(work);
  work();
  workers.clear();
  print_summary(outcomes);
  return std::ranges::none_of(
      outcomes, [](const Outcome& outcome) { return outcome.verdict == Verdict::wrong; });
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Random drives, mapped by address translation and compared with the truth"};
  app.add_option("--first-seed", settings.first_seed, "seed of the first drive");
  app.add_option("--count", settings.count, "drives, of seeds that follow");
  app.add_option("--threads", settings.threads, "drives at once")->check(CLI::Range(1, 64));
  app.add_option("--least-blocks", settings.limits.least_slots, "sectors of the smallest drive");
  app.add_option("--most-blocks", settings.limits.most_slots, "sectors of the largest drive");
  app.add_option("--through", settings.through, "what answers: the layout, or a drive's commands")
      ->check(CLI::IsMember({"layout", "commands"}));
  app.add_option("--sectors", settings.sectors, "how the drive numbers its sectors")
      ->check(CLI::IsMember({"from first", "from index", "without slipped"}));
  app.add_option("--lists", settings.lists, "defect lists that the drive gives")
      ->check(CLI::IsMember({"both", "primary", "none"}));
  app.add_flag("--no-back", settings.no_back, "the drive translates no places to blocks");
  app.add_flag("--unflagged", settings.unflagged, "the drive does not tell what it remapped");
  app.add_flag("--own-firmware", settings.own_firmware,
               "each drive answers commands by its own firmware, whatever else is said here");
  app.add_option("drives", settings.drives, "virtual drives by name, in place of random ones");
  app.add_flag("--all", settings.all, "a line for drives that came out exactly, too");
  app.add_flag("--schemes", settings.schemes,
               "a line for drives whose scheme of sparing was named wrongly");
  app.add_option("--keep", settings.keep, "directory for the model files of drives that failed")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  return run(settings) ? 0 : 1;
}
