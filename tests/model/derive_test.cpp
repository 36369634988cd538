#include "model/derive.h"

#include "catch.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/json.h"
#include "model/parameters.h"
#include "model/seek_curve.h"
#include "random_model.h"

namespace platter::model {
namespace {

Parameter measured(double value, const std::string& unit) {
  Parameter p;
  p.value = value;
  p.unit = unit;
  p.error = 0.01;
  p.method = "mtbrc";
  p.samples = 64;
  return p;
}

DriveModel source() {
  DriveModel model;
  model.identity.name = "Quantum Atlas 10K";
  model.identity.serial = "S1234";
  model.identity.blocks = 100 * 4 * 30;
  model.identity.heads = 4;
  model.identity.cylinders = 100;
  model.provenance.method = "characterized";
  model.provenance.commands = 5000;
  model.provenance.notes = {"caches were off", "on /dev/disk/by-id/S1234"};
  model.rotation.numerator_ns = 60'000'000'000;
  model.rotation.denominator = 10025;
  model.rotation.period = measured(5985037.4, "ns");
  LayoutNode zone;
  zone.count = 100;
  zone.cylinder_step = 1;
  zone.angle_step_rev = 0.7;
  zone.children = {
      {.count = 4, .head_step = 1, .angle_step_rev = 0.1, .sectors = 30, .children = {}}};
  model.layout.zones = {zone};
  model.seek.points = {{1, 1.2, 0.01, 30}, {10, 2, 0.01, 30}, {99, 6, 0.02, 30}};
  model.seek.method = "mtbrc";
  model.head_switch = measured(0.8, "ms");
  model.overheads.read_completion = measured(0.2, "ms");
  model.cache.segments = measured(10, "");
  model.cache.segment_blocks = measured(374, "blocks");
  model.bus.write_block_transfer.reason = "not measured";
  model.validity.last_lbn = 11999;
  model.validity.reads = true;
  model.validity.max_blocks = 8;
  model.validity.demerits = {{"random", 5000, 9, 0.1, 1.1, 0.95}};
  return model;
}

DriveModel with(const std::vector<std::string>& texts, const DriveModel& model = source()) {
  std::vector<Change> changes;
  for (const std::string& text : texts) changes.push_back(parse_change(text));
  return derive(model, "drive.json", changes);
}

std::string derive_refusal(const std::string& text, const DriveModel& model = source()) {
  try {
    with({text}, model);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    return error.what();
  }
  return "not refused";
}

TEST_CASE("a change is a path, what to do, and a number that is taken exactly") {
  const Change set = parse_change("head_switch=150us");
  CHECK(set.path == "head_switch");
  CHECK(set.kind == Change::Kind::set);
  CHECK(set.number.value() == 150);
  CHECK(set.unit == "us");
  CHECK(parse_change("a=0.1 ms").unit == "ms");
  CHECK(parse_change("a=-0.25").number.value() == -0.25);
  CHECK(parse_change("a=x5").kind == Change::Kind::multiply);
  CHECK(parse_change("a=*1.5").kind == Change::Kind::multiply);
  const Change divide = parse_change("a=/12.5");
  CHECK(divide.kind == Change::Kind::divide);
  CHECK(divide.number.mantissa == 125);
  CHECK(divide.number.scale == 10);
  CHECK(parse_change("a=0.123456789012345").number.value() == 0.123456789012345);
  for (const char* text : {"",
                           "a",
                           "=5",
                           "a=",
                           "a=x",
                           "a=/",
                           "a=five",
                           "a=1.2.3",
                           "a=1e5",
                           "a=5 %",
                           "a=x-2",
                           "a=/0",
                           "a=/0.00",
                           "a=x5ms",
                           "a=1234567890123456",
                           "a=0.0000000000000001",
                           "a=+5",
                           "a=--5",
                           "a=nan",
                           "a=xx5"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_change(text), Error);
  }
}

TEST_CASE("rotation is changed as an exact ratio, by its period or in rpm") {
  const auto ratio = [](const char* text) {
    const Rotation rotation = with({text}).rotation;
    return std::pair(rotation.numerator_ns, rotation.denominator);
  };
  // 60e9 / 10025 = 2.4e9 / 401 in its lowest terms, which is what a changed ratio is in.
  const auto same = [&](const char* text, std::uint64_t numerator, std::uint64_t denominator) {
    INFO(text);
    const auto [n, d] = ratio(text);
    CHECK(static_cast<unsigned long long>(n) * denominator ==
          static_cast<unsigned long long>(numerator) * d);
  };
  same("rotation.rpm=x5", 60'000'000'000, 50125);
  same("rotation.rpm=*5", 60'000'000'000, 50125);
  same("rotation.period=/5", 60'000'000'000, 50125);
  same("rotation.rpm=/2.5", 150'000'000'000, 10025);
  same("rotation.period=x0.25", 15'000'000'000, 10025);
  same("rotation.rpm=7200", 60'000'000'000, 7200);
  same("rotation.rpm=7200.5 rpm", 600'000'000'000, 72005);
  same("rotation.period=4000000", 4'000'000, 1);
  same("rotation.period=4ms", 4'000'000, 1);
  same("rotation.period=0.0041s", 4'100'000, 1);
  const Parameter period = with({"rotation.rpm=x5"}).rotation.period;
  CHECK(*period.value == Approx(60e9 / 50125).epsilon(1e-15));
  CHECK(period.method == "derived");
  CHECK(!period.error);
  CHECK(period.samples == 0);
}

TEST_CASE("a parameter is set in any unit of its kind, or scaled; others keep what was measured") {
  const DriveModel model = with({"head_switch=/5", "overheads.read_completion=100us",
                                 "cache.segments=16", "cache.segment_blocks=x2",
                                 "bus.write_block_transfer=0.01"});
  CHECK(*model.head_switch.value == 0.8 / 5);
  CHECK(*model.overheads.read_completion.value == 0.1);
  CHECK(model.overheads.read_completion.unit == "ms");
  CHECK(*model.cache.segments.value == 16);
  CHECK(*model.cache.segment_blocks.value == 748);
  CHECK(model.cache.segment_blocks.unit == "blocks");
  CHECK(*model.bus.write_block_transfer.value == 0.01);
  CHECK(model.bus.write_block_transfer.unit == "ms");
  CHECK(model.bus.write_block_transfer.reason.empty());
  for (const Parameter* p :
       {&model.head_switch, &model.overheads.read_completion, &model.cache.segments}) {
    CHECK(p->method == "derived");
    CHECK(!p->error);
    CHECK(p->samples == 0);
  }
  CHECK(model.rotation.period.error == 0.01);
  CHECK(model.rotation.period.method == "mtbrc");
  CHECK(model.seek.method == "mtbrc");
  CHECK(*with({"head_switch=x2", "head_switch=x2"}).head_switch.value == 3.2);
}

TEST_CASE("every parameter that a model lists can be changed by its path") {
  for (const auto& [path, before] : parameters_of(source())) {
    INFO(path);
    const std::string value = path == "rotation.period"                  ? "4000000"
                              : path == "cache.adaptive_window_requests" ? "16"
                                                                         : "1";
    bool found = false;
    for (const auto& [same, after] : parameters_of(with({path + "=" + value}))) {
      if (same != path) continue;
      found = true;
      REQUIRE(after);
      CHECK(*after.value == std::stod(value));
      CHECK(after.method == "derived");
    }
    CHECK(found);
  }
}

TEST_CASE("the seek curve is scaled in time") {
  for (const char* text : {"seek=/4", "seek.time_ms=x0.25"}) {
    const DriveModel model = with({text});
    CHECK(model.seek.method == "derived");
    REQUIRE(model.seek.points.size() == 3);
    CHECK(model.seek.points[2].time_ms == 1.5);
    CHECK(model.seek.points[2].cylinders == 99);
    CHECK(!model.seek.points[2].error_ms);
    CHECK(model.seek.points[2].samples == 0);
  }
}

TEST_CASE("seeks outward and of writes are scaled with the others") {
  DriveModel model = source();
  model.outward_seek = model.write_seek = model.seek;
  model.write_seek->points[2].time_ms = 8;
  const DriveModel faster = with({"seek=/2"}, model);
  CHECK(faster.outward_seek->points[2].time_ms == 3);
  CHECK(faster.write_seek->points[2].time_ms == 4);
  const DriveModel farther = with({"seek.cylinders=x3"}, model);
  CHECK(farther.write_seek->points.back().cylinders == 297);
  CHECK(farther.write_seek->points.back().time_ms == 8);
}

TEST_CASE("a longer settle is in the seeks of writes, too") {
  DriveModel model = source();
  model.write_settle.value = 0.5;
  model.write_seek = model.seek;
  const DriveModel slower = with({"write_settle=x3"}, model);
  CHECK(slower.write_seek->points[2].time_ms == Approx(7));
  CHECK(slower.seek.points[2].time_ms == 6);
}

TEST_CASE("the seek curve is scaled in distance") {
  const Seek before = source().seek;
  const Seek farther = with({"seek.cylinders=x3"}).seek;
  for (const std::uint32_t distance : {1, 2, 10, 50, 99})
    CHECK(seek_time_ms(farther, 3 * distance) == Approx(seek_time_ms(before, distance)));
  CHECK(seek_time_ms(farther, 1) == 1.2);  // no seek is shorter than that over one cylinder was
  CHECK(seek_time_ms(farther, 2) == 1.2);
  const Seek nearer = with({"seek.cylinders=/3"}).seek;
  for (const SeekPoint& point : nearer.points)
    CHECK(point.time_ms == Approx(seek_time_ms(before, 3.0 * point.cylinders)));
  CHECK(nearer.points.front().cylinders == 1);
  CHECK(nearer.points.back().cylinders == 33);
  CHECK(with({"seek.cylinders=/200"}).seek.points.size() == 1);
}

TEST_CASE("a derived model says so everywhere") {
  const DriveModel model = with({"rotation.rpm=x5", "head_switch=/5"});
  CHECK(model.provenance.method == "derived");
  CHECK(model.provenance.source == "drive.json");
  CHECK(model.provenance.commands == 0);
  CHECK(model.provenance.date.empty());
  const std::vector<std::string>& notes = model.provenance.notes;
  REQUIRE(notes.size() == 4);
  CHECK(notes[0] ==
        "a hypothetical drive, derived from drive.json (characterized), never measured; "
        "changes in their order:");
  CHECK(notes[1] ==
        "rotation.rpm=x5: rotation.rpm was 10025 rpm, is 50125 rpm; angles and skews are "
        "what they were");
  CHECK(notes[2] == "head_switch=/5: head_switch was 0.8 ms, is 0.16 ms");
  CHECK(notes[3] == "of the source: caches were off");  // the other one tells whose drive it was
  CHECK(model.validity.demerits.empty());
  CHECK(!model.validity.reads);
  CHECK(model.validity.last_lbn == 0);
  CHECK(model.validity.note.starts_with("derived, not validated"));
  CHECK(model.identity.name == "hypothetical Quantum Atlas 10K");
  CHECK(model.identity.serial.starts_with("DERIVED-"));
  CHECK(model.identity.serial != with({"rotation.rpm=x6", "head_switch=/5"}).identity.serial);
  CHECK(with({"rotation.rpm=x5"}, model).identity.name == "hypothetical Quantum Atlas 10K");
  CHECK(derive(source(), "x", {parse_change("head_switch=1")}, "Fast").identity.name == "Fast");
}

TEST_CASE("standing goes with the name of a derived model only") {
  const DriveModel plain = source();
  CHECK(standing_of(plain.provenance, plain.validity).empty());
  CHECK(with_standing("A", plain.provenance, plain.validity) == "A");
  DriveModel model = with({"head_switch=1"});
  CHECK(with_standing("A", model.provenance, model.validity) == "A (derived, not validated)");
  model.validity.demerits = plain.validity.demerits;
  CHECK(with_standing("A", model.provenance, model.validity) == "A (derived)");
}

TEST_CASE("what cannot be changed so is refused in one sentence that holds the change") {
  const auto tells = [](const std::string& text, const std::string& words,
                        const DriveModel& model = source()) {
    const std::string sentence = derive_refusal(text, model);
    INFO(sentence);
    CHECK(sentence.starts_with(text + ": "));
    CHECK(sentence.find(words) != std::string::npos);
    CHECK(sentence.find('\n') == std::string::npos);
  };
  tells("rotation.speed=5", "rotation.speed");
  tells("cache=5", "nothing that can be changed");
  tells("identity.blocks=5", "nothing that can be changed");
  tells("head_switch=5furlongs", "furlongs is no time");
  tells("cache.segments=5ms", "plain number");
  tells("cache.segment_blocks=5ms", "is in blocks, not in ms");
  tells("rotation.rpm=5ms", "rpm");
  tells("rotation.period=5rpm", "is no time");
  tells("bus.write_block_transfer=x2", "has no value");
  tells("overheads.per_request=/2", "has no value");
  tells("rotation.rpm=0", "above 0");
  tells("rotation.rpm=-7200", "above 0");
  tells("rotation.rpm=x1000000", "rotation.period must be from");
  tells("rotation.rpm=10025.1234567891", "too many digits");
  tells("cache.segments=-1", "cache.segments must be from 0");
  tells("cache.segments=x0.33", "whole number");
  tells("cache.read_ahead=7", "cache.read_ahead must be");
  tells("head_switch=-1", "head_switch must be");
  tells("seek=5", "takes a factor");
  tells("seek.cylinders=5", "takes a factor");
  tells("seek.cylinders=x0", "above 0");
  tells("seek.cylinders=x999999999", "no drive has");
  tells("seek=x999999999", "seek.points");
  tells("identity.heads=0", "whole number from 1");
  tells("identity.heads=x1.3", "whole number from 1");
  tells("identity.heads=5ms", "plain number");
  DriveModel bare = source();
  bare.seek = {};
  bare.rotation = {};
  tells("seek=x2", "no seek curve", bare);
  tells("rotation.rpm=x2", "does not know", bare);
  CHECK(with({"rotation.rpm=5400"}, bare).rotation.denominator == 9);
}

TEST_CASE("any model that is valid can be derived from, and stays valid") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO(seed);
    const DriveModel model = with({"rotation.rpm=x5", "queue.depth=4"}, RandomModel(seed).make());
    const DriveModel back = from_json_text(to_json_text(model), "derived");
    CHECK(back.provenance.notes == model.provenance.notes);
    CHECK(back.rotation.numerator_ns == model.rotation.numerator_ns);
  }
}

}  // namespace
}  // namespace platter::model
