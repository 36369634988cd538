// Each rule refuses, or remarks on, a model made to break it: at its boundary, and not the
// neighbour within its tolerance.
#include "registry/plausibility.h"

#include <vector>

#include "catch.h"
#include "model/error.h"
#include "registry/pull.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

using Names = std::vector<std::string>;

Names broken_by(const model::DriveModel& model, const Evidence& evidence = {}) {
  Names names;
  for (const Objection& objection : objections_to(model, evidence)) names.push_back(objection.rule);
  return names;
}

// 4000 blocks, 7200 rpm, 1.25 ms to the next cylinder and 8.5 ms over 19.
model::DriveModel sound() { return small_model("S1"); }

TEST_CASE("a sound model breaks no rule") {
  CHECK(broken_by(sound()).empty());
  CHECK(remarks_on(sound()).empty());
}

TEST_CASE("seek-order: the full stroke lasts as long as the shortest seek, within their errors") {
  model::DriveModel model = sound();
  const auto with = [&](double full_ms, std::optional<double> error_ms) {
    model.seek.points = {{1, 1.25, error_ms, 9}, {19, full_ms, error_ms, 9}};
    return broken_by(model);
  };
  CHECK(with(0.01, {}) == Names{"seek-order"});
  CHECK(with(1.249, {}) == Names{"seek-order"});
  CHECK(with(1.25, {}).empty());
  CHECK(with(1.2, 0.01) == Names{"seek-order"});  // 0.05 of 3 x 0.01414
  CHECK(with(1.21, 0.01).empty());
  model = sound();
  model.outward_seek.emplace().points = {{1, 2, {}, 0}, {19, 1, {}, 0}};
  CHECK(broken_by(model) == Names{"seek-order"});
  model = sound();
  model.write_seek.emplace().points = {{1, 2, {}, 0}, {19, 1, {}, 0}};
  CHECK(broken_by(model) == Names{"seek-order"});
}

TEST_CASE("seek-positive: no seek takes no time") {
  for (const double time_ms : {0.0, 1e-6}) {
    model::DriveModel model = sound();
    model.seek.points.front().time_ms = time_ms;
    CHECK(broken_by(model) == (time_ms > 0 ? Names{} : Names{"seek-positive"}));
  }
}

TEST_CASE("rotation-agrees: the period, the speed for people, and the exact ratio") {
  model::DriveModel model = sound();  // 8333333.33 ns
  const auto with = [&](double period_ns, std::optional<double> error_ns) {
    model.rotation.period.value = period_ns;
    model.rotation.period.error = error_ns;
    return broken_by(model);
  };
  CHECK(with(8333333, {}).empty());  // whole nanoseconds
  CHECK(with(8333334, {}) == Names{"rotation-agrees"});
  CHECK(with(8333335, 0.5).empty());  // 1.67 of 0.5 + 1.5
  CHECK(with(8333336, 0.5) == Names{"rotation-agrees"});
  model = sound();
  CHECK(broken_by(model, {.stated_rpm = 7200, .delay = {}}).empty());
  CHECK(broken_by(model, {.stated_rpm = 7200.4, .delay = {}}).empty());
  CHECK(broken_by(model, {.stated_rpm = 7201, .delay = {}}) == Names{"rotation-agrees"});
  model.rotation = {};  // not known
  CHECK(broken_by(model, {.stated_rpm = 7201, .delay = {}}).empty());
}

TEST_CASE("capacity: of a map that the drive itself told, and of no other") {
  model::DriveModel model = sound();
  model.layout.method = "address translation";
  CHECK(broken_by(model).empty());
  model.identity.blocks = 3999;
  CHECK(broken_by(model) == Names{"capacity"});
  model.layout.skips = {{77, 1, 1, 0}};
  CHECK(broken_by(model).empty());
  model.layout.skips.clear();
  SECTION("a stretch was not understood") { model.layout.not_understood = {{0, 9, "odd"}}; }
  SECTION("by timing") { model.layout.timed = model::TimedMap{}; }
  SECTION("imported") { model.layout.method = "imported"; }
  SECTION("of a drive that is not") { model.provenance.method = "derived"; }
  CHECK(broken_by(model).empty());
}

TEST_CASE("half-revolution: within three errors of the samples' mean") {
  const model::DriveModel model = sound();  // half: 4166666.67 ns
  const auto with = [&](double mean_ns) {
    return broken_by(model, {.stated_rpm = {}, .delay = RotationalDelay{mean_ns, 10'000, 400}});
  };
  CHECK(with(4'196'000).empty());
  CHECK(with(4'197'000) == Names{"half-revolution"});
  CHECK(with(4'137'000).empty());
  CHECK(with(4'136'000) == Names{"half-revolution"});
  CHECK(broken_by(model).empty());
}

TEST_CASE("what is unusual is remarked on") {
  model::DriveModel model = sound();
  const auto at_rpm = [&](std::uint64_t rpm) {
    model.rotation = {60'000'000'000, rpm, {}};
    return remarks_on(model);
  };
  CHECK(at_rpm(3000).empty());
  CHECK(at_rpm(2999) == Names{"period-unusual"});
  CHECK(at_rpm(15600).empty());
  CHECK(at_rpm(15601) == Names{"period-unusual"});

  model = sound();
  model.seek.points = {{1, 1, {}, 0}, {10, 10.49, {}, 0}, {19, 10, {}, 0}};
  CHECK(remarks_on(model).empty());
  model.seek.points[1].time_ms = 10.51;
  CHECK(remarks_on(model) == Names{"seek-falls"});

  model = sound();  // a block passes in 83.3 us
  model.bus.block_transfer.value = 0.0833;
  CHECK(remarks_on(model).empty());
  model.bus.block_transfer.value = 0.0834;
  CHECK(remarks_on(model) == Names{"bus-slower-than-media"});
  model.bus.block_transfer.error = 0.0001;
  CHECK(remarks_on(model).empty());
}

TEST_CASE("publish refuses, says how it is forced, and records that") {
  const RegistryFolder folder;
  model::DriveModel model = sound();
  model.seek.points.back().time_ms = 0.01;
  CHECK_THROWS_WITH(folder.publish(model),
                    Catch::Contains("model.json: seek takes 0.01 ms over 19 cylinders") &&
                        Catch::Contains("--force seek-order"));
  CHECK_FALSE(std::filesystem::exists(folder.store().folder()));
  CHECK_THROWS_WITH(folder.publish(model, {.files = {}, .forced = {"capacity"}}),
                    Catch::Contains("--force seek-order"));
  CHECK_THROWS_WITH(folder.publish(model, {.files = {}, .forced = {"luck"}}),
                    Catch::Contains("--force luck") && Catch::Contains("half-revolution"));
  const Publication published = folder.publish(
      model, {.files = {}, .hide_serial = false, .forced = {"capacity", "seek-order"}});
  const Contents contents = open(find(folder.store(), published.reference));
  CHECK(contents.manifest.annotations.at("vnd.platter.forced") == "seek-order");
  CHECK(contents.manifest.annotations.at("vnd.platter.remarks") == "seek-falls");
  CHECK(published.remarks == Names{"seek-falls"});
}

TEST_CASE("the speed that the file states for people is held against its ratio") {
  const RegistryFolder folder;
  const std::string path = folder.write(sound());
  folder.change(path, "\"rpm\": 7200", "\"rpm\": 7300");
  CHECK_THROWS_WITH(publish(folder.store(), path), Catch::Contains("rotation.rpm is 7300"));
}

}  // namespace
}  // namespace platter::registry
