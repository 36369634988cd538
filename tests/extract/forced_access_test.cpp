// Drives whose caches stay on whatever is set: FUA passes them by, where it is obeyed.
#include "scsi/forced_access.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.h"
#include "estimate/samples.h"
#include "extract/characterize.h"
#include "extract/estimate.h"
#include "extract/runs.h"
#include "extract/stages.h"
#include "model/drive_model.h"
#include "model/error.h"
#include "model/json.h"
#include "replay/replay_drive.h"
#include "replay/replay_model.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

model::DriveModel seeded_drive(const char* name) {
  model::DriveModel model = drive_named(name);
  REQUIRE(model.imperfections);
  model.imperfections->seed = 5;  // else every run has another one
  return model;
}

enum class Fua { obeyed, ignored, refused };

// What the drive makes of FUA in READ(10) and WRITE(10), and of VERIFY(10), is another thing.
class WithFua final : public scsi::Device {
 public:
  WithFua(const model::DriveModel& model, Fua reads, Fua writes, Fua verifies = Fua::obeyed)
      : drive_(model), reads_(reads), writes_(writes), verifies_(verifies) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    constexpr std::uint8_t kFua = 0x08, kProtect = 0x20;  // of a drive without protection
                                                          // information
    scsi::Command changed = command;
    const bool verify = changed.cdb[0] == 0x2F;
    if (verify && verifies_ == Fua::refused) changed.cdb[1] |= kProtect;
    if (verify && verifies_ == Fua::ignored) {  // the cache answers
      const auto blocks = static_cast<std::uint32_t>(changed.cdb[7] << 8 | changed.cdb[8]);
      changed = scsi::read_10(std::uint64_t{changed.cdb[2]} << 24 | changed.cdb[3] << 16 |
                                  changed.cdb[4] << 8 | changed.cdb[5],
                              blocks, kBlockBytes, {});
    }
    const bool read = changed.cdb[0] == 0x28, write = changed.cdb[0] == 0x2A;
    const Fua fua = read ? reads_ : write ? writes_ : Fua::obeyed;
    if (changed.cdb[1] & kFua && fua == Fua::ignored)
      changed.cdb[1] &= static_cast<std::uint8_t>(~kFua);
    if (changed.cdb[1] & kFua && fua == Fua::refused) changed.cdb[1] |= kProtect;
    return drive_.submit(changed, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return drive_.reap(); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return drive_.reap_until(deadline_ns);
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  virtual_drive::VirtualDevice drive_;
  static constexpr std::uint32_t kBlockBytes = 512;
  Fua reads_, writes_, verifies_;
};

// RCD of page 08h cannot be changed, its other bits can.
class RcdStays final : public scsi::Device {
 public:
  explicit RcdStays(const model::DriveModel& model) : drive_(model) {}
  const std::string& name() const override { return drive_.name(); }
  scsi::Clock& clock() override { return drive_.clock(); }
  std::uint32_t max_outstanding() const override { return drive_.max_outstanding(); }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    scsi::Command changed = command;
    const bool select = changed.cdb[0] == 0x15 || changed.cdb[0] == 0x55;
    const auto page = select ? page_in(changed.data, changed.cdb[0] == 0x55 ? 8 : 4) : 0;
    if (page > 0 && changed.data[page + 2] & kRcd) changed.data[page] = 0x3E;  // no page of a drive
    const bool sense = changed.cdb[0] == 0x1A || changed.cdb[0] == 0x5A;
    asks_for_changeable_ = sense && changed.cdb[2] == (1 << 6 | kPage) ? std::optional(tag)
                                                                       : std::nullopt;
    header_ = changed.cdb[0] == 0x5A ? 8 : 4;
    return drive_.submit(changed, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override {
    return without_rcd(drive_.reap());
  }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return without_rcd(drive_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return drive_.reset(); }

 private:
  static constexpr std::uint8_t kPage = 0x08, kRcd = 0x01;
  // Where that page begins behind header and block descriptor; 0: it is not there.
  static std::size_t page_in(const std::vector<std::uint8_t>& bytes, std::size_t header) {
    if (bytes.size() < header) return 0;
    const std::size_t page = header + bytes[header - 1];
    return page + 2 < bytes.size() && (bytes[page] & 0x3F) == kPage ? page : 0;
  }
  scsi::Expected<std::optional<scsi::Completion>> without_rcd(
      scsi::Expected<std::optional<scsi::Completion>> done) const {
    if (!done || !*done || (*done)->tag != asks_for_changeable_) return done;
    if (const std::size_t page = page_in((*done)->data, header_); page > 0)
      (*done)->data[page + 2] &= static_cast<std::uint8_t>(~kRcd);
    return done;
  }

  virtual_drive::VirtualDevice drive_;
  std::optional<std::uint32_t> asks_for_changeable_;
  std::size_t header_ = 4;
};

using C = model::Cache;
constexpr model::Parameter C::*kCacheFacts[] = {&C::read_enabled,
                                                &C::segments,
                                                &C::segment_blocks,
                                                &C::read_ahead,
                                                &C::read_ahead_max_blocks,
                                                &C::read_ahead_on_hit,
                                                &C::read_free_blocks,
                                                &C::zero_latency_read,
                                                &C::replacement,
                                                &C::read_ahead_abort,
                                                &C::discards_after_transfer};

std::vector<std::uint8_t> caching_page(scsi::Device& device) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  return drive.settings().mode_page(0x08, scsi::PageControl::current).value();
}

ExitStatus status_of_replay(scsi::Device& device, replay::Caches caches) {
  const scsi::Permission permission{true, {{100000, 400000}}};
  trace::Trace trace;
  for (std::uint64_t i = 0; i < 20; ++i)
    trace.requests.push_back({.lbn = 100000 + 977 * i, .blocks = 8, .write = i % 2 == 1});
  try {
    replay::DriveReplay how;
    how.caches = caches;
    const replay::Result result = replay::replay_on_drive(device, permission, trace, how);
    CHECK(result.caches == replay::name_of(caches));
    return ExitStatus::ok;
  } catch (const Error& error) {
    return error.status();
  }
}

}  // namespace

TEST_CASE(
    "where FUA does not bring reads to the media VERIFY does: the same stages, the same facts") {
  double later_ms = 0, variance = 0;
  for (const char* name : {"cache-fixed-page", "cache-ignores-rcd-wce", "sat-disk"}) {
    const model::DriveModel truth = seeded_drive(name);
    const Folder folder;
    virtual_drive::VirtualDevice forced(truth);
    const Run with = characterize(forced, options_in(folder));
    for (const Fua reads : {Fua::ignored, Fua::refused}) {
      INFO(name << (reads == Fua::ignored ? ", FUA ignored" : ", FUA refused"));
      WithFua device(truth, reads, Fua::obeyed);
      const auto page = caching_page(device);
      const Run run = characterize(device, options_in(folder));
      CHECK(caching_page(device) == page);
      CHECK_FALSE(run.ended_by);
      CHECK(noted(run, reads == Fua::ignored
                           ? "READ with FUA is answered by the cache: with caches off"
                           : "READ with FUA is refused: with caches off"));
      CHECK(std::ranges::any_of(run.record.samples, &estimate::Sample::verify));
      CHECK_FALSE(std::ranges::any_of(with.record.samples, &estimate::Sample::verify));
      CHECK(run.record.stages.size() == stages_of(false));
      for (const auto fact : kCacheFacts) {
        const model::Parameter &a = with.model.cache.*fact, &b = run.model.cache.*fact;
        CHECK(a.value == b.value);
      }
      // What a VERIFY lacks of a read, its data's way, is in no overhead of a read.
      const model::Parameter &theirs = with.model.overheads.read_miss_after_read,
                             &ours = run.model.overheads.read_miss_after_read;
      REQUIRE(ours.value);
      CHECK(std::abs(*ours.value - *theirs.value) < 4 * std::hypot(*ours.error, *theirs.error));
      CHECK(*ours.error < 0.01);
      later_ms += *ours.value - *theirs.value;
      variance += std::pow(*ours.error, 2) + std::pow(*theirs.error, 2);
      REQUIRE(run.model.validity.demerits.size() == 2);
      // One request of the few that comes a revolution later is in the error.
      for (const model::Demerit& demerit : run.model.validity.demerits) {
        REQUIRE(demerit.error_ms);
        const double least_ms = demerit.demerit_ms - 2 * *demerit.error_ms;
        CHECK(100 * least_ms / demerit.drive_mean_ms < 2);
      }
      CHECK(run.model.validity.demerits.front().folded_phase_share > 0.97);
    }
  }
  CHECK(std::abs(later_ms) < 3 * std::sqrt(variance));
}

TEST_CASE("where nothing passes the cache, no block is read twice that is to come from the media") {
  for (const Fua fua : {Fua::ignored, Fua::refused}) {
    const model::DriveModel truth = seeded_drive("sat-disk");
    WithFua device(truth, fua, fua, fua);
    const Folder folder;
    KeptLines kept;
    Options options = options_in(folder);
    options.keeper = &kept;
    const Run run = characterize(device, options);
    CHECK(model::to_json_text(extract::estimate(read_lines(kept.whole(run)).record)) ==
          model::to_json_text(run.model));
    CHECK(noted(run, "what was timed on the media are reads of blocks that had not been read"));
    const double period_ns = model::revolution_ns(truth.rotation);
    const model::Parameter& period = run.model.rotation.period;
    REQUIRE(period.value);
    CHECK(std::abs(*period.value - period_ns) < 4 * *period.error);
    CHECK(*period.error < 3e-6 * period_ns);
    CHECK(run.record.stages.size() == stages_of(false));
    CHECK(run.model.seek.points.size() > 10);
    REQUIRE(run.model.validity.demerits.size() == 2);
    CHECK(run.model.validity.demerits.front().demerit_percent < 3);
    CHECK(run.model.validity.demerits.front().folded_phase_share > 0.9);
    std::set<std::uint64_t> read;
    for (const estimate::Sample& sample : run.record.samples)
      if (sample.experiment != estimate::Experiment::hit &&
          sample.experiment != estimate::Experiment::disturbed && sample.blocks == 1)
        CHECK(read.insert(sample.lbn).second);
  }
}

TEST_CASE("a drive whose caches stay on is characterized by FUA, and has its settings again") {
  virtual_drive::VirtualDevice device(seeded_drive("cache-ignores-rcd-wce"));
  const auto page = caching_page(device);
  const Folder folder;
  const Run run = characterize(device, options_in(folder));
  CHECK(noted(run, "with caches off all reads were sent with FUA"));
  CHECK_FALSE(run.model.layout.zones.empty());
  CHECK(caching_page(device) == page);
}

TEST_CASE("what of a caching page can be changed is, each time that the caches go off") {
  RcdStays device(seeded_drive("cache-ignores-rcd-wce"));
  const auto page = caching_page(device);
  const Folder folder;
  const Run run = characterize(device, options_in(folder));
  CHECK_FALSE(run.ended_by);
  CHECK(noted(run, "mode page 08h could be changed in part only"));
  CHECK(noted(run, "with caches off all reads were sent with FUA"));
  CHECK_FALSE(noted(run, "the drive was reset, or its settings were changed"));
  CHECK(run.record.stages.size() == stages_of(false));
  CHECK(caching_page(device) == page);
}

TEST_CASE(
    "where FUA does not bring writes to the media, the model has what reads tell, and why not the "
    "rest") {
  for (const Fua writes : {Fua::ignored, Fua::refused}) {
    WithFua device(seeded_drive("cache-fixed-page"), Fua::obeyed, writes);
    const Folder folder;
    Options options = options_in(folder);
    options.writable = {{100000, 400000}};
    const Run run = characterize(device, options);
    const char* why = writes == Fua::ignored ? "answers writes with FUA, too"
                                             : "refuses writes with FUA";
    CHECK(noted(run, why));
    const model::Overheads& overheads = run.model.overheads;
    for (const model::Parameter* parameter :
         {&run.model.write_settle, &overheads.write_miss_after_read,
          &overheads.write_miss_after_write, &overheads.read_miss_after_write}) {
      CHECK_FALSE(parameter->value);
      CHECK(parameter->reason.find(why) != std::string::npos);
    }
    CHECK(overheads.read_miss_after_read.value);
    CHECK(overheads.write_hit_after_write.value);
    CHECK(run.model.cache.write_back_level.value.value_or(0) > 0);
    REQUIRE(run.model.validity.demerits.size() == 2);
    CHECK(run.model.validity.demerits[0].demerit_percent < 2);
    CHECK_FALSE(run.model.validity.writes);
  }
}

TEST_CASE("a replay does not say that caches are off, or passed by, that answer all the same") {
  using replay::Caches;
  const auto status = [](const char* name, Fua reads, Fua writes, Caches caches) {
    WithFua device(seeded_drive(name), reads, writes);
    return status_of_replay(device, caches);
  };
  CHECK(status("cache-base", Fua::ignored, Fua::refused, Caches::off) == ExitStatus::ok);
  CHECK(status("cache-ignores-rcd-wce", Fua::obeyed, Fua::obeyed, Caches::off) == ExitStatus::ok);
  CHECK(status("cache-ignores-rcd-wce", Fua::ignored, Fua::obeyed, Caches::off) ==
        ExitStatus::unsupported);
  CHECK(status("cache-ignores-rcd-wce", Fua::obeyed, Fua::refused, Caches::off) ==
        ExitStatus::unsupported);
  CHECK(status("cache-fixed-page", Fua::obeyed, Fua::obeyed, Caches::off) ==
        ExitStatus::unsupported);
  CHECK(status("cache-fixed-page", Fua::obeyed, Fua::obeyed, Caches::forced) == ExitStatus::ok);
  CHECK(status("cache-fixed-page", Fua::obeyed, Fua::ignored, Caches::forced) ==
        ExitStatus::unsupported);
  CHECK(status("cache-fixed-page", Fua::refused, Fua::obeyed, Caches::forced) ==
        ExitStatus::unsupported);
}

TEST_CASE("FUA passes caches by that stay on, until caches are restored") {
  virtual_drive::VirtualDevice device(seeded_drive("cache-fixed-page"));
  scsi::Guard guard(device, scsi::Permission{true, {{1000, 2000}}});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  CHECK_FALSE(drive.settings().set_cache(false, true, true));
  REQUIRE(scsi::rereads_come_at_once(drive, 1500) == true);
  REQUIRE(scsi::force_reads(drive, 1500) == scsi::Forced::obeyed);
  CHECK(scsi::rereads_come_at_once(drive, 1500) == false);
  CHECK_FALSE(drive.settings().forces_writes());
  REQUIRE(scsi::writes_come_at_once(drive, 1500) == true);
  REQUIRE(scsi::force_writes(drive, 1500) == scsi::Forced::obeyed);
  CHECK(scsi::writes_come_at_once(drive, 1500) == false);
  drive.settings().restore_cache();
  CHECK_FALSE(drive.settings().forces_reads());
  CHECK_FALSE(drive.settings().forces_writes());
  CHECK(scsi::rereads_come_at_once(drive, 1500) == true);
}

TEST_CASE("what goes to the media without FUA is not forced") {
  virtual_drive::VirtualDevice device(seeded_drive("cache-base"));
  scsi::Guard guard(device, scsi::Permission{true, {{1000, 2000}}});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  REQUIRE(drive.settings().set_cache(false, true, true));
  CHECK(scsi::force_reads(drive, 1500) == scsi::Forced::not_needed);
  CHECK(scsi::force_writes(drive, 1500) == scsi::Forced::not_needed);
  CHECK_FALSE(drive.settings().forces_reads());
  CHECK_FALSE(drive.settings().forces_writes());
}

TEST_CASE("what a journal kept is put back on a drive that refuses FUA in writes") {
  WithFua device(seeded_drive("cache-fixed-page"), Fua::obeyed, Fua::refused);
  scsi::Guard guard(device, scsi::Permission{true, {{1000, 2000}}});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  const std::vector<std::uint8_t> contents(2 * std::size_t{drive.block_bytes()}, 0x5A);
  drive.put_back(1500, contents);
  CHECK(drive.contents(1500, 2, true) == contents);
}

}  // namespace platter::extract
