// Figures that are guessed, bounded or unknown: in a model's file, in diff, and what acts for them.
#include "model/known.h"

#include <limits>

#include "catch.h"
#include "model/diff.h"
#include "model/error.h"
#include "model/fields.h"
#include "model/json.h"
#include "model/parameters.h"
#include "model/stand_ins.h"
#include "random_model.h"

namespace platter::model {
namespace {

DriveModel plain() {
  DriveModel model;
  model.provenance.method = "characterized";
  return model;
}

Parameter measured(double value, double error) {
  Parameter p;
  p.value = value;
  p.error = error;
  return p;
}

const Difference* difference_at(const std::vector<Difference>& list, const std::string& path) {
  for (const Difference& one : list)
    if (one.path == path) return &one;
  return nullptr;
}

std::string refused(const std::string& text) {
  try {
    from_json_text(text, "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("bounds and guesses go into a model's file and come back") {
  DriveModel model = plain();
  model.cache.segment_blocks = at_least(4095, "nothing larger was tried", "blocks");
  add_guess(model.cache.segment_blocks, {8192, std::nullopt, "mode page 08h"});
  model.cache.destage_idle = at_least(3.5, "no pause was long enough", "ms");
  model.cache.destage_idle.at_most = 9;
  const std::string text = to_json_text(model);
  const DriveModel again = from_json_text(text, "m.json");
  CHECK(to_json_text(again) == text);
  CHECK(again.cache.segment_blocks.at_least == 4095);
  CHECK(again.cache.segment_blocks.guesses == model.cache.segment_blocks.guesses);
  CHECK(known(again.cache.segment_blocks) == Known::guessed);
  CHECK(known(again.cache.destage_idle) == Known::bounded);
  CHECK(known_instead(again.cache.destage_idle) == "from 3.5 to 9 ms");
  CHECK(known_instead(again.cache.segment_blocks) ==
        "probably 8192 blocks (mode page 08h), at least 4095 blocks");
}

TEST_CASE("a figure is one of four") {
  DriveModel model = plain();
  model.cache.segment_blocks = at_least(4095, "nothing larger was tried", "blocks");
  const std::string text = to_json_text(model);
  CHECK(refused(with_replaced(text, "\"value\": null", "\"value\": 5000")).find("leave out one") !=
        std::string::npos);
  CHECK(
      refused(with_replaced(text, "\"at_least\": 4095.0", "\"at_least\": 4095.5")).find("bound") !=
      std::string::npos);
  CHECK(refused(with_replaced(text, "\"at_least\": 4095.0", "\"at_least\": 9, \"at_most\": 8"))
            .find("at least more than") != std::string::npos);
  for (const char* guess :
       {"{\"value\": 4000, \"witness\": \"a page\"}", "{\"value\": 5000, \"witness\": \"\"}",
        "{\"value\": 5000, \"witness\": \"a page\", \"probability\": 1.5}",
        "{\"value\": 5000.5, \"witness\": \"a page\"}", "{\"value\": 5000}"})
    CHECK(!refused(with_replaced(text, "\"at_least\": 4095.0",
                                 std::string("\"at_least\": 4095.0, \"guesses\": [") + guess + "]"))
               .empty());
  // A guess that the bounds exclude is none.
  add_guess(model.cache.segment_blocks, {4000, std::nullopt, "mode page 08h"});
  CHECK(model.cache.segment_blocks.guesses.empty());
}

TEST_CASE("a bound and a value that fulfils it are no difference") {
  DriveModel a = plain(), b = plain();
  a.cache.segments = at_least(16, "more could not be tried");
  b.cache.segments = measured(20, 0);
  const auto is_listed = [&] {
    const auto list = diff_parameters(a, b);
    return difference_at(list, "cache.segments") != nullptr;
  };
  const auto within = [&] {
    const auto list = diff_parameters(a, b);
    const Difference* const found = difference_at(list, "cache.segments");
    return found ? found->within_error : std::nullopt;
  };
  CHECK(within() == true);
  b.cache.segments = measured(15, 0);
  CHECK(within() == false);
  b.cache.segments = measured(15, 0.4);  // three errors
  CHECK(within() == true);
  b.cache.segments = at_most(15, "the sixteenth was gone");
  CHECK(within() == false);
  b.cache.segments = at_most(17, "the eighteenth was gone");
  CHECK_FALSE(is_listed());
  // A guess is judged by its bounds alone.
  b.cache.segments = absent("not tested");
  add_guess(b.cache.segments, {3, 0.9, "mode page 08h"});
  CHECK_FALSE(is_listed());
  a.cache.segments = measured(20, 0);
  CHECK(within() == std::nullopt);
  const auto list = diff_parameters(a, b);
  CHECK(difference_at(list, "cache.segments")->instead ==
        "probably 3 (90 % likely, mode page 08h)");
}

TEST_CASE("surfaces of a map by timing are judged by what is known of them") {
  DriveModel a = plain(), b = plain();
  a.identity.heads = 8, b.identity.heads = 16;
  const auto within = [&] {
    const auto list = diff_parameters(a, b);
    return difference_at(list, "identity.heads")->within_error;
  };
  CHECK(within() == false);
  b.layout.heads = absent("angles do not tell surfaces");
  add_guess(b.layout.heads, {16, 0.6, "order of the bands by timing"});
  CHECK(within() == std::nullopt);
}

TEST_CASE("what acts for a figure that was not measured") {
  DriveModel model = plain();
  Cache& c = model.cache;
  CHECK(acting(c, c.segments).value == 0);
  CHECK(acting(c, c.segments).known == Known::unknown);
  c.segments = at_least(3, "more could not be tried");
  CHECK(acting(c, c.segments).value == 3);
  c.segments.at_most = 9;
  CHECK(acting(c, c.segments).value == 3);
  add_guess(c.segments, {5, std::nullopt, "mode page 08h"});
  CHECK(acting(model, "cache.segments").value == 5);
  CHECK(acting(model, model.cache.segments).known == Known::guessed);
  c.segments = at_most(9, "the tenth was gone");
  CHECK(acting(c, c.segments).value == 9);
  c.segments = measured(7, 0);
  CHECK(acting(c, c.segments).value == 7);
  // A limit that there is not fulfils any bound.
  c.read_ahead_max_blocks = at_least(500, "it goes on beyond");
  CHECK(acting(c, c.read_ahead_max_blocks).value == 0);
  // One figure in place of another.
  Overheads& o = model.overheads;
  o.read_miss_after_read = measured(0.3, 0);
  CHECK(acting(o, o.write_hit_after_write).value == 0.3);
  o.write_hit_after_read = measured(0.1, 0);
  CHECK(acting(o, o.write_hit_after_write).value == 0.1);
  CHECK(acting(c, c.write_segments).value >= 7);
  c.separate_write_segment = measured(1, 0);
  CHECK(acting(c, c.write_segments).value == 1);
}

// holds: stand-ins.md: A figure that was not measured acts
TEST_CASE("each figure that anything computes with has its row, and a blank model all of them") {
  const DriveModel model = plain();
  std::size_t with_row = 0;
  for (const NamedParameter& one : parameters_of(model)) {
    // Nothing predicts without a rotation, and nothing computes with the other two.
    if (one.path == "rotation.period" || one.path == "overheads.address_translation" ||
        one.path == "cache.unexplained_share")
      continue;
    INFO(one.path);
    CHECK_NOTHROW(acting(model, one.path));
    CHECK(stand_ins_table().find("| `" + one.path + "` | ") != std::string::npos);
    ++with_row;
  }
  CHECK(with_row > 70);
  CHECK_THROWS_AS(acting(model, "cache.unexplained_share"), Error);
  CHECK_THROWS_AS(acting(model, "cache.there_is_none"), Error);
}

TEST_CASE("what has no effect is not named") {
  DriveModel model = plain();
  const auto named = [&](const std::string& path) {
    for (const StandIn& one : stand_ins(model))
      if (one.path == path) return true;
    return false;
  };
  CHECK(named("cache.destage_behind"));
  CHECK_FALSE(named("cache.destage_idle"));
  model.cache.destage_behind = measured(1, 0);
  CHECK_FALSE(named("cache.destage_behind"));
  CHECK(named("cache.destage_idle"));
  CHECK(named("outward_seek"));
  model.outward_seek = Seek{{{1, 1.0, {}, 0}}, "x", ""};
  CHECK_FALSE(named("outward_seek"));
}

}  // namespace platter::model
