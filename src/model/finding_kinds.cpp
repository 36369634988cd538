#include "model/finding_kinds.h"

#include <algorithm>
#include <array>

namespace platter::model {
namespace {

using enum Weight;

constexpr std::uint8_t bits(std::initializer_list<Use> uses) {
  std::uint8_t all = 0;
  for (const Use use : uses) all |= static_cast<std::uint8_t>(use);
  return all;
}

constexpr std::uint8_t kNone = 0;
constexpr std::uint8_t kRandom = bits({Use::random});
constexpr std::uint8_t kMixed = bits({Use::mixed});
constexpr std::uint8_t kPlaces = bits({Use::places});
constexpr std::uint8_t kWrites = bits({Use::writes});
constexpr std::uint8_t kMedia = bits({Use::random, Use::places});

// In the order of enum Code.
constexpr std::array kKinds = {
    FindingKind{Code::identity_doubtful, "identity-doubtful", doubt, "identity", kNone, "",
                "witnesses of the drive's identity disagree, or are worth nothing"},
    FindingKind{Code::claims_disagree, "claims-disagree", doubt, "identity", kNone, "",
                "two of the drive's replies tell the same thing differently"},
    FindingKind{
        Code::blocks_move, "blocks-move", doubt, "layout", kPlaces, "",
        "the drive says that it is shingled, or takes TRIM: a map may hold until it is written"},
    FindingKind{Code::several_arms, "several-arms", doubt, "seek overheads queue",
                bits({Use::random, Use::mixed, Use::queues}), "",
                "the drive has several actuators and was measured as one arm"},
    FindingKind{Code::geometry_hints_differ, "geometry-hints-differ", doubt,
                "identity.heads identity.cylinders", kNone, "",
                "a mode page tells another geometry than the map"},
    FindingKind{Code::drive_warned, "drive-warned", doubt, "", kAllUses, "",
                "the drive warned of itself: it may fail"},
    FindingKind{Code::settings_unsteady, "settings-unsteady", doubt, "", kAllUses, "",
                "resets or foreign settings disturbed every attempt of a stage"},
    FindingKind{Code::write_failed, "write-failed", doubt, "write_settle write_seek", kWrites, "",
                "a write failed, and the rest of the run only read"},
    FindingKind{Code::put_back, "put-back", doubt, "", kNone, "",
                "the drive did not hold what it had held, and it was put back"},
    FindingKind{Code::budget_too_short, "budget-too-short", doubt, "", kAllUses, "",
                "every stage had less time than it needs at least"},
    FindingKind{Code::stage_without_estimate, "stage-without-estimate", fault, "", kAllUses, "",
                "what rests on all samples together could not be estimated"},
    FindingKind{Code::host_noisy, "host-noisy", doubt, "overheads", kNone, "",
                "host or bus delay commands unequally: overheads are known less well"},
    FindingKind{Code::host_too_noisy, "host-too-noisy", doubt, "overheads layout.angle", kMedia, "",
                "host or bus delay commands by a good part of a revolution"},
    FindingKind{Code::spindle_noisy, "spindle-noisy", doubt, "rotation layout.angle seek overheads",
                kMedia, "", "the spindle wanders: rotational positions are not foretold"},
    FindingKind{Code::spindle_drifts, "spindle-drifts", doubt, "rotation", kNone, "",
                "the speed of rotation changed in the run; the period's error holds both ends"},
    FindingKind{Code::host_slept, "host-slept", doubt, "rotation", kNone, "",
                "the host slept in the run; what was measured was tied together anew each time"},
    FindingKind{Code::clock_stepped, "clock-stepped", doubt, "rotation", kNone, "",
                "the clock stepped in the run; what was measured was tied together anew each time"},
    FindingKind{Code::host_stopped, "host-stopped", doubt, "", kNone, "",
                "host or process stood still in the run: some answers were noticed late"},
    FindingKind{Code::accesses_held_up, "accesses-held-up", doubt, "overheads", kRandom, "",
                "something holds accesses up that the model does not have"},
    FindingKind{Code::completions_on_grid, "completions-on-grid", doubt,
                "overheads seek head_switch", kNone, "",
                "completions reach the host at fixed moments only: errors have a floor"},
    FindingKind{Code::layout_unfinished, "layout-unfinished", fault, "layout", kMedia, "",
                "time ended before the map was complete"},
    FindingKind{Code::translation_contradicted, "translation-contradicted", fault, "layout", kMedia,
                "", "timed reads contradict the drive's address translation"},
    FindingKind{Code::zones_not_understood, "zones-not-understood", doubt, "layout", kPlaces, "",
                "in some zones timed reads contradict the map"},
    FindingKind{Code::remaps_not_understood, "remaps-not-understood", doubt, "layout.remaps", kNone,
                "", "remapped blocks have no place in the map"},
    FindingKind{Code::defects_sampled, "defects-sampled", doubt, "layout.skips", kNone, "",
                "only a sample of the spare units was looked at for slips"},
    FindingKind{Code::angles_incomplete, "angles-incomplete", doubt, "layout.angle", kPlaces, "",
                "the angles of some zones could not all be measured"},
    FindingKind{Code::angles_odd, "angles-odd", doubt, "layout.angle", kNone, "",
                "some tracks do not follow their zone's rule"},
    FindingKind{Code::angles_refuted, "angles-refuted", fault, "layout.angle", kMedia, "",
                "sectors that were read to check the angles lie elsewhere"},
    FindingKind{Code::cache_not_asked, "cache-not-asked", doubt, "cache", kMixed, "",
                "the cache's tests found no place on the drive: what it keeps is not known"},
    FindingKind{Code::cache_mixed, "cache-mixed", doubt, "cache", kNone, "",
                "probes of the cache had now one answer, now the other"},
    FindingKind{Code::cache_unexplained, "cache-unexplained", doubt, "cache", kMixed, "",
                "answers contradict the cache that was found, beyond noise"},
    FindingKind{Code::synchronize_does_nothing, "synchronize-does-nothing", doubt,
                "cache.written_persist cache.synchronize", kNone, "",
                "SYNCHRONIZE CACHE is answered while data wait for the media"},
    FindingKind{Code::impossible_value, "impossible-value", doubt, "", kAllUses, "",
                "a figure came out as none can be, and was taken out"},
    FindingKind{Code::time_below_zero, "time-below-zero", doubt, "overheads", kNone, "",
                "a time came out below zero: only sums with it are right"},
    FindingKind{Code::seek_falls, "seek-falls", doubt, "seek", kNone, "",
                "a longer seek took less than a shorter one, beyond chance"},
    FindingKind{Code::overheads_refuted, "overheads-refuted", doubt, "overheads", kRandom, "random",
                "responses ask for overheads that cannot be: something else is wrong"},
    FindingKind{Code::drive_pauses, "drive-pauses", doubt, "", bits({Use::random, Use::mixed}), "",
                "the drive does something on its own that the model does not have"},
    FindingKind{Code::off_by_revolutions, "off-by-revolutions", doubt, "layout overheads", kMixed,
                "random", "some requests are off by a revolution or more"},
    FindingKind{Code::random_above_floor, "random-above-floor", doubt,
                "layout seek overheads rotation", kNone, "random",
                "the demerit of random requests is, or may be, above its floor"},
    FindingKind{Code::mixed_above_floor, "mixed-above-floor", doubt, "cache overheads", kNone,
                "mixed", "the demerit of mixed requests is, or may be, above its floor"},
    FindingKind{Code::mixed_unchecked, "mixed-unchecked", doubt, "cache", kNone, "mixed",
                "too few requests were made to check the cache"},
    FindingKind{Code::mixed_takes_longer, "mixed-takes-longer", doubt, "cache", kMixed, "mixed",
                "some requests took longer than the model ever does"},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (static_cast<std::size_t>(kKinds[i].code) != i) return false;
  return true;
}
static_assert(is_in_order());

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    all.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

}  // namespace

std::span<const FindingKind> finding_kinds() { return kKinds; }

const FindingKind& kind_of(Code code) { return kKinds[static_cast<std::size_t>(code)]; }

const FindingKind* finding_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &FindingKind::name);
  return found == kKinds.end() ? nullptr : found;
}

std::string_view name_of(Weight weight) { return weight == fault ? "fault" : "doubt"; }

std::string_view name_of(Use use) {
  switch (use) {
    case Use::random:
      return "single requests";
    case Use::mixed:
      return "mixed load";
    case Use::places:
      return "places";
    case Use::writes:
      return "writes";
    case Use::queues:
      return "queues";
  }
  return "";
}

std::vector<Use> uses_in(std::uint8_t uses) {
  std::vector<Use> all;
  for (const Use use : {Use::random, Use::mixed, Use::places, Use::writes, Use::queues})
    if ((uses & static_cast<std::uint8_t>(use)) != 0) all.push_back(use);
  return all;
}

const Finding* finding_of(const Provenance& provenance, Code code) {
  const auto found = std::ranges::find(provenance.findings, kind_of(code).name, &Finding::code);
  return found == provenance.findings.end() ? nullptr : &*found;
}

void take_note(Provenance& provenance, const Noted& noted, std::string_view by) {
  const FindingKind* const kind = noted.kind();
  if (kind == nullptr) {
    if (std::ranges::find(provenance.notes, noted.text()) == provenance.notes.end())
      provenance.notes.push_back(noted.text());
  } else if (std::ranges::find(provenance.findings, noted.text(), &Finding::text) ==
             provenance.findings.end()) {
    provenance.findings.push_back(
        {std::string(kind->name), std::string(name_of(kind->weight)), words(noted.touches()),
         noted.by().empty() ? std::string(by) : noted.by(), noted.text()});
  }
}

void close_findings(Provenance& provenance, std::string_view workload) {
  std::erase_if(provenance.findings, [&](const Finding& finding) {
    const FindingKind* const kind = finding_kind(finding.code);
    return kind != nullptr && !workload.empty() && kind->of_workload == workload;
  });
}

}  // namespace platter::model
