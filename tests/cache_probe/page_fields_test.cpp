// What the fields of the Caching mode page do, against virtual drives that obey them, ignore them
// or do not let them be changed.
#include "cache_probe/page_fields.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "cache_probe/cache_probe.h"
#include "cache_probe/read_properties.h"
#include "cache_probe/write_properties.h"
#include "catch.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::cache_probe;

namespace {

struct Told {
  std::map<std::string, model::CacheFreedom> of;
  double seconds = 0;             // of drive time, of the fields alone
  std::set<std::uint32_t> sizes;  // CACHE SEGMENT SIZE as asked for
  int fsw_changes = 0;            // as asked for

  std::string effect(const std::string& field) const { return of.at(field).effect; }
  bool changeable(const std::string& field) const { return of.at(field).changeable; }
};

using Change = std::function<void(model::DriveModel&)>;

// As a drive may be that shows CACHE SEGMENT SIZE in bytes (LBCSS = 0), or takes multiples of
// `step` blocks alone.
struct Sizes {
  bool in_bytes = false;
  std::uint32_t step = 1;
  bool changes_fsw_once = false;  // and refuses it from then on, as after a reset
};

class OtherSizes final : public scsi::Device {
 public:
  OtherSizes(scsi::Device& device, Sizes sizes, std::uint32_t block_bytes)
      : device_(device), sizes_(sizes), each_(sizes.in_bytes ? block_bytes : 1) {}
  const std::string& name() const override { return device_.name(); }
  scsi::Clock& clock() override { return device_.clock(); }
  std::uint32_t max_outstanding() const override { return 1; }
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override {
    sensing_ = (command.cdb[0] == 0x1A || command.cdb[0] == 0x5A) &&
               (command.cdb[2] & 0x3F) == 0x08 && command.cdb[2] >> 6 != 1;
    sent_ = command.cdb[0];
    scsi::Command changed = command;
    const std::size_t at = sent_ == 0x15 ? 4 : 8;
    if ((sent_ == 0x15 || sent_ == 0x55) && (command.data[at] & 0x3F) == 0x08) {
      std::uint8_t* size = &changed.data[at + 14];
      const std::uint32_t asked = size[0] << 8 | size[1];
      asked_.insert(asked);
      const std::uint32_t blocks = asked == shown(own_) ? own_
                                                        : (asked / each_ + sizes_.step - 1) /
                                                              sizes_.step * sizes_.step;
      size[0] = static_cast<std::uint8_t>(blocks >> 8);
      size[1] = static_cast<std::uint8_t>(blocks);
      if (sizes_.in_bytes) changed.data[at + 12] |= 0x40;
      const bool fsw = (changed.data[at + 12] & 0x80) != 0;
      if (fsw_ && fsw != *fsw_ && ++fsw_changes_ > 1 && sizes_.changes_fsw_once)
        changed.data[at + 1] = 0xFF;  // no page is so long
    }
    return device_.submit(changed, tag);
  }
  scsi::Expected<std::optional<scsi::Completion>> reap() override { return seen(device_.reap()); }
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override {
    return seen(device_.reap_until(deadline_ns));
  }
  scsi::Expected<void> reset() override { return device_.reset(); }
  const std::set<std::uint32_t>& asked() const { return asked_; }
  int fsw_changes() const { return fsw_changes_; }

 private:
  std::uint32_t shown(std::uint32_t blocks) const { return std::min(blocks * each_, 0xFFFFu); }
  scsi::Expected<std::optional<scsi::Completion>> seen(
      scsi::Expected<std::optional<scsi::Completion>> done) {
    if (!sensing_ || !done || !*done || (*done)->status != scsi::Status::good) return done;
    auto& data = (*done)->data;
    const std::size_t page = sent_ == 0x1A ? 4u + data.at(3) : 8u + (data.at(6) << 8 | data.at(7));
    if (data.size() < page + 20) return done;
    const std::uint32_t blocks = data[page + 14] << 8 | data[page + 15];
    if (own_ == 0) own_ = blocks;
    if (!fsw_) fsw_ = (data[page + 12] & 0x80) != 0;
    data[page + 14] = static_cast<std::uint8_t>(shown(blocks) >> 8);
    data[page + 15] = static_cast<std::uint8_t>(shown(blocks));
    if (sizes_.in_bytes) data[page + 12] &= 0xBF;
    return done;
  }

  scsi::Device& device_;
  Sizes sizes_;
  std::uint32_t each_, own_ = 0;
  bool sensing_ = false;
  std::uint8_t sent_ = 0;
  std::set<std::uint32_t> asked_;
  std::optional<bool> fsw_;  // the drive's own
  int fsw_changes_ = 0;      // that were asked for
};

struct Setting {
  Sizes sizes;
  bool reads_disabled = false;  // RCD = 1, from before
};

Told page_fields_of(
    const std::string& name, std::uint64_t seed, bool writes = true,
    const Change& change = [](model::DriveModel&) {}, const Setting& setting = {}) {
  model::DriveModel model = virtual_drive::virtual_model(name);
  model.imperfections->seed = seed;
  change(model);
  virtual_drive::VirtualDevice device(model);
  std::vector<LbnRange> writable;
  if (writes) writable = {{0, model.identity.blocks / 2}};
  scsi::Permission permission;
  permission.writes = writable;
  OtherSizes other(device, setting.sizes, model.identity.block_bytes);
  scsi::Guard guard(other, permission);
  scsi::Drive drive(guard, name);
  drive.identify();
  if (setting.reads_disabled) {
    auto page = *drive.settings().mode_page(0x08, scsi::PageControl::current);
    page[2] |= 1;
    REQUIRE(drive.settings().restore_page(page));
  }
  const auto page = drive.settings().mode_page(0x08, scsi::PageControl::current);
  mtbrc::Context context(drive, seed);
  context.map = &device.layout();
  context.rotation = model.rotation;

  // What the tests of the fields build on, and no more.
  Record record;
  record.setting.period_ns = context.period_ns();
  record.setting.page = drive.settings().cache_page();
  Places places(*context.map, context.random);
  record.setting.track_blocks = places.track_blocks();
  Prober prober(context, places, record);
  test_miss_control(prober);
  test_read_caching(prober);
  test_read_ahead(prober);
  test_segment_size(prober);
  const Nanoseconds begin = drive.now_ns();
  Told told;
  for (const auto& freedom : probe_page_fields(prober, model.cache, writable).fields) {
    INFO(freedom.field << ": " << freedom.because);
    CHECK_FALSE(freedom.because.empty());
    CHECK((freedom.changeable || freedom.effect == "not told"));
    told.of[freedom.field] = freedom;
  }
  told.seconds = static_cast<double>(drive.now_ns() - begin) * 1e-9;
  CHECK(drive.settings().mode_page(0x08, scsi::PageControl::current) == page);
  CHECK_FALSE(drive.settings().recorded());
  told.sizes = other.asked();
  told.fsw_changes = other.fsw_changes();
  return told;
}

}  // namespace

TEST_CASE("a drive that obeys its caching page") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Told base = page_fields_of("cache-base", seed);
    for (const char* field : {"RCD", "WCE", "DRA", "NUMBER OF CACHE SEGMENTS", "CACHE SEGMENT SIZE",
                              "MINIMUM PRE-FETCH", "MAXIMUM PRE-FETCH", "MAXIMUM PRE-FETCH CEILING",
                              "DISABLE PRE-FETCH TRANSFER LENGTH", "DISC", "FSW"}) {
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
  const Told dra = page_fields_of("cache-ignores-dra", 1);
  CHECK(dra.changeable("DRA"));
  CHECK(dra.effect("DRA") == "none");
  CHECK(dra.effect("RCD") == "seen");
  const Told enables = page_fields_of("cache-ignores-rcd-wce", 1);
  CHECK(enables.effect("RCD") == "none");
  CHECK(enables.effect("WCE") == "none");
  CHECK(enables.effect("DRA") == "seen");
  CHECK(page_fields_of("cache-ignores-rcd-wce", 1, false).effect("WCE") == "not told");
  const Told segments = page_fields_of("cache-ignores-segments", 1);
  CHECK(segments.changeable("NUMBER OF CACHE SEGMENTS"));
  CHECK(segments.effect("NUMBER OF CACHE SEGMENTS") == "none");
  CHECK(segments.effect("CACHE SEGMENT SIZE") == "seen");

  const Told all = page_fields_of("cache-base", 2, true, [](model::DriveModel& model) {
    model.firmware->ignored_cache_fields = {"IC",
                                            "ABPF",
                                            "DISC",
                                            "FSW",
                                            "MINIMUM PRE-FETCH",
                                            "MAXIMUM PRE-FETCH",
                                            "SIZE",
                                            "CACHE SEGMENT SIZE"};
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
  for (const auto& [field, freedom] : page_fields_of("cache-fixed-page", 1).of) {
    INFO(field);
    CHECK_FALSE(freedom.changeable);
    CHECK(freedom.effect == "not told");
  }
}

TEST_CASE("fields of read-ahead that no command stops and of a buffer that divides itself") {
  const Told goes_on = page_fields_of("cache-no-abort", 1);
  CHECK(goes_on.changeable("ABPF"));
  CHECK(goes_on.effect("ABPF") == "seen");
  CHECK(goes_on.effect("MINIMUM PRE-FETCH") == "not told");
  const Told least = page_fields_of("cache-read-ahead-least", 1);
  CHECK(least.effect("ABPF") == "seen");
  CHECK(least.effect("MINIMUM PRE-FETCH") == "seen");

  const Told adaptive = page_fields_of("cache-adaptive", 1);
  CHECK(adaptive.changeable("IC"));
  CHECK(adaptive.effect("IC") == "seen");
  CHECK(adaptive.effect("NUMBER OF CACHE SEGMENTS") == "seen");
  CHECK(adaptive.effect("CACHE SEGMENT SIZE") == "seen");

  const Told one = page_fields_of("cache-one-segment", 1);
  CHECK(one.effect("NUMBER OF CACHE SEGMENTS") == "seen");
  CHECK(one.effect("MINIMUM PRE-FETCH") == "not told");  // another read takes the segment
  CHECK(goes_on.effect("NUMBER OF CACHE SEGMENTS") == "seen");
  for (const char* name : {"cache-read-ahead-track", "cache-read-ahead-cylinder",
                           "cache-read-ahead-sequential", "cache-discards"}) {
    const Told told = page_fields_of(name, 1);
    for (const char* field : {"DRA", "NUMBER OF CACHE SEGMENTS", "MAXIMUM PRE-FETCH",
                              "DISABLE PRE-FETCH TRANSFER LENGTH"}) {
      INFO(name << ": " << field << ": " << told.of.at(field).because);
      CHECK(told.effect(field) == "seen");
    }
  }
  CHECK(page_fields_of("cache-random", 1).effect("NUMBER OF CACHE SEGMENTS") == "seen");
  const Told none = page_fields_of("cache-no-read-ahead", 1);
  CHECK_FALSE(none.changeable("DRA"));
  CHECK_FALSE(none.changeable("MAXIMUM PRE-FETCH"));
  const Told through = page_fields_of("cache-write-through", 1);
  CHECK_FALSE(through.changeable("WCE"));
  INFO(through.of.at("FSW").because);
  CHECK(through.effect("FSW") == "seen");
}

TEST_CASE("a field that the drive takes once and refuses when more is to be seen of it") {
  const Told told = page_fields_of("cache-base", 1, true, [](model::DriveModel&) {},
                                   {.sizes = {.changes_fsw_once = true}});
  INFO(told.of.at("FSW").because);
  REQUIRE(told.fsw_changes == 2);
  CHECK(told.effect("FSW") == "none");
}

TEST_CASE("on the classic drives, none only where the drive ignores the field") {
  for (const auto& entry : virtual_drive::validated_drives()) {
    const auto ignored = virtual_drive::catalogue_model(entry).firmware->ignored_cache_fields;
    for (const auto& [field, freedom] : page_fields_of(std::string(entry.name), 1).of) {
      INFO(entry.name << ": " << field << ": " << freedom.because);
      CHECK((freedom.effect != "none" || std::ranges::find(ignored, field) != ignored.end()));
    }
  }
  // Read-ahead there passes by the beginning of its segment.
  for (const char* name : {"ibm-ultrastar18es", "seagate-barracuda4lp"}) {
    const auto of = [&](const Change& change) {
      return page_fields_of(name, 1, true, change).of.at("CACHE SEGMENT SIZE");
    };
    const auto obeys = of([](model::DriveModel&) {});
    INFO(name << ": " << obeys.because);
    CHECK(obeys.effect == "seen");
    const auto ignores = of([](model::DriveModel& model) {
      model.firmware->ignored_cache_fields = {"SIZE", "CACHE SEGMENT SIZE"};
    });
    INFO(name << ": " << ignores.because);
    CHECK(ignores.effect == "none");
  }
}

TEST_CASE("a size of segments in bytes, and one that the drive rounds") {
  const auto large = [](model::DriveModel& model) {
    model.cache.segments.value = 3;
    model.cache.segment_blocks.value = 640;
    model.cache.write_segments.value = 1;
  };
  const Told bytes = page_fields_of("cache-base", 1, true, large, {.sizes = {.in_bytes = true}});
  {
    INFO(bytes.of.at("CACHE SEGMENT SIZE").because);
    CHECK(bytes.effect("CACHE SEGMENT SIZE") == "seen");
    CHECK(bytes.sizes.contains(127 * 512));
    CHECK_FALSE(bytes.sizes.contains(0));
  }
  const auto rounds_to = [&](std::uint32_t step) {
    return page_fields_of("cache-base", 1, true, large, {.sizes = {.step = step}})
        .of.at("CACHE SEGMENT SIZE");
  };
  const auto to_less = rounds_to(200), to_more = rounds_to(400), to_all = rounds_to(640);
  INFO(to_less.because << "; " << to_more.because << "; " << to_all.because);
  CHECK(to_less.effect == "seen");
  CHECK(to_less.because.find("CACHE SEGMENT SIZE = 200") != std::string::npos);
  CHECK(to_more.effect == "not told");
  CHECK(to_more.because.find("which the drive made of") != std::string::npos);
  CHECK(to_all.effect == "none");
}

TEST_CASE("a drive that was told not to read from its cache") {
  for (const char* name : {"cache-base", "cache-discards"}) {
    const Told off = page_fields_of(name, 1, true, [](model::DriveModel&) {},
                                    {.sizes = {}, .reads_disabled = true});
    INFO(name << ": " << off.of.at("RCD").because);
    CHECK(off.effect("RCD") == "seen");
    CHECK(off.effect("NUMBER OF CACHE SEGMENTS") == "not told");
    CHECK(off.effect("CACHE SEGMENT SIZE") == "not told");
  }
  const Told ignored = page_fields_of(
      "cache-base", 1, true,
      [](model::DriveModel& model) { model.firmware->ignored_cache_fields = {"RCD"}; },
      {.sizes = {}, .reads_disabled = true});
  CHECK(ignored.effect("RCD") != "seen");
}

TEST_CASE("an ATA drive whose translation does not let its page be changed") {
  const Told sat = page_fields_of("sat-disk", 1);
  for (const auto& [field, freedom] : sat.of) {
    const bool feature = field == "WCE" || field == "DRA";
    INFO(field << ": " << freedom.because);
    CHECK(freedom.changeable == feature);
    CHECK(freedom.effect == (feature ? "seen" : "not told"));
    CHECK((freedom.because.find("SET FEATURES") != std::string::npos) == feature);
  }
}
