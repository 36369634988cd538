#include "extract/impossible_values.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>

#include "catch.h"
#include "model/fields.h"
#include "model/json.h"
#include "model/known.h"
#include "model/parameters.h"
#include "model/validate.h"
#include "virtual_drive/catalogue.h"

using namespace platter;

namespace {

model::Parameter ms(double value, double error) {
  model::Parameter result;
  result.value = value;
  result.error = error;
  result.unit = "ms";
  return result;
}

}  // namespace

TEST_CASE("what cannot be is said in words, and stays as measured") {
  model::DriveModel model;
  model.overheads.read_miss_after_read = ms(0.2, 0.004);
  model.write_settle = ms(-0.3, 0.01);  // overlaps: may be
  model.seek.points = {{1, 1.20, 0.01, 20}, {2, 1.19, 0.01, 20}, {3, 1.5, 0.01, 20}};
  CHECK(extract::impossible_values(model).empty());

  model.overheads.read_miss_after_read = ms(-0.003, 0.004);
  model.overheads.write_miss_after_read = ms(-0.1, 0.004);
  model.seek.points.push_back({50, 1.2, 0.01, 20});
  const auto notes = extract::impossible_values(model);
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].text().find("overheads.read_miss_after_read came out as -0.0030 +- 0.0040 ms") ==
        0);
  CHECK(notes[0].text().find("too short to be measured") != std::string::npos);
  CHECK(notes[1].text().find("overlaps with what was taken off") != std::string::npos);
  CHECK(notes[2].text().find(
            "a seek over 50 cylinders took 1.200 ms, 0.300 ms less than one over 3") == 0);
  CHECK(*model.overheads.write_miss_after_read.value == -0.1);
}

namespace {

using Random = std::mt19937_64;

double nonsense(Random& random) {
  constexpr double kValues[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                -0.0309,
                                -1e9,
                                1e300,
                                0.5,
                                0,
                                4294967296.0,
                                3};
  return kValues[random() % std::size(kValues)];
}

// Every number of a model, and the words that may not be any: what to call to damage each.
class Numbers {
 public:
  using Damage = std::function<void(Random&)>;
  std::vector<Damage> all;

  void required(const char*, auto& member) { add(member); }
  void usual(const char*, auto& member) { add(member); }
  void compact(const char*, auto& member, const auto&) { add(member); }
  void informative(const char*, const auto&) {}

 private:
  template <class T>
  void add(T& member) {
    using model::visit_fields;
    if constexpr (std::is_same_v<T, bool>) {
    } else if constexpr (std::is_same_v<T, std::string>) {
      all.push_back([&member](Random&) { member = "nonsense"; });
    } else if constexpr (std::is_floating_point_v<T>) {
      all.push_back([&member](Random& random) { member = nonsense(random); });
    } else if constexpr (std::is_integral_v<T>) {
      all.push_back([&member](Random& random) {
        constexpr T kMost = std::numeric_limits<T>::max();
        const T values[] = {0, 1, kMost, static_cast<T>(kMost / 2 + 1), static_cast<T>(random())};
        member = values[random() % std::size(values)];
      });
    } else if constexpr (std::is_same_v<T, model::Parameter>) {
      all.push_back([&member](Random& random) {
        if (random() % 3 == 0)
          member.error = nonsense(random);
        else
          member.value = nonsense(random);
      });
    } else if constexpr (requires { member.has_value(); }) {
      if (member) add(*member);
    } else if constexpr (requires { member.push_back(member[0]); }) {
      for (auto& element : member) add(element);
      if constexpr (requires { visit_fields(member[0], *this); }) {
        if (!member.empty())
          all.push_back(
              [&member](Random& random) { member.push_back(member[random() % member.size()]); });
        all.push_back([&member](Random&) { member.clear(); });
      }
    } else {
      visit_fields(member, *this);
    }
  }
};

model::DriveModel catalogue_drive(const std::string& name) {
  return virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue(name));
}

// With everything that a characterization may tell.
model::DriveModel full_model() {
  model::DriveModel model = catalogue_drive("hp-c2247");
  model.outward_seek = model.write_seek = model.seek;
  model.delay_spread.emplace().quantiles = {{0, -0.1}, {0.5, 0}, {1, 2}};
  model.cache.freedoms = {{"RCD", true, "seen", "it did"}, {"WCE", true, "none", ""}};
  model.provenance.stages = {{"warm-up", 1, 10}, {"rotation", 2, 20}};
  model.validity.demerits = {{"random", 400, 5, 0.1, 2, 0.9, 1}, {"mixed", 400, 5, 0.1, 2, 0.9, 1}};
  model.layout.not_understood = {{5, 9, "odd"}, {20, 30, "odd"}};
  return model;
}

}  // namespace

TEST_CASE("a head switch below zero is absent with its reason, and nothing else is touched") {
  model::DriveModel model = full_model();
  REQUIRE(extract::take_out_what_cannot_be(model).empty());
  const std::string before = model::to_json_text(model);
  const model::Parameter usual = model.head_switch, segments = model.cache.segments;
  model.head_switch = ms(-0.0309, 0.01);
  const auto notes = extract::take_out_what_cannot_be(model);
  REQUIRE(notes.size() == 1);
  CHECK(
      notes[0].text() ==
      "head_switch was measured as -0.0309 +- 0.01 ms, below zero: it is too short to be measured");
  CHECK_FALSE(model.head_switch.value);
  CHECK_FALSE(model.head_switch.error);
  CHECK(model.head_switch.unit == "ms");
  CHECK(model.head_switch.reason ==
        "measured as -0.0309 +- 0.01 ms, below zero: it is too short to be measured");
  model.cache.segments.value = 2.5;
  CHECK(extract::take_out_what_cannot_be(model).at(0).text() ==
        "cache.segments was measured as 2.5, which cannot be: it must be a whole number");
  model.cache.segments = segments;
  model.head_switch = usual;
  CHECK(model::to_json_text(model) == before);
}

TEST_CASE("a bound that cannot be goes, and the reason stays") {
  model::DriveModel model = full_model();
  model.cache.read_ahead_streams = model::at_least(24, "more could not be tried");
  CHECK(extract::take_out_what_cannot_be(model).size() == 1);
  CHECK_FALSE(model.cache.read_ahead_streams.at_least);
  CHECK(model.cache.read_ahead_streams.reason == "more could not be tried");
}

TEST_CASE(
    "of a curve only the points go that cannot be; of a map that contradicts itself, all of it") {
  model::DriveModel model = full_model();
  const std::size_t points = model.seek.points.size();
  model.seek.points[2].time_ms = model.seek.points[3].time_ms = -1;
  model.write_seek->points.clear();
  auto notes = extract::take_out_what_cannot_be(model);
  CHECK(notes.size() == 3);
  CHECK(model.seek.points.size() == points - 2);
  CHECK_FALSE(model.write_seek);
  CHECK(model.outward_seek->points.size() == points);
  model.layout.zones[0].angle_rev = std::numeric_limits<double>::quiet_NaN();
  notes = extract::take_out_what_cannot_be(model);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].text().find("layout.zones[0].angle_rev must be a sensible number") == 0);
  CHECK(model.layout.zones.empty());
  CHECK(model.layout.reason.find("layout.zones[0].angle_rev") == 0);
  CHECK(model.seek.points.size() == points - 2);
}

TEST_CASE("a bound or a guess that cannot be is taken out with a note, once") {
  for (const bool bound : {true, false}) {
    model::DriveModel model = full_model();
    model::Parameter& streams = model.cache.read_ahead_streams;
    streams = model::absent("more could not be tried");
    if (bound)
      streams.at_least = 1e6;
    else
      streams.guesses = {{1e6, 2.0, "nobody"}};
    const model::Notes notes = extract::take_out_what_cannot_be(model);
    CHECK(notes.size() == 1);
    CHECK_FALSE(streams.at_least);
    CHECK(streams.guesses.empty());
    CHECK(streams.reason == "more could not be tried");
  }
}

TEST_CASE("property: whatever is damaged in a model, what is left can be written and read") {
  const std::vector<model::DriveModel> models = {
      full_model(), catalogue_drive("seagate-cheetah9lp"), catalogue_drive("many-defects"),
      catalogue_drive("sat-disk")};
  Random random(20);
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    INFO("round " << round);
    // Large maps take long to walk; most rounds are of the small model.
    model::DriveModel model = round % 10 == 0 ? models[random() % models.size()] : models[0];
    for (std::uint64_t damages = 1 + random() % 3; damages > 0; --damages) {
      Numbers numbers;
      visit_fields(model, numbers);
      numbers.all[random() % numbers.all.size()](random);
    }
    const auto notes = extract::take_out_what_cannot_be(model);
    refused += notes.empty() ? 0 : 1;
    REQUIRE_NOTHROW(model::from_json_text(model::to_json_text(model), "what is left"));
  }
  CHECK(refused > 500);
}
