// A drive that is reset, or whose settings another host changes, in the middle of a stage: the
// settings are made anew, what was measured without them is measured again, and nothing that was
// noted of it stays.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "catch.h"
#include "estimate/samples.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "model/json.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

enum class Shake { told_reset, silent_reset, told_change };

scsi::Command select_page(const std::vector<std::uint8_t>& page) {
  std::vector<std::uint8_t> list(4 + page.size(), 0);
  std::ranges::copy(page, list.begin() + 4);
  list[4] &= 0x7F;
  scsi::Command command;
  command.cdb = {0x15, 0x10, 0, 0, static_cast<std::uint8_t>(list.size())};
  command.cdb_length = 6;
  command.direction = scsi::Direction::to_device;
  command.transfer_length = static_cast<std::uint32_t>(list.size());
  command.data = list;
  return command;
}

// A virtual drive to which something happens before the next command, once it is asked for.
class Shaken final : public scsi::Device {
 public:
  explicit Shaken(const model::DriveModel& model) : drive_(model) {
    scsi::Guard guard(drive_, {});
    scsi::Drive asked(guard, "the drive");
    asked.identify();
    cache_page_ = asked.settings().mode_page(0x08, scsi::PageControl::current).value();
  }

  void shake(Shake how) { next_ = how; }
  int shaken() const { return shaken_; }

  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    const auto how = std::exchange(next_, std::nullopt);
    if (how) {
      ++shaken_;
      if (*how == Shake::told_change) {
        // Another host turns the caches over, and this one is told.
        auto page = cache_page_;
        page[2] ^= 0x05;
        (void)drive_.execute(select_page(page)).value();
        told_tag_ = tag;
        return {};
      }
      (void)drive_.reset();
      if (*how == Shake::silent_reset)
        for (int i = 0; i < 3; ++i) (void)drive_.execute(scsi::test_unit_ready());
    }
    return drive_.submit(command, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override {
    if (told_tag_) return parameters_changed();
    return drive_.reap();
  }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    if (told_tag_) return parameters_changed();
    return drive_.reap_until(deadline_ns);
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  std::optional<scsi::Completion> parameters_changed() {
    scsi::Completion done;
    done.tag = *std::exchange(told_tag_, std::nullopt);
    done.status = scsi::Status::check_condition;
    done.sense = {0x70, 0, 0x06, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x2A, 0x01, 0, 0, 0, 0};
    done.issued_ns = done.completed_ns = drive_.clock().now_ns();
    return done;
  }

  virtual_drive::VirtualDevice drive_;
  std::vector<std::uint8_t> cache_page_;
  std::optional<Shake> next_;
  std::optional<std::uint32_t> told_tag_;
  int shaken_ = 0;
};

std::vector<std::string> notes_with(const Run& run, const std::string& what) {
  std::vector<std::string> found;
  for (const std::string& note : all_that_was_noted(run))
    if (note.find(what) != std::string::npos) found.push_back(note);
  return found;
}

using Shakes = std::map<std::string, Shake>;

// Once in each of these stages, when it has gone on for a while.
Run shaken_run(Shaken& device, Shakes shakes, const Folder& folder) {
  Options options = options_in(folder);
  KeptLines kept;
  options.keeper = &kept;
  std::map<std::string, int> reports;
  options.progress = [&](const std::string& stage, double, double) {
    constexpr int kAWhile = 5;
    const auto due = shakes.find(stage);
    if (due == shakes.end() || ++reports[stage] < kAWhile) return;
    device.shake(due->second);
    shakes.erase(due);
  };
  Run run = characterize(device, options);
  // What turned out to be void was on the disk by then.
  CHECK(model::to_json_text(extract::estimate(read_lines(kept.whole(run)).record)) ==
        model::to_json_text(run.model));
  return run;
}

std::vector<std::vector<std::uint8_t>> pages_of(scsi::Device& device) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  std::vector<std::vector<std::uint8_t>> pages;
  for (const auto code :
       {scsi::kCachingPage, scsi::kPowerConditionPage, scsi::kBackgroundControlPage})
    pages.push_back(
        drive.settings().mode_page(code.page, scsi::PageControl::current, code.subpage).value());
  return pages;
}

// The facts of the cache that this drive's reads tell.
std::vector<std::optional<double>> facts(const model::Cache& cache) {
  return {cache.segments.value, cache.read_ahead.value, cache.read_enabled.value};
}

const Run& undisturbed() {
  static const Run run = [] {
    const Folder folder;
    Shaken device(restless_drive());
    return shaken_run(device, {}, folder);
  }();
  return run;
}

void check(const Shakes& shakes) {
  undisturbed();
  const Folder folder;
  Shaken device(restless_drive());
  const auto before = pages_of(device);
  const Run run = shaken_run(device, shakes, folder);
  REQUIRE(device.shaken() == static_cast<int>(shakes.size()));
  std::size_t repeated = 0;
  for (const auto& [stage, how] : shakes) {
    INFO(stage);
    // With caches off every command before the report was answered with them off.
    const bool at_once = how != Shake::silent_reset && stage != "cache";
    const std::string during = "during the stage '" + stage + "'";
    CHECK(notes_with(run, during + ", which was repeated").size() == (at_once ? 0 : 1));
    CHECK(
        notes_with(run, during + "; it said so, and the settings were made again at once").size() ==
        (at_once ? 1 : 0));
    repeated += at_once ? 0 : 1;
  }
  CHECK(notes_with(run, "which was repeated").size() == repeated);
  CHECK(
      notes_with(run, "background scans") ==
      std::vector<std::string>{"background scans (mode page 1Ch/01h) were stopped during the run"});
  CHECK(notes_with(run, "power conditions") ==
        std::vector<std::string>{"power conditions (mode page 1Ah) were stopped during the run"});
  CHECK(pages_of(device) == before);
  // Nothing that the reset disturbed is in the model: not a pause of the spindle, nor a cache that
  // was on.
  CHECK(std::ranges::none_of(run.record.samples, [](const estimate::Sample& sample) {
    return sample.completed_ns - sample.issued_ns > 300 * kMillisecond;
  }));
  CHECK_THAT(run.model.validity.note, !Catch::Contains("timed commands waited"));
  CHECK(facts(run.model.cache) == facts(undisturbed().model.cache));
  REQUIRE(run.model.validity.demerits.size() == 2);
  CHECK(run.model.validity.demerits[0].demerit_percent < 2);
  CHECK(run.model.validity.demerits[0].hits_agreed_share == 1);
  CHECK(run.model.validity.demerits[1].hits_agreed_share > 0.95);
}

}  // namespace

TEST_CASE(
    "after a reset that is reported the settings are made again at once, a test of caches begins "
    "anew") {
  check({{"angles", Shake::told_reset},
         {"seeks", Shake::told_reset},
         {"cache", Shake::told_reset},
         {"self-validation", Shake::told_reset}});
}

TEST_CASE("a reset of which nobody tells is seen by its effect") {
  check({{"head switch and write settle", Shake::silent_reset},
         {"cache", Shake::silent_reset},
         {"self-validation, caches on", Shake::silent_reset},
         {"queue", Shake::silent_reset}});
}

TEST_CASE("caches that another host turns over are turned back, and as they were in the end") {
  check({{"overheads", Shake::told_change}, {"cache", Shake::told_change}});
}

}  // namespace platter::extract
