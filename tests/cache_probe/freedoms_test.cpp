// What the fields of the Caching mode page do, against virtual drives that obey them, ignore them
// or do not let them be changed.
#include <catch2/catch.hpp>
#include <map>

#include "cache_probe/cache_probe.h"
#include "cache_probe/freedoms.h"
#include "cache_probe/read_tests.h"
#include "cache_probe/write_tests.h"
#include "virtual_drive/open.h"
#include "virtual_drive/target.h"

using namespace platter;
using namespace platter::cache_probe;

namespace {

struct Told {
  std::map<std::string, model::CacheFreedom> of;
  double seconds = 0;  // of drive time, of the freedoms alone

  std::string effect(const std::string& field) const { return of.at(field).effect; }
  bool changeable(const std::string& field) const { return of.at(field).changeable; }
};

using Change = std::function<void(model::DriveModel&)>;

Told freedoms_of(
    const std::string& name, std::uint64_t seed, bool writes = true,
    const Change& change = [](model::DriveModel&) {}) {
  model::DriveModel model = virtual_drive::virtual_model(name);
  model.imperfections->seed = seed;
  change(model);
  virtual_drive::VirtualDevice device(model);
  std::vector<LbnRange> writable;
  if (writes) writable = {{0, model.identity.blocks / 2}};
  scsi::Permission permission;
  permission.writes = writable;
  scsi::Guard guard(device, permission);
  scsi::Drive drive(guard, name);
  drive.identify();
  const auto page = drive.mode_page(0x08, scsi::PageControl::current);
  mtbrc::Context context(drive, seed);
  context.map = &device.layout();
  context.rotation = model.rotation;

  // What the freedoms build on, and no more.
  Record record;
  record.setting.period_ns = context.period_ns();
  record.setting.page = drive.cache_page();
  Places places(*context.map, context.random);
  record.setting.track_blocks = places.track_blocks();
  Prober prober(context, places, record);
  test_miss_control(prober);
  test_basics(prober);
  test_read_ahead(prober);
  test_segment_size(prober);
  const Nanoseconds begin = drive.now_ns();
  Told told;
  for (const auto& freedom : probe_freedoms(prober, model.cache, writable)) {
    INFO(freedom.field << ": " << freedom.because);
    CHECK_FALSE(freedom.because.empty());
    CHECK((freedom.changeable || freedom.effect == "not told"));
    told.of[freedom.field] = freedom;
  }
  told.seconds = static_cast<double>(drive.now_ns() - begin) * 1e-9;
  CHECK(drive.mode_page(0x08, scsi::PageControl::current) == page);
  CHECK_FALSE(drive.recorded_settings());
  return told;
}

}  // namespace

TEST_CASE("a drive that obeys its caching page") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Told base = freedoms_of("cache-base", seed);
    for (const char* field :
         {"RCD", "WCE", "DRA", "NUMBER OF CACHE SEGMENTS", "CACHE SEGMENT SIZE", "MINIMUM PRE-FETCH",
          "MAXIMUM PRE-FETCH", "MAXIMUM PRE-FETCH CEILING", "DISABLE PRE-FETCH TRANSFER LENGTH",
          "DISC", "FSW"}) {
      INFO(field << ", seed " << seed << ": " << base.of.at(field).because);
      CHECK(base.changeable(field));
      CHECK(base.effect(field) == "seen");
    }
    CHECK_FALSE(base.changeable("ABPF"));
    CHECK_FALSE(base.changeable("IC"));
    CHECK(base.seconds < 8);
  }
}

TEST_CASE("fields that are said to be changeable and do nothing") {
  const Told dra = freedoms_of("cache-ignores-dra", 1);
  CHECK(dra.changeable("DRA"));
  CHECK(dra.effect("DRA") == "none");
  CHECK(dra.effect("RCD") == "seen");
  const Told enables = freedoms_of("cache-ignores-rcd-wce", 1);
  CHECK(enables.effect("RCD") == "none");
  CHECK(enables.effect("WCE") == "none");
  CHECK(enables.effect("DRA") == "seen");
  CHECK(freedoms_of("cache-ignores-rcd-wce", 1, false).effect("WCE") == "not told");
  const Told segments = freedoms_of("cache-ignores-segments", 1);
  CHECK(segments.changeable("NUMBER OF CACHE SEGMENTS"));
  CHECK(segments.effect("NUMBER OF CACHE SEGMENTS") == "none");
  CHECK(segments.effect("CACHE SEGMENT SIZE") == "seen");

  const Told all = freedoms_of("cache-base", 2, true, [](model::DriveModel& model) {
    model.firmware->ignored_cache_fields = {
        "IC",  "ABPF", "DISC", "FSW", "MINIMUM PRE-FETCH", "MAXIMUM PRE-FETCH",
        "SIZE", "CACHE SEGMENT SIZE"};
  });
  for (const char* field : {"DISC", "FSW", "MINIMUM PRE-FETCH", "MAXIMUM PRE-FETCH"}) {
    INFO(field << ": " << all.of.at(field).because);
    CHECK(all.effect(field) == "none");
  }
  CHECK(all.effect("CACHE SEGMENT SIZE") != "seen");
  CHECK(all.effect("ABPF") == "not told");  // the next command stops read-ahead, with it or without
  CHECK(all.effect("IC") != "seen");
}

TEST_CASE("a page of which nothing can be changed") {
  for (const auto& [field, freedom] : freedoms_of("cache-fixed-page", 1).of) {
    INFO(field);
    CHECK_FALSE(freedom.changeable);
    CHECK(freedom.effect == "not told");
  }
}

TEST_CASE("fields of read-ahead that no command stops and of a buffer that divides itself") {
  const Told goes_on = freedoms_of("cache-no-abort", 1);
  CHECK(goes_on.changeable("ABPF"));
  CHECK(goes_on.effect("ABPF") == "seen");
  CHECK(goes_on.effect("MINIMUM PRE-FETCH") == "not told");
  const Told least = freedoms_of("cache-read-ahead-least", 1);
  CHECK(least.effect("ABPF") == "seen");
  CHECK(least.effect("MINIMUM PRE-FETCH") == "seen");

  const Told adaptive = freedoms_of("cache-adaptive", 1);
  CHECK(adaptive.changeable("IC"));
  CHECK(adaptive.effect("IC") == "seen");
  CHECK(adaptive.effect("NUMBER OF CACHE SEGMENTS") == "seen");
  CHECK(adaptive.effect("CACHE SEGMENT SIZE") == "seen");

  const Told one = freedoms_of("cache-one-segment", 1);
  CHECK(one.effect("NUMBER OF CACHE SEGMENTS") == "seen");
  CHECK(one.effect("MINIMUM PRE-FETCH") == "not told");  // another read takes the segment
  CHECK(goes_on.effect("NUMBER OF CACHE SEGMENTS") == "seen");
  for (const char* name : {"cache-read-ahead-track", "cache-read-ahead-cylinder",
                           "cache-read-ahead-sequential", "cache-discards"}) {
    const Told told = freedoms_of(name, 1);
    for (const char* field : {"DRA", "NUMBER OF CACHE SEGMENTS", "MAXIMUM PRE-FETCH",
                              "DISABLE PRE-FETCH TRANSFER LENGTH"}) {
      INFO(name << ": " << field << ": " << told.of.at(field).because);
      CHECK(told.effect(field) == "seen");
    }
  }
  CHECK(freedoms_of("cache-random", 1).effect("NUMBER OF CACHE SEGMENTS") == "seen");
  const Told none = freedoms_of("cache-no-read-ahead", 1);
  CHECK_FALSE(none.changeable("DRA"));
  CHECK_FALSE(none.changeable("MAXIMUM PRE-FETCH"));
  const Told through = freedoms_of("cache-write-through", 1);
  CHECK_FALSE(through.changeable("WCE"));
  INFO(through.of.at("FSW").because);
  CHECK(through.effect("FSW") == "seen");
}
