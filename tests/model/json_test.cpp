#include "model/json.h"

#include <cstring>

#include "catch.h"
#include "model/error.h"
#include "random_model.h"

namespace platter::model {
namespace {

// What two structs hold, compared bit by bit: every field is walked, doubles by their bits.
struct Flat {
  std::string bytes;

  void add(double value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof raw);
  }
  void add(std::integral auto value) { bytes += std::to_string(value) + ","; }
  void add(const std::string& value) { bytes += std::to_string(value.size()) + ":" + value; }
  template <typename T>
  void add(const std::optional<T>& value) {
    bytes += value ? "+" : "-";
    if (value) add(*value);
  }
  template <typename T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  void add(const Parameter& p) {
    add(p.value);
    add(p.unit);
    add(p.error);
    add(p.method);
    add(p.samples);
    add(p.reason);
  }
  template <typename T>
  requires std::is_class_v<T>
  void add(const T& value) { visit_fields(value, *this); }
  void required(const char*, const auto& member) { add(member); }
  void usual(const char*, const auto& member) { add(member); }
  void compact(const char*, const auto& member, const auto&) { add(member); }
  void informative(const char*, const auto&) {}
};

std::string flat(const DriveModel& model) {
  Flat result;
  result.add(model);
  return result.bytes;
}

std::string with_one_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  try {
    from_json_text(text, "drive.json");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "accepted";
}

DriveModel small_model() {
  DriveModel model;
  model.identity.blocks = 40;
  model.identity.heads = 2;
  model.identity.cylinders = 2;
  model.provenance.method = "catalogue";
  model.rotation.numerator_ns = 60'000'000'000;
  model.rotation.denominator = 7200;
  LayoutNode zone, tracks;
  tracks.count = 2;
  tracks.head_step = 1;
  tracks.sectors = 10;
  zone.count = 2;
  zone.cylinder_step = 1;
  zone.children = {tracks};
  model.layout.zones = {zone};
  model.seek.points = {{1, 1.0, std::nullopt, 0}, {2, 1.5, 0.01, 3}};
  return model;
}

TEST_CASE("a model survives its JSON exactly") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const DriveModel model = RandomModel(seed).make();
    const std::string text = to_json_text(model);
    INFO("seed " << seed);
    CHECK(flat(from_json_text(text, "random")) == flat(model));
    CHECK(to_json_text(from_json_text(text, "random")) == text);
  }
}

TEST_CASE("the document begins with schema and version, layout nodes are compact") {
  const std::string text = to_json_text(small_model());
  CHECK(text.find("{\n  \"schema\": {\"name\": \"platter-model\", \"version\": \"1.1\"},\n  "
                  "\"platter\": \"") == 0);
  CHECK(text.find(
            "{\"count\": 2, \"cylinder_step\": 1, \"children\": [{\"count\": 2, \"head_step\": 1, "
            "\"sectors\": 10}]}") != std::string::npos);
  CHECK(text.find("\"rpm\": 7200.0") != std::string::npos);
  CHECK(text.find("head_switch") == std::string::npos);  // neither a value nor a reason
}

TEST_CASE("a parameter without a value keeps its reason") {
  DriveModel model = small_model();
  model.head_switch.reason = "one head only";
  const std::string text = to_json_text(model);
  CHECK(text.find("\"head_switch\": {\"value\": null, \"reason\": \"one head only\"}") !=
        std::string::npos);
  CHECK(from_json_text(text, "x").head_switch.reason == "one head only");
}

TEST_CASE("what is no model is refused with its file and place") {
  const std::string good = to_json_text(small_model());
  REQUIRE(refusal(good) == "accepted");
  CHECK(refusal("") == "drive.json: is not valid JSON (line 1); a model file is needed");
  CHECK(refusal(good.substr(0, good.size() / 2)).find("is not valid JSON (line ") !=
        std::string::npos);
  CHECK(refusal("[1, 2]") == "drive.json: is JSON but no drive model: an object is needed");
  CHECK(refusal("{}").find("schema.name is not \"platter-model\"") != std::string::npos);
  CHECK(refusal(with_one_replaced(good, "\"1.1\"", "\"2.0\"")) ==
        "drive.json: is a model of schema version 2.0, this program reads version 1.x; take a "
        "platter of its time");
  CHECK(refusal(with_one_replaced(good, "\"1.1\"", "1")) ==
        "drive.json: schema.version must be a text of the form \"1.0\"");
  CHECK(refusal(with_one_replaced(good, "\"block_bytes\": 512", "\"block_bytes\": \"512\"")) ==
        "drive.json: identity.block_bytes must be a whole number from 0 to 4294967295");
  CHECK(refusal(with_one_replaced(good, "\"block_bytes\": 512", "\"block_bytes\": -1"))
            .find("whole number") != std::string::npos);
  CHECK(refusal(with_one_replaced(good, "\"blocks\": 40,", "")) ==
        "drive.json: identity.blocks is missing");
  CHECK(refusal(with_one_replaced(good, "\"blocks\": 40,", "\"blocks\": 40, \"blocks\": 40,")) ==
        "drive.json: has the member \"blocks\" twice in one object");
  CHECK(refusal(with_one_replaced(good, "\"head_step\"", "\"heads_step\"")) ==
        "drive.json: layout.zones[0].children[0].heads_step is not a member that a model has; "
        "remove it or "
        "correct its name");
  CHECK(refusal(with_one_replaced(good, "\"time_ms\": 1.5", "\"time_ms\": 1e999"))
            .find("too large") != std::string::npos);
}

TEST_CASE("a newer minor version may have members of its own") {
  std::string text = to_json_text(small_model());
  text = with_one_replaced(text, "\"1.1\"", "\"1.7\"");
  text = with_one_replaced(text, "\"blocks\": 40,", "\"blocks\": 40, \"colour\": [1],");
  text = with_one_replaced(text, "\"head_step\": 1,", "\"head_step\": 1, \"warp\": {},");
  const DriveModel model = from_json_text(text, "x");
  CHECK(model.identity.blocks == 40);
  CHECK(model.passed_over.members ==
        std::set<std::string>{"identity.colour", "layout.zones[].children[].warp"});
  CHECK(text_of(model.passed_over.version) == "1.7");
}

TEST_CASE("a model that was not understood whole is not written again") {
  const std::string text = with_one_replaced(to_json_text(small_model()), "\"1.1\"", "\"1.7\"");
  CHECK(to_json_text(from_json_text(text, "x")) == to_json_text(small_model()));
  const DriveModel model = from_json_text(
      with_one_replaced(text, "\"blocks\": 40,", "\"blocks\": 40, \"colour\": [1],"), "drive.json");
  CHECK_THROWS_WITH(
      to_json_text(model),
      "drive.json is of model format 1.7, newer than this platter's 1.1, and its "
      "members identity.colour would be lost in what is written of it; take a platter "
      "of its time");
  CHECK(known_json_text(model) == to_json_text(small_model()));
}

TEST_CASE("models that make no sense are refused") {
  const auto why = [](auto change) {
    DriveModel model = small_model();
    change(model);
    try {
      validate(model, "m");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(why([](DriveModel&) {}) == "accepted");
  CHECK(why([](DriveModel& m) { m.identity.blocks = 41; }) ==
        "m: identity.blocks is 41, more than the 40 blocks that the layout maps");
  CHECK(why([](DriveModel& m) { m.layout.zones[0].children[0].sectors = 0; }) ==
        "m: layout.zones[0].children[0] must have either sectors (a track) or children (nested "
        "repeats)");
  CHECK(why([](DriveModel& m) {
          m.disksim = {{"Never disconnect", 1}, {"Never disconnect", 0}};
        }) == "m: disksim[1].name is there twice; leave one of them out");
  CHECK(why([](DriveModel& m) { m.layout.zones[0].count = 0; }) ==
        "m: layout.zones[0].count must not be 0");
  CHECK(why([](DriveModel& m) { m.layout.zones[0].cylinder = -1; }).find("has cylinders outside") !=
        std::string::npos);
  CHECK(why([](DriveModel& m) {
          m.layout.zones[0].children[0].head_step = -1;
        }).find("has heads outside") != std::string::npos);
  CHECK(why([](DriveModel& m) {
          m.layout.skips = {{39, 2, 1, 0}};
        }) == "m: layout.skips[0] reaches past the last slot");
  CHECK(why([](DriveModel& m) {
          m.layout.skips = {{4, 1, 1ULL << 63, 1ULL << 63}};
        }) == "m: layout.skips[0] reaches past the last slot");
  CHECK(why([](DriveModel& m) {
          m.layout.zones.back() = {
              .count = 1 << 20, .cylinder_step = 1, .sectors = 1 << 10, .children = {}};
          m.layout.skips = {{10'000, 1, kMostSkips / 2, 2}, {500'000'000, 1, kMostSkips, 2}};
        }) == "m: layout.skips[1] is too long: all skips together may be 67108864 runs of slots");
  CHECK(why([](DriveModel& m) {
          m.layout.skips = {{4, 3, 2, 2}};
        }).find("stride below its length") != std::string::npos);
  CHECK(why([](DriveModel& m) {
          m.identity.blocks = 30;
          m.layout.skips = {{4, 1, 2, 5}, {8, 1, 1, 0}};
        }).find("layout.skips[1] begins before") != std::string::npos);
  CHECK(why([](DriveModel& m) {
          m.layout.remaps = {{3, 39}};
        }).find("must be a spare slot") != std::string::npos);
  CHECK(why([](DriveModel& m) { m.seek.points[1].cylinders = 1; }).find("ascending order") !=
        std::string::npos);
  CHECK(why([](DriveModel& m) { m.rotation.denominator = 0; }) ==
        "m: rotation.denominator must not be 0");
  CHECK(why([](DriveModel& m) {
          m.cache.segments.value = 1e9;
        }).find("cache.segments must be from 0") != std::string::npos);
  CHECK(why([](DriveModel& m) { m.cache.read_enabled.value = 0.5; }) ==
        "m: cache.read_enabled must be a whole number");
  CHECK(why([](DriveModel& m) { m.cache.segments.value = 16385; }) ==
        "m: cache.segments must be from 0 to 16384, not 16385");
  CHECK(why([](DriveModel& m) { m.cache.destage_behind.value = 2; }) ==
        "m: cache.destage_behind must be from 0 to 1, not 2");
  CHECK(why([](DriveModel& m) { m.cache.destage_order.value = 2; }) ==
        "m: cache.destage_order must be from 0 to 1, not 2");
  CHECK(why([](DriveModel& m) { m.cache.read_ahead_over_requested.value = -2; }) ==
        "m: cache.read_ahead_over_requested must be from -1 to 1, not -2");
  CHECK(why([](DriveModel& m) {
          m.cache.segments.value = 3;
          m.cache.write_segments.value = 4;
        }) == "m: cache.write_segments is 4, more than the 3 of cache.segments");
  CHECK(why([](DriveModel& m) {
          m.cache.segments.value = 3;
          m.cache.adaptive_min_segments.value = 4;
        }) == "m: cache.adaptive_min_segments is 4, more than the 3 of cache.segments");
  CHECK(why([](DriveModel& m) { m.cache.adaptive_window_requests.value = 3; }) ==
        "m: cache.adaptive_window_requests must be from 4 to 1024, not 3");
  CHECK(why([](DriveModel& m) { m.cache.adaptive_window_requests.value = 1025; }) ==
        "m: cache.adaptive_window_requests must be from 4 to 1024, not 1025");
  CHECK(why([](DriveModel& m) { m.cache.adaptive_window_requests.value = 32.5; }) ==
        "m: cache.adaptive_window_requests must be a whole number");
  CHECK(why([](DriveModel& m) {
          m.overheads.per_request.value = std::nan("");
        }).find("overheads.per_request") != std::string::npos);
  CHECK(why([](DriveModel& m) { m.validity.last_lbn = 40; }).find("validity.last_lbn") !=
        std::string::npos);
  const auto with_hits_agreed = [&](double share) {
    return why([&](DriveModel& m) {
      m.validity.demerits = {{.workload = "mixed", .hits_agreed_share = share}};
    });
  };
  CHECK(with_hits_agreed(1).find("validity.demerits") == std::string::npos);
  CHECK(with_hits_agreed(7).find("validity.demerits[0]") != std::string::npos);
  const auto with_quantiles = [&](std::vector<DelayQuantile> quantiles) {
    return why(
        [&](DriveModel& m) { m.delay_spread = DelaySpread{.quantiles = std::move(quantiles)}; });
  };
  CHECK(with_quantiles({{0, -0.01}, {0.5, 0}, {1, 0.05}}) == "accepted");
  CHECK(with_quantiles({{0, 0}, {1, 0}}) == "accepted");
  CHECK(with_quantiles({}).find("from share 0 to share 1") != std::string::npos);
  CHECK(with_quantiles({{0, -0.01}, {0.9, 0.05}}).find("from share 0 to share 1") !=
        std::string::npos);
  CHECK(with_quantiles({{0, 0.01}, {1, 0.05}}).find("the median") != std::string::npos);
  CHECK(with_quantiles({{0, -0.05}, {1, -0.01}}).find("the median") != std::string::npos);
  CHECK(with_quantiles({{0, -0.01}, {0.5, -0.02}, {1, 0.05}}).find("quantiles[1].ms") !=
        std::string::npos);
  CHECK(with_quantiles({{0, -0.01}, {0.5, 0}, {0.5, 0.01}, {1, 0.05}}).find("quantiles[2].share") !=
        std::string::npos);
  CHECK(with_quantiles({{0, -0.01}, {0.5, std::nan("")}, {1, 0.05}}).find("quantiles[1].ms") !=
        std::string::npos);
  CHECK(with_quantiles({{0, -0.01}, {std::nan(""), 0}, {1, 0.05}}).find("quantiles[1].share") !=
        std::string::npos);
  CHECK(with_quantiles({{0, -0.01}, {1, 1e12}}).find("quantiles[1].ms") != std::string::npos);
  const auto with_share = [&](KernelShare share) {
    return why([&](DriveModel& m) { m.kernel_share = share; });
  };
  CHECK(with_share({0.01, 0.04, 0.05, 0.2, 224}) == "accepted");
  CHECK(with_share({0.01, 0.009, 0.05, 0.2}).find("kernel_share.above_p99_ms") !=
        std::string::npos);
  CHECK(with_share({0.01, 0.04, -1, 0.2}).find("kernel_share.behind_p99_ms") != std::string::npos);
  CHECK(with_share({0.01, 1e12, 0.05, 0.2}).find("kernel_share.above_p99_ms") != std::string::npos);
  CHECK(with_share({0.01, 0.04, std::nan(""), 0.2}).find("kernel_share.behind") !=
        std::string::npos);
}

TEST_CASE("arms that do not reach all blocks, each once, are refused") {
  const auto why = [](auto change) -> std::string {
    DriveModel model = small_model();
    change(model);
    try {
      validate(model, "m");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::uint64_t last = count_blocks(small_model().layout) - 1;
  const auto with_ranges = [&](std::vector<ArmRange> ranges) {
    return why([&](DriveModel& m) { m.arms = Arms{.ranges = std::move(ranges)}; });
  };
  CHECK(with_ranges({{0, 3, 0}, {4, last, 1}}) == "accepted");
  CHECK(with_ranges({{0, 3, 1}, {4, 5, 0}, {6, last, 1}}) == "accepted");
  CHECK(with_ranges({{0, last, 0}}).find("arms.ranges") != std::string::npos);
  CHECK(with_ranges({{0, 3, 0}, {5, last, 1}}).find("arms.ranges[1].first_lbn") !=
        std::string::npos);
  CHECK(with_ranges({{0, 3, 0}, {4, 2, 1}}).find("arms.ranges[1].last_lbn") != std::string::npos);
  CHECK(with_ranges({{0, 3, 0}, {4, last, 4}}).find("arms.ranges[1].arm") != std::string::npos);
  CHECK(with_ranges({{0, 3, 0}, {4, last, 0}}).find("two arms") != std::string::npos);
  CHECK(with_ranges({{0, 3, 0}, {4, last, 2}}).find("two arms") != std::string::npos);
  CHECK(with_ranges({{0, 3, 0}, {4, last + 1, 1}}).find("last block") != std::string::npos);
  CHECK(with_ranges({{0, 3, 0}, {4, last - 1, 1}}).find("last block") != std::string::npos);
}

TEST_CASE("repeats that would be huge are refused without being walked") {
  DriveModel model = small_model();
  LayoutNode node = model.layout.zones[0];
  for (int level = 0; level < 6; ++level) {
    LayoutNode outer;
    outer.count = 0xFFFFFFFF;
    outer.cylinder_step = 0x7FFFFFFF;
    outer.children = {node};
    node = outer;
  }
  model.layout.zones = {node};
  CHECK_THROWS_AS(validate(model, "m"), Error);

  std::string deep = to_json_text(small_model());
  std::string open = "{\"children\": [", close = "]}";
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += open;
  nested += "{\"sectors\": 10}";
  for (int i = 0; i < 20000; ++i) nested += close;
  CHECK(
      refusal(with_one_replaced(deep, "{\"count\": 2, \"head_step\": 1, \"sectors\": 10}", nested))
          .find("is nested too deeply") != std::string::npos);
}

}  // namespace
}  // namespace platter::model
