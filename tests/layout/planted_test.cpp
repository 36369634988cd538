// What a wrong map would come from, planted: each must be found out, or refused in one sentence.
#include <algorithm>
#include <functional>

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "model/error.h"

namespace platter::layout::testing {
namespace {

// 400 cylinders of 4 tracks of 100 sectors, 10 spares at the end of each cylinder.
model::Layout plain_layout() {
  model::Layout layout;
  model::LayoutNode track;
  track.count = 4;
  track.head_step = 1;
  track.sectors = 100;
  model::LayoutNode zone;
  zone.count = 400;
  zone.cylinder_step = 1;
  zone.children = {track};
  layout.zones = {zone};
  layout.skips = {{390, 10, 400, 400}};
  return layout;
}

// The same with slot 20150 slipped: the cylinder's spares have made up for it.
model::Layout layout_with_slip() {
  model::Layout layout = plain_layout();
  layout.skips = {{390, 10, 50, 400}, {20150, 1, 1, 0}, {20391, 9, 1, 0}, {20790, 10, 349, 400}};
  return layout;
}

// Answers as another layout would, or lies in other ways.
class Liar : public SyntheticTranslator {
 public:
  explicit Liar(const model::Layout& layout) : SyntheticTranslator(layout, {}) {}
  std::optional<scsi::Translation> translate(std::uint64_t lbn) override {
    auto translation = SyntheticTranslator::translate(lbn);
    if (lie) lie(lbn, *translation);
    return translation;
  }
  std::function<void(std::uint64_t, scsi::Translation&)> lie;
};

ExitStatus status_of(Translator& drive) {
  try {
    by_address_translation(drive);
  } catch (const Error& error) {
    const std::string sentence = error.what();
    CHECK(sentence.find("synthetic drive") == 0);
    CHECK(sentence.find('\n') == std::string::npos);
    return error.status();
  }
  return ExitStatus::ok;
}

TEST_CASE("blocks remapped to a longer track behind all others are where the drive says") {
  model::Layout truth = plain_layout();
  model::LayoutNode spares;
  spares.cylinder = 500;
  spares.sectors = 120;
  truth.zones.push_back(spares);
  constexpr std::uint64_t kSpares = 400 * 400;
  truth.skips.push_back({kSpares, 120, 1, 0});
  truth.remaps = {{1234, kSpares + 3}, {5678, kSpares + 110}};
  SyntheticTranslator drive(truth, {});
  for (const std::uint64_t lbn : {1234, 5678})  // of ten spares behind 390 blocks
    drive.grown.push_back(lbn / 390 * 400 + lbn % 390);
  const Extraction found = by_address_translation(drive);
  CHECK(difference(truth, found.layout, false) == "");
  REQUIRE(found.layout.remaps.size() == 2);
  CHECK(found.layout.remaps[1].slot - found.layout.remaps[0].slot == 107);
}

TEST_CASE("a slip that spares make up for is found in the list, and without any list") {
  const model::Layout truth = layout_with_slip();
  for (const bool listed : {true, false}) {
    Behaviour behaviour;
    behaviour.gives_primary = behaviour.gives_grown = listed;
    SyntheticTranslator drive(truth, behaviour);
    drive.primary = {20150};
    const Extraction found = by_address_translation(drive);
    CHECK(difference(truth, found.layout, true) == "");
    CHECK(difference(plain_layout(), found.layout, true) != "");
  }
}

TEST_CASE("a listed defect that was not slipped leaves the map as it is") {
  SyntheticTranslator drive(plain_layout(), {});
  drive.primary = {20150, 77013};
  const Extraction found = by_address_translation(drive);
  CHECK(difference(plain_layout(), found.layout, true) == "");
}

TEST_CASE("remapped blocks are found, flagged or not, listed or not") {
  model::Layout truth = plain_layout();
  truth.remaps = {{5000, 395}, {5001, 396}, {100'000, 799}};
  for (const bool flagged : {true, false}) {
    for (const bool listed : {true, false}) {
      INFO("flagged " << flagged << ", listed " << listed);
      Behaviour behaviour;
      behaviour.says_remapped = flagged;
      behaviour.gives_primary = behaviour.gives_grown = listed;
      if (!flagged) truth.remaps = {{5000, 395}, {100'000, 799}};
      SyntheticTranslator drive(truth, behaviour);
      const engine::LayoutMap map(plain_layout());
      for (const model::Remap& remap : truth.remaps)
        drive.grown.push_back(map.slot_of_lbn(remap.lbn));
      const Extraction found = by_address_translation(drive);
      CHECK(difference(truth, found.layout, true) == "");
    }
  }
}

TEST_CASE("a place beyond the geometry, or the place of another block, is a protocol error") {
  Liar beyond(plain_layout());
  beyond.lie = [](std::uint64_t lbn, scsi::Translation& answer) {
    if (lbn > 50'000) answer.places[0].head = 9;
  };
  CHECK(status_of(beyond) == ExitStatus::protocol);

  Liar contradictory(plain_layout());
  contradictory.lie = [](std::uint64_t lbn, scsi::Translation& answer) {
    if (lbn > 0) answer.places[0] = {3, 1, 7};
  };
  CHECK(status_of(contradictory) == ExitStatus::protocol);
}

TEST_CASE("answers that change between calls are a protocol error") {
  Liar drive(plain_layout());
  std::uint32_t calls = 0;
  drive.lie = [&calls](std::uint64_t, scsi::Translation& answer) {
    if (++calls > 400) answer.places[0].cylinder ^= 1;
  };
  CHECK(status_of(drive) == ExitStatus::protocol);
}

TEST_CASE("a drive without any order of its tracks is refused") {
  // The cylinders are shuffled.
  Liar drive(plain_layout());
  std::vector<std::uint32_t> cylinders(400);
  for (std::uint32_t i = 0; i < 400; ++i) cylinders[i] = i;
  std::uint32_t state = 1;
  for (std::uint32_t i = 399; i > 0; --i) {
    state = state * 1664525U + 1013904223U;
    std::swap(cylinders[i], cylinders[(state >> 8) % (i + 1)]);
  }
  drive.lie = [&cylinders](std::uint64_t, scsi::Translation& answer) {
    answer.places[0].cylinder = cylinders[answer.places[0].cylinder];
  };
  // Mapped track by track (and then right), or refused; a wrong map would fail here.
  try {
    const Extraction found = by_address_translation(drive);
    const engine::LayoutMap map(found.layout);
    bool right = true;
    for (std::uint64_t lbn = 0; lbn < drive.blocks(); ++lbn) {
      const auto place = drive.translate(lbn)->places[0];
      const engine::Pbn mapped = map.pbn_of_lbn(lbn);
      right = right && mapped.cylinder == place.cylinder && mapped.head == place.head;
    }
    CHECK(right);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
  }
}

TEST_CASE("where the translations end the map claims nothing, and is right before") {
  // Tracks in no order at all, so that each one must be looked at.
  model::Layout layout;
  constexpr std::int32_t kTracks = 400;
  for (std::int32_t i = 0; i < kTracks; ++i) {
    model::LayoutNode track;
    track.cylinder = i * 151 % kTracks;
    track.sectors = 50 + static_cast<std::uint32_t>(i * 7 % 11);
    layout.zones.push_back(track);
  }
  for (const std::uint64_t limit : {700, 100'000}) {
    SyntheticTranslator drive(layout, {});
    Options options;
    options.translation_limit = limit;
    const Extraction found = by_address_translation(drive, options);
    const engine::LayoutMap truth(layout), map(found.layout);
    REQUIRE(found.layout.not_understood.size() == (limit == 700 ? 1 : 0));
    const std::uint64_t claimed = limit == 700 ? found.layout.not_understood[0].first_lbn
                                               : truth.blocks();
    CHECK(claimed > 1000);
    CHECK(found.translations <= limit);
    bool right = true;
    for (std::uint64_t lbn = 0; lbn < claimed; ++lbn)
      right = right && map.pbn_of_lbn(lbn) == truth.pbn_of_lbn(lbn);
    CHECK(right);
  }
}

TEST_CASE("a map that ends early claims nothing where the blocks that are drawn lie elsewhere") {
  // Cylinders 130 to 249 are swapped, where no leap lands; behind cylinder 400 tracks in no order.
  model::Layout layout = plain_layout();
  constexpr std::int32_t kTracks = 400;
  for (std::int32_t i = 0; i < kTracks; ++i) {
    model::LayoutNode track;
    track.cylinder = 400 + i * 151 % kTracks;
    track.sectors = 50 + static_cast<std::uint32_t>(i * 7 % 11);
    layout.zones.push_back(track);
  }
  Liar drive(layout);
  drive.lie = [](std::uint64_t, scsi::Translation& answer) {
    std::uint32_t& cylinder = answer.places[0].cylinder;
    if (cylinder >= 130 && cylinder < 250) cylinder = 379 - cylinder;
  };
  Options options;
  options.translation_limit = 1200;
  const Extraction found = by_address_translation(drive, options);
  const auto claimed = [&found](std::uint64_t lbn) {
    return std::ranges::none_of(found.layout.not_understood, [lbn](const auto& range) {
      return lbn >= range.first_lbn && lbn <= range.last_lbn;
    });
  };
  CHECK(found.translations <= 1200);
  CHECK(!claimed(70'000));
}

}  // namespace
}  // namespace platter::layout::testing
