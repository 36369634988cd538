#include "model/quality.h"

#include <algorithm>

#include "catch.h"
#include "model/finding_kinds.h"

namespace platter::model {
namespace {

Demerit demerit(const char* workload, double percent, double error_percent = 0) {
  Demerit found;
  found.workload = workload;
  found.requests = 200;
  found.drive_mean_ms = 10;
  found.demerit_ms = percent / 10;
  found.demerit_percent = percent;
  found.error_ms = error_percent / 10;
  found.floor_ms = 0.02;
  found.folded_phase_share = 0.99;
  found.phase_requests = 100;
  return found;
}

DriveModel checked(double random_percent, double mixed_percent) {
  DriveModel model;
  model.identity.blocks = 1000;
  model.layout.zones = {{.sectors = 1000, .children = {}}};
  model.layout.angle.error = 0.001;
  model.validity.demerits = {demerit("random, within the run", random_percent),
                             demerit("mixed, within the run", mixed_percent)};
  model.validity.max_depth = 1;
  return model;
}

TEST_CASE("quality: by the demerits that are stated, and by nothing where there are none") {
  CHECK(qualities_of(checked(0.3, 1)).all == Quality::good);
  CHECK(qualities_of(checked(2.1, 1)).random == Quality::fair);
  CHECK(qualities_of(checked(0.3, 5.1)).mixed == Quality::fair);
  CHECK(qualities_of(checked(0.3, 11)).all == Quality::poor);
  CHECK(qualities_of(checked(0.3, 1)).writes == Quality::unchecked);
  DriveModel unchecked = checked(0.3, 1);
  unchecked.validity.demerits.clear();
  CHECK(qualities_of(unchecked).all == Quality::unchecked);
  unchecked.validity.demerits = {demerit("random", 0.3)};
  CHECK(qualities_of(unchecked).mixed == Quality::unchecked);
  CHECK(qualities_of(unchecked).all == Quality::unchecked);
}

TEST_CASE("quality: a demerit that may be far larger is not a good one") {
  DriveModel model = checked(0.3, 1);
  model.validity.demerits[1] = demerit("mixed", 4.9, 5.5);
  CHECK(qualities_of(model).mixed == Quality::fair);
  model.validity.demerits[1] = demerit("mixed", 3.9, 1.2);
  CHECK(qualities_of(model).mixed == Quality::fair);
  model.validity.demerits[1] = demerit("mixed", 3.9, 1.0);
  CHECK(qualities_of(model).mixed == Quality::good);
}

TEST_CASE(
    "quality: a demerit whose error is not known, and a share of few accesses, are not good") {
  DriveModel model = checked(0.3, 1);
  model.validity.demerits[0].error_ms.reset();
  CHECK(qualities_of(model).random == Quality::fair);
  model = checked(0.3, 1);
  model.validity.demerits[0].folded_phase_share = 1;
  model.validity.demerits[0].phase_requests = 5;
  CHECK(qualities_of(model).places == Quality::fair);
  model.validity.demerits[0].folded_phase_share = 0.6;
  CHECK(qualities_of(model).places == Quality::fair);  // not surely poor
  model.validity.demerits[0].phase_requests = 100;
  CHECK(qualities_of(model).places == Quality::poor);
}

TEST_CASE("quality: a run that wrote whole physical blocks says nothing of parts of them") {
  DriveModel model = checked(0.3, 1);
  model.identity.block_bytes = 512;
  model.identity.physical_block_bytes = 4096;
  model.validity.writes = true;
  CHECK(qualities_of(model).mixed == Quality::fair);
  CHECK(qualities_of(model).random == Quality::fair);
  CHECK(qualities_of(model).writes == Quality::fair);
  model.validity.demerits = {demerit("random", 0.3), demerit("mixed", 1)};
  CHECK(qualities_of(model).all == Quality::good);  // a validation writes as its trace says
  model.validity.demerits = {demerit("random, within the run", 0.3),
                             demerit("mixed, within the run", 1)};
  model.identity.physical_block_bytes = 512;
  CHECK(qualities_of(model).all == Quality::good);
  model.identity.physical_block_bytes = 4096;
  model.validity.writes = false;
  CHECK(qualities_of(model).all == Quality::good);
}

TEST_CASE("quality: what a drive does on its own makes no mixed load good") {
  DriveModel model = checked(0.3, 1);
  model.provenance.findings = {{.code = "drive-pauses", .weight = "doubt", .text = "it waits"}};
  CHECK(qualities_of(model).random == Quality::fair);
  CHECK(qualities_of(model).mixed == Quality::fair);
}

TEST_CASE("quality: a demerit is poor where it is surely so") {
  DriveModel model = checked(0.3, 1);
  model.validity.demerits[1] = demerit("mixed", 30, 14.3);
  CHECK(qualities_of(model).mixed == Quality::fair);
  CHECK(what_it_lacks(model).empty());
  model.validity.demerits[1] = demerit("mixed", 30, 4);
  CHECK(qualities_of(model).mixed == Quality::poor);
  CHECK(what_it_lacks(model).size() == 1);
}

TEST_CASE("quality: a later validation counts, not the run's own check") {
  DriveModel model = checked(0.3, 1);
  model.validity.demerits.push_back(demerit("mixed", 30));
  CHECK(qualities_of(model).mixed == Quality::poor);
}

TEST_CASE("quality: blocks without a place, and accesses out of phase") {
  DriveModel model = checked(0.3, 1);
  model.layout.not_understood = {{.first_lbn = 0, .last_lbn = 4, .reason = ""}};
  CHECK(qualities_of(model).places == Quality::fair);
  CHECK(what_it_lacks(model).size() == 1);
  model.layout.not_understood = {{.first_lbn = 0, .last_lbn = 19, .reason = ""}};
  CHECK(qualities_of(model).places == Quality::poor);
  model = checked(0.3, 1);
  model.validity.demerits[0].folded_phase_share = 0.4;
  CHECK(qualities_of(model).places == Quality::poor);
  CHECK(what_it_lacks(model).size() == 1);
}

TEST_CASE("quality: every finding caps the uses that its kind concerns, and no other") {
  for (const FindingKind& kind : finding_kinds()) {
    INFO(kind.name);
    DriveModel model = checked(0.3, 1);
    take_note(model.provenance, {kind.code, "something is wrong"}, "rotation");
    REQUIRE(model.provenance.findings.size() == 1);
    CHECK(model.provenance.findings.front().by == "rotation");
    const Qualities found = qualities_of(model);
    const Quality most = kind.weight == Weight::fault ? Quality::poor : Quality::fair;
    const auto concerns = [&kind](Use use) {
      return (kind.uses & static_cast<std::uint8_t>(use)) != 0;
    };
    CHECK(found.random == (concerns(Use::random) ? most : Quality::good));
    CHECK(found.mixed == (concerns(Use::mixed) ? most : Quality::good));
    CHECK(found.places == (concerns(Use::places) ? most : Quality::good));
    CHECK(found.because.empty() ==
          (kind.uses == 0 ||
           !(concerns(Use::random) || concerns(Use::mixed) || concerns(Use::places))));
  }
}

TEST_CASE("quality: a finding of a newer platter counts by its weight") {
  DriveModel model = checked(0.3, 1);
  model.provenance.findings = {{.code = "no-such-thing", .weight = "fault", .text = "new"}};
  CHECK(qualities_of(model).all == Quality::poor);
}

TEST_CASE("findings: said once, and closed by a validation of their workload alone") {
  Provenance provenance;
  take_note(provenance, {Code::mixed_above_floor, "too far"}, "");
  take_note(provenance, {Code::mixed_above_floor, "too far"}, "");
  take_note(provenance, {Code::cache_unexplained, "unexplained"}, "cache");
  take_note(provenance, "a remark", "cache");
  CHECK(provenance.findings.size() == 2);
  CHECK(provenance.notes == std::vector<std::string>{"a remark"});
  close_findings(provenance, "random");
  CHECK(provenance.findings.size() == 2);
  close_findings(provenance, "mixed");
  REQUIRE(provenance.findings.size() == 1);
  CHECK(provenance.findings.front().code == "cache-unexplained");
  CHECK(provenance.findings.front().touches == std::vector<std::string>{"cache"});
}

TEST_CASE("what a model lacks: a map, positions, a cache that is on, a check that it passes") {
  CHECK(what_it_lacks(checked(0.3, 1)).empty());
  DriveModel model = checked(0.3, 1);
  model.layout.zones.clear();
  CHECK(what_it_lacks(model).size() == 1);
  model = checked(0.3, 1);
  model.layout.angle.error.reset();
  model.layout.angle.reason = "no zone's angles could be measured";
  CHECK(what_it_lacks(model).size() == 1);
  model = checked(0.3, 1);
  model.cache.read_enabled.value = 1;
  model.cache.segment_blocks.reason = "undecided";
  model.cache.segments.value = 8;
  CHECK(what_it_lacks(model).size() == 1);
  model = checked(0.3, 21);
  CHECK(what_it_lacks(model).size() == 1);
}

}  // namespace
}  // namespace platter::model
