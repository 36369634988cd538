#include "cache_probe/page_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "cache_probe/facts.h"
#include "cache_probe/read_properties.h"
#include "cache_probe/write_properties.h"
#include "scsi/caching_fields.h"

namespace platter::cache_probe {
namespace {

using Values = std::vector<scsi::CacheFieldValue>;

// Chosen: what is farther takes too long; the rest by trial on the catalogue's caches
// (tests/cache_probe/page_fields_test.cpp).
constexpr std::int64_t kMostAhead = 4096, kMostHeld = 1024;  // blocks: farther takes too long
constexpr std::int64_t kLeastAhead = 24;  // that a drive reads on while the next command comes
constexpr int kArrivals = 6;              // phases at which the heads come to a write
constexpr double kLeastArrivalShare = 0.5, kDiffers_rev = 0.06;

constexpr const char* kFields[] = {"RCD",
                                   "WCE",
                                   "DRA",
                                   "NUMBER OF CACHE SEGMENTS",
                                   "CACHE SEGMENT SIZE",
                                   "MINIMUM PRE-FETCH",
                                   "MAXIMUM PRE-FETCH",
                                   "MAXIMUM PRE-FETCH CEILING",
                                   "DISABLE PRE-FETCH TRANSFER LENGTH",
                                   "DISC",
                                   "ABPF",
                                   "IC",
                                   "FSW"};

// What the probes of a field came to.
enum class Outcome {
  seen,
  none,
  refused,  // the drive says that the field can be changed, and takes no other value
  anyway,   // the drive does as it is what the change was to bring
  open,
};

// A probe that hits or misses, and what it reads or writes in words.
struct Effect {
  std::string what;
  Prober::Trial trial;
};

std::string in_words(const Values& values) {
  std::string text;
  for (const auto& [field, value] : values)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", field->name, value);
  return text;
}

const char* in_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::hit:
      return "fast";
    case Verdict::miss:
      return "slow";
    case Verdict::mixed:
      return "now fast, now slow";
    case Verdict::open:
      break;
  }
  return "not told";
}

const char* in_words(Outcome outcome) {
  switch (outcome) {
    case Outcome::seen:
      return "seen";
    case Outcome::none:
    case Outcome::refused:
      return "none";
    case Outcome::anyway:
    case Outcome::open:
      break;
  }
  return "not told";
}

Values joined(Values values, const Values& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

Verdict opposite(Verdict verdict) { return verdict == Verdict::hit ? Verdict::miss : Verdict::hit; }

class Freedoms {
 public:
  Freedoms(Prober& prober, const model::Cache& found, const std::vector<LbnRange>& writable)
      : prober_(prober),
        drive_(prober.context().drive),
        found_(found),
        writable_(writable),
        page_(drive_.settings().mode_page(scsi::kCachingPage.page, scsi::PageControl::current)),
        mask_(drive_.settings().mode_page(scsi::kCachingPage.page, scsi::PageControl::changeable)) {
  }

  PageFields all() {
    PageFields found;
    if (!page_) return found;
    // Written data that wait would take the place of what is read.
    if (!writable_.empty()) settle(prober_);
    for (const std::string_view name : kFields) {
      const scsi::CachingField& field = *scsi::find_caching_field(name);
      if (!scsi::has_field(*page_, field)) continue;
      try {
        found.fields.push_back(of(field, !found.not_taken_back));
      } catch (const scsi::NotTakenBack& error) {
        found.not_taken_back = error.fact();
        tell(Outcome::open, "after it the drive did not take its own settings back");
        found.fields.push_back(freedom_of(field));
      }
    }
    return found;
  }

 private:
  static const scsi::CachingField& field(std::string_view name) {
    return *scsi::find_caching_field(name);
  }
  static scsi::CacheFieldValue set(std::string_view name, std::uint64_t value) {
    return {&field(name), static_cast<std::uint32_t>(value)};
  }
  std::uint32_t now(std::string_view name) const {
    return scsi::has_field(*page_, field(name)) ? scsi::value_of(*page_, field(name)) : 0;
  }
  bool changeable(std::string_view name) const {
    return mask_ && scsi::has_field(*page_, field(name)) && scsi::has_field(*mask_, field(name)) &&
           scsi::value_of(*mask_, field(name)) != 0;
  }

  // An ATA drive has WCE and DRA also where its translation does not let the page be changed.
  bool has_feature(std::string_view name) {
    if ((name != "WCE" && name != "DRA") || now("RCD")) return false;
    const auto ata = drive_.settings().ata();
    return ata && (name == "WCE" ? ata->write_cache : ata->look_ahead).has_value();
  }

  model::CacheFreedom of(const scsi::CachingField& field, bool taken_back) {
    by_feature_ = !changeable(field.name) && has_feature(field.name);
    name_ = field.name;
    if (!by_feature_ && !changeable(field.name)) {
      tell(Outcome::open, "the drive says that it cannot be changed");
    } else if (!taken_back) {
      tell(Outcome::open,
           "the drive had not taken its own settings back after another field's test");
    } else if (prober_.spent()) {
      tell(Outcome::open, "the budget for cache tests was used up before");
    } else {
      probe(field.name);
    }
    return freedom_of(field);
  }

  // As it was told.
  model::CacheFreedom freedom_of(const scsi::CachingField& field) const {
    model::CacheFreedom freedom;
    freedom.field = std::string(field.name);
    freedom.changeable = by_feature_ || changeable(field.name);
    freedom.effect = in_words(outcome_);
    freedom.because = because_ + (by_feature_ ? " (by SET FEATURES)" : "");
    return freedom;
  }

  void tell(Outcome outcome, std::string because) {
    outcome_ = outcome;
    because_ = std::move(because);
  }

  void probe(std::string_view name) {
    if (name == "WCE") return write_cache();
    if (name == "FSW") return sequential_writes();
    if (name == "RCD" && now("RCD")) return reads_enabled();
    if (!caches_reads(prober_.record()))
      return tell(Outcome::open,
                  judge(prober_.record(), Question::reread, 0).verdict == Verdict::open
                      ? "whether the drive keeps read data is not known"
                      : "the drive keeps no read data");
    if (name == "RCD")
      return contrast(retained(prober_.record()) ? again() : behind(1), {}, {set("RCD", 1)},
                      Verdict::miss);
    if (name == "NUMBER OF CACHE SEGMENTS") return segments();
    if (name == "IC") return initiator_control();
    if (name == "CACHE SEGMENT SIZE") return segment_size();
    if (name == "DRA" && now("DRA"))
      return contrast(behind(1, Kind::ends_cylinder), {}, {set("DRA", 0)}, Verdict::hit);
    const std::int64_t reach = std::min(reach_blocks(prober_.record()), kMostAhead);
    if (reach < 1) return tell(Outcome::open, "the drive was not seen to read ahead");
    if (name == "DRA") {
      contrast_any(ahead(reach), {}, {set("DRA", 1)}, Verdict::miss);
      return;
    }
    if (name == "DISC")
      return prober_.record().setting.map_known
                 ? over_ends()
                 : tell(Outcome::open, "it takes the drive's map, which is not known");
    if (name == "ABPF" || name == "MINIMUM PRE-FETCH") return broken_off(name, reach);
    if (name == "DISABLE PRE-FETCH TRANSFER LENGTH") {
      if (now(name) == 0) return tell(Outcome::open, "it is 0 as it is");
      contrast_any(ahead(reach), {}, {set(name, 0)}, Verdict::miss);
      return;
    }
    if (reach < 2) return tell(Outcome::open, "the drive reads a single block ahead");
    const std::int64_t less = std::max<std::int64_t>(1, reach / 4);
    Values shorter{set(name, static_cast<std::uint64_t>(less))};
    if (now("MINIMUM PRE-FETCH") > less && changeable("MINIMUM PRE-FETCH"))
      shorter.push_back(set("MINIMUM PRE-FETCH", 0));
    contrast(behind(reach), {}, shorter, Verdict::miss);
  }

  // ---- the probes

  Effect again() {
    return {"the same block again", [this](std::int64_t x) {
              const auto at = place_for(prober_, Kind::any, 0);
              if (!at) return false;
              prober_.refresh_angle();
              const std::uint64_t lbn = at->first + at->blocks() / 2;
              prober_.read(lbn);
              prober_.probe_now(Question::freedom, x, lbn);
              return true;
            }};
  }

  // Behind which the drive reads ahead: its last block. Some drives do so behind streams only.
  std::uint64_t request(std::uint64_t lbn) {
    prober_.read(lbn);
    if (!(found_.read_ahead_after_sequential.value > 0)) return lbn;
    prober_.read(lbn + 1);
    return lbn + 1;
  }

  // What is read ahead, where a segment may not hold all of it.
  std::vector<Effect> ahead(std::int64_t reach) {
    return {behind(1, Kind::ends_cylinder), behind(1), behind(reach)};
  }

  // Of a place that ends a cylinder, from its end: there hardly anything follows.
  Effect behind(std::int64_t blocks, Kind kind = Kind::starts_cylinder) {
    return behind(blocks, blocks, kind);
  }

  // `reach`: how far to let it read ahead.
  Effect behind(std::int64_t blocks, std::int64_t reach, Kind kind) {
    const std::string what = blocks == 1 ? "the block after a read"
                                         : fmt::format("the block {} blocks after a read", blocks);
    return {what, [this, blocks, reach, kind](std::int64_t x) {
              const auto at = place_for(prober_, kind, reach);
              if (!at) return false;
              prober_.refresh_angle();
              const std::uint64_t last = request(kind == Kind::ends_cylinder ? at->last - 4
                                                                             : at->first);
              prober_.probe(Question::freedom, x, last + static_cast<std::uint64_t>(blocks),
                            reading_rev(prober_, reach));
              return true;
            }};
  }

  // `rest_rev`: how long the other waits.
  Effect behind_when_broken_off(std::int64_t blocks, double rest_rev = 0) {
    return {fmt::format("the block {} blocks after a read that another followed{}", blocks,
                        rest_rev > 0 ? "" : " at once"),
            [this, blocks, rest_rev](std::int64_t x) {
              const auto at = place_for(prober_, Kind::starts_cylinder, blocks);
              const auto elsewhere = place_for(prober_, Kind::any, blocks);
              if (!at || !elsewhere) return false;
              prober_.refresh_angle();
              const std::uint64_t last = request(at->first);
              if (rest_rev > 0) prober_.rest_rev(rest_rev);
              prober_.read(elsewhere->first);
              prober_.probe(Question::freedom, x, last + static_cast<std::uint64_t>(blocks), 0);
              return true;
            }};
  }

  Effect over_the_end(Kind kind, const char* of) {
    return {fmt::format("the block after the end of a {}", of), [this, kind](std::int64_t x) {
              const auto at = place_for(prober_, kind, 1);
              if (!at) return false;
              prober_.refresh_angle();
              const std::uint64_t last = request(
                  !(found_.read_ahead_after_sequential.value > 0) ? at->last : at->last - 1);
              prober_.probe(Question::freedom, x, last + 1, reading_rev(prober_, 1));
              return true;
            }};
  }

  // `before`: reads that let a drive which divides its buffer by itself do so.
  Effect first_of(std::int64_t reads, int before = 0) {
    return {fmt::format("the first of {} reads", reads), [this, reads, before](std::int64_t x) {
              prober_.pollute(before);
              const auto read = read_scattered(prober_, reads, 1, 0);
              if (read.empty()) return false;
              // A read-ahead that no command stops would delay the probe; fewer segments are
              // larger.
              const bool stops = found_.read_ahead_abort.value != 0;
              const std::int64_t most = reach_blocks(prober_.record()) *
                                        std::max<std::int64_t>(1, now("NUMBER OF CACHE SEGMENTS"));
              prober_.probe(Question::freedom, x, read.front(),
                            stops ? 0 : reading_rev(prober_, std::min(most, kMostAhead)));
              return true;
            }};
  }

  // The same where what was read ahead tells, in place of what was sent.
  Effect ahead_of_first_of(std::int64_t reads, std::int64_t blocks) {
    return {fmt::format("what was read ahead of the first of {} reads", reads),
            [this, reads, blocks](std::int64_t x) {
              const auto read = read_scattered(prober_, reads, 1, reading_rev(prober_, blocks));
              if (read.empty()) return false;
              prober_.probe(Question::freedom, x, read.front() + static_cast<std::uint64_t>(blocks),
                            0);
              return true;
            }};
  }

  Effect first_block_of(std::int64_t blocks, Kind kind) {
    return {fmt::format("the first of {} blocks read", blocks),
            [this, blocks, kind](std::int64_t x) {
              const auto at = place_for(prober_, kind, blocks);
              const auto count = static_cast<std::uint64_t>(blocks);
              if (!at || at->last < count) return false;
              prober_.refresh_angle();
              const std::uint64_t first = kind == Kind::ends_cylinder ? at->last + 1 - count
                                                                      : at->first;
              prober_.read(first, static_cast<std::uint32_t>(blocks));
              prober_.refresh_angle();
              prober_.probe(Question::freedom, x, first, reading_rev(prober_, 0));
              return true;
            }};
  }

  // ---- their comparison

  enum class Taken { refused, rounded, as_asked };

  struct Under {
    Taken taken = Taken::as_asked;
    Verdict verdict = Verdict::open;
    Values values;  // as the drive shows them
  };

  Under under(const Values& values, const Effect& effect) {
    Under result{.values = values};
    const bool first = !drive_.settings().recorded();
    if (!values.empty()) result.taken = take(result.values);
    if (result.taken == Taken::refused) return result;
    result.verdict = prober_.decide(Question::freedom, number_++, effect.trial);
    if (!values.empty()) restore(first);
    return result;
  }

  // `values` become those that the drive shows.
  Taken take(Values& values) {
    if (by_feature_) {
      const auto wanted = [&](std::string_view name) {
        const auto given = std::ranges::find(values, &field(name), &scsi::CacheFieldValue::field);
        return given == values.end() ? now(name) != 0 : given->value != 0;
      };
      return drive_.settings().set_cache(wanted("WCE"), false, wanted("DRA")) ? Taken::as_asked
                                                                              : Taken::refused;
    }
    if (!drive_.settings().set_cache_fields(values)) return Taken::refused;
    Taken taken = Taken::as_asked;
    const auto page = drive_.settings().mode_page(scsi::kCachingPage.page,
                                                  scsi::PageControl::current);
    for (auto& [field, value] : values) {
      if (!page || !scsi::has_field(*page, *field)) continue;
      const std::uint32_t shown = scsi::value_of(*page, *field);
      if (shown != value) taken = Taken::rounded;
      value = shown;
    }
    return taken;
  }

  // `first`: no other setting of the page was changed before.
  void restore(bool first) {
    if (first) {
      drive_.settings().restore_cache();
    } else {
      drive_.settings().put_back_page(*page_);
    }
  }

  bool without_effect() const { return outcome_ == Outcome::none || outcome_ == Outcome::refused; }

  // The effect under some settings, and under others, where it must be as expected.
  void contrast(const Effect& effect, const Values& before, const Values& after, Verdict expected) {
    const auto [taken, usual, values] = under(before, effect);
    const std::string where = before.empty() ? "" : fmt::format(" with {}", in_words(before));
    if (taken != Taken::as_asked)
      return tell(Outcome::open, fmt::format("the drive does not take {}", in_words(before)));
    if (usual == Verdict::open)
      return tell(Outcome::open, "there was no room, or no time, for its probe");
    if (usual == expected)
      return tell(Outcome::anyway,
                  fmt::format("{} is {}{} anyway", effect.what, in_words(usual), where));
    compare(effect, usual, where, after, expected);
  }

  // The first of them that can tell; it is the one returned.
  std::size_t contrast_any(const std::vector<Effect>& effects, const Values& before,
                           const Values& after, Verdict expected) {
    for (std::size_t i = 0;; ++i) {
      contrast(effects[i], before, after, expected);
      if (outcome_ != Outcome::anyway || i + 1 == effects.size()) return i;
    }
  }

  // A value that the drive made of what was asked for need not be one with which it shows.
  void compare(const Effect& effect, Verdict usual, const std::string& where, const Values& after,
               Verdict expected) {
    const auto [taken, changed, values] = under(after, effect);
    if (taken == Taken::refused)
      return tell(Outcome::refused, fmt::format("the drive refuses {}", in_words(after)));
    const bool rounded = taken == Taken::rounded;
    const std::string seen = fmt::format(
        "{}: {}{}, {} with {}{}", effect.what, in_words(usual), where,
        changed == usual ? "and so" : in_words(changed), in_words(values),
        rounded ? fmt::format(", which the drive made of {}", in_words(after)) : "");
    tell(changed == expected            ? Outcome::seen
         : changed == usual && !rounded ? Outcome::none
                                        : Outcome::open,
         seen);
  }

  // ---- the fields that take more than that

  // With RCD = 1 no test before could tell what the drive would keep.
  void reads_enabled() {
    contrast(again(), {}, {set("RCD", 0)}, Verdict::hit);
    if (outcome_ != Outcome::none) return;
    contrast(behind(1), {}, {set("RCD", 0)}, Verdict::hit);
  }

  // Fewer segments forget the first of two reads; one segment more keeps it.
  void segments() {
    const std::uint32_t says = now(name_);
    const auto try_number = [&](std::uint32_t number) {
      const bool fewer = says != 1;
      const Values wanted{set(name_, number)};
      const std::int64_t reads = number + (fewer ? 1 : 0);
      const std::int64_t reach = std::min<std::int64_t>(reach_blocks(prober_.record()), 64);
      std::vector<Effect> effects{first_of(reads)};
      if (reach > 0 && !(found_.read_ahead_after_sequential.value > 0))
        effects.push_back(ahead_of_first_of(reads, (reach + 1) / 2));
      const std::size_t by = contrast_any(effects, {}, wanted,
                                          fewer ? Verdict::miss : Verdict::hit);
      if (without_effect() && now("IC") == 0 && changeable("IC"))
        compare(effects[by], fewer ? Verdict::hit : Verdict::miss, "",
                joined(wanted, {set("IC", 1)}), fewer ? Verdict::miss : Verdict::hit);
    };
    if (says == 1) return try_number(2);
    // A drive that keeps a segment for writes needs one more.
    try_number(1);
    if (outcome_ == Outcome::refused && (says == 0 || says > 2)) try_number(2);
  }

  // Under its own control a drive may divide the buffer as it likes.
  void initiator_control() {
    if (!changeable("NUMBER OF CACHE SEGMENTS") || now("NUMBER OF CACHE SEGMENTS") == 1)
      return tell(Outcome::open,
                  "the page's number of segments is not another that could be asked for");
    const Values one{set("NUMBER OF CACHE SEGMENTS", 1)};
    constexpr int kReads = 64;
    const bool is_on = now("IC") != 0;
    contrast(first_of(2, kReads), one, joined(one, {set("IC", is_on ? 0 : 1)}),
             is_on ? Verdict::hit : Verdict::miss);
  }

  // A request that a segment holds is none that a quarter of it would hold.
  void segment_size() {
    std::int64_t blocks = now("CACHE SEGMENT SIZE");
    const bool in_blocks = now("LBCSS") != 0;
    const std::int64_t each = in_blocks ? 1 : drive_.block_bytes();
    if (const auto size = cache_probe::segment_size(prober_.record()); size && size->blocks >= 4)
      blocks = static_cast<std::int64_t>(size->blocks) * each;
    blocks = std::min(blocks / each, kMostHeld);
    if (blocks < 4) return tell(Outcome::open, "the size of a segment is not known");
    const std::int64_t most = scsi::most_of(field("CACHE SEGMENT SIZE")) / each;
    const std::int64_t less = std::min(blocks / 4, most);
    if (less < 1) return tell(Outcome::open, "the page has no room for a size of one block");
    Values smaller{set("CACHE SEGMENT SIZE", static_cast<std::uint64_t>(less * each))};
    if (changeable("SIZE")) smaller.push_back(set("SIZE", 1));
    std::vector<Effect> effects{first_block_of(blocks / 2, Kind::starts_cylinder),
                                first_block_of(blocks / 2, Kind::ends_cylinder)};
    const std::int64_t reach = std::min(reach_blocks(prober_.record()), blocks - 1);
    // Read-ahead that passes by its beginning holds the end of it in a segment of any size.
    if (reach > blocks / 2)
      effects.push_back(behind(reach - blocks / 2, reach, Kind::starts_cylinder));
    const std::size_t by = contrast_any(effects, {}, smaller, Verdict::miss);
    if (without_effect() && now("IC") == 0 && changeable("IC"))
      compare(effects[by], Verdict::hit, "", joined(smaller, {set("IC", 1)}), Verdict::miss);
  }

  void over_ends() {
    const Verdict expected = now("DISC") ? Verdict::miss : Verdict::hit;
    const Values other{set("DISC", 1 - now("DISC"))};
    contrast(over_the_end(Kind::ends_cylinder, "cylinder"), {}, other, expected);
    if (outcome_ != Outcome::anyway && outcome_ != Outcome::none) return;
    const Outcome outcome = outcome_;
    const std::string told = because_;
    contrast(over_the_end(Kind::before_end, "track"), {}, other, expected);
    if (outcome_ == Outcome::anyway || outcome_ == Outcome::open) tell(outcome, told);
  }

  // What has to be read behind a request is there even when the next command comes at once.
  void broken_off(std::string_view name, std::int64_t reach) {
    const std::uint32_t least = now("MINIMUM PRE-FETCH");
    const std::int64_t blocks = least > 0 ? std::min<std::int64_t>(least, reach)
                                          : std::min<std::int64_t>(reach,
                                                                   prober_.places().track_blocks());
    if (blocks < kLeastAhead)
      return tell(Outcome::open,
                  "too few blocks are read ahead for a command to stop it in between");
    const Effect effect = behind_when_broken_off(blocks);
    const Verdict usual = under({}, effect).verdict;
    const Values many{set("MINIMUM PRE-FETCH", static_cast<std::uint64_t>(blocks))};
    if (usual == Verdict::open)
      return tell(Outcome::open, "there was no room, or no time, for its probe");
    if (usual == Verdict::miss) {
      // Read ahead in peace, is it still there after the other read?
      if (under({}, behind_when_broken_off(blocks, reading_rev(prober_, blocks))).verdict !=
          Verdict::hit)
        return tell(Outcome::open, "another read pushes out what was read ahead anyway");
    }
    if (name == "MINIMUM PRE-FETCH") {
      if (usual == Verdict::hit && least == 0)
        return tell(Outcome::anyway, "the next command does not stop read-ahead anyway");
      Values other = usual == Verdict::hit ? Values{set(name, 0)} : many;
      if (now("ABPF") && changeable("ABPF")) other.push_back(set("ABPF", 0));
      return compare(effect, usual, "", other, opposite(usual));
    }
    const Values aborts{set("ABPF", now("ABPF") ? 0 : 1)};
    if ((usual == Verdict::hit) == (now("ABPF") == 0))
      return compare(effect, usual, "", aborts, opposite(usual));
    if (!changeable("MINIMUM PRE-FETCH"))
      return tell(Outcome::anyway, "the next command stops read-ahead anyway");
    contrast(effect, many, joined(many, aborts), now("ABPF") ? Verdict::hit : Verdict::miss);
  }

  void write_cache() {
    if (writable_.empty()) return tell(Outcome::open, "it needs writes (--allow-writes)");
    Targets targets(prober_, writable_);
    if (!targets.any()) return tell(Outcome::open, "there was no room for writes");
    const Effect write{"a write", [&](std::int64_t x) {
                         const std::uint64_t lbn = targets.next();
                         settle(prober_);
                         prober_.refresh_angle();
                         prober_.rest_until(lbn, 0);
                         prober_.probe_write(Question::freedom, x, lbn);
                         return true;
                       }};
    contrast(write, {}, {set("WCE", 1 - now("WCE"))}, now("WCE") ? Verdict::miss : Verdict::hit);
  }

  // Where the heads come down within what is to be written, on arrival takes another time than in
  // order: a revolution, if the data are there by then.
  void sequential_writes() {
    if (writable_.empty()) return tell(Outcome::open, "it needs writes (--allow-writes)");
    if (!prober_.record().setting.angles_trusted)
      return tell(Outcome::open, "rotational positions are not known well enough");
    if (found_.written_persist.value > 0 ||
        judge(prober_.record(), Question::write_forced, 0).verdict == Verdict::hit)
      return tell(Outcome::open, "no write waits for the media");
    if (!takes_forced_writes()) return tell(Outcome::open, "the drive refuses writes with FUA");
    if (now("FSW") == 0 && found_.zero_latency_write.value == 0)
      return tell(Outcome::anyway, "writes begin with their first block anyway");
    const auto at = track_to_write(prober_, writable_);
    if (!at) return tell(Outcome::open, "there was no room for writes of a whole track");
    std::uint32_t blocks = std::min(at->blocks(), drive_.most_blocks());
    if (const auto size = cache_probe::segment_size(prober_.record());
        size && size->blocks >= 1 && size->blocks < blocks)
      blocks = static_cast<std::uint32_t>(size->blocks);
    blocks = drive_.physical_blocks().rounded_down(blocks);
    const double share = static_cast<double>(blocks) / at->track.sectors;
    if (share < kLeastArrivalShare)
      return tell(Outcome::open, "a segment holds too little of a track");
    drive_.learn_contents(at->first, blocks);
    const Values other{set("FSW", 1 - now("FSW"))};
    // Two angles, where both tell, are enough. Over a bus that slow more would take long, and
    // would not tell either where on arrival takes as long as in order.
    const bool hidden = bus_hides_arrival(prober_.record(), blocks);
    auto differences = write_differences_rev(*at, blocks, other, {1, 4}, 1);
    if (differences.empty())
      return tell(Outcome::refused, fmt::format("the drive refuses {}", in_words(other)));
    // A drive that lost its settings meanwhile may refuse now what it took before.
    if (!hidden && differences.front() < 2 * kDiffers_rev)
      if (auto more = write_differences_rev(*at, blocks, other, {0, 1, 2, 3, 4, 5}, 2);
          !more.empty())
        differences = std::move(more);
    const double difference = differences[(differences.size() - 1) / 2];
    tell(difference > kDiffers_rev                  ? Outcome::seen
         : difference < kDiffers_rev / 2 && !hidden ? Outcome::none
                                                    : Outcome::open,
         fmt::format("writes of {} blocks, begun at {} angles: with {} half of them take {:.2f} "
                     "revolutions more or less{}",
                     blocks, differences.size(), in_words(other), difference,
                     hidden ? "; the bus is about as slow as the media or slower" : ""));
  }

  bool takes_forced_writes() {
    try {
      drive_.write(writable_.front().first, prober_.write_unit(), true);
    } catch (const scsi::DriveError& error) {
      if (error.refused()) return false;
      if (!error.may_do_elsewhere()) throw;
    }
    return true;
  }

  // In ascending order, one for each phase. Empty: the drive refuses the other setting.
  std::vector<double> write_differences_rev(const Place& at, std::uint32_t blocks,
                                            const Values& other, const std::vector<int>& phases,
                                            int rounds) {
    const std::vector<double> usual = whole_writes_rev(at, blocks, phases, rounds);
    const bool first = !drive_.settings().recorded();
    if (!drive_.settings().set_cache_fields(other)) return {};
    const std::vector<double> changed = whole_writes_rev(at, blocks, phases, rounds);
    restore(first);
    std::vector<double> differences;
    for (std::size_t i = 0; i < usual.size(); ++i)
      differences.push_back(std::abs(changed[i] - usual[i]));
    std::ranges::sort(differences);
    return differences;
  }

  // At each phase the least of some: delays only add.
  std::vector<double> whole_writes_rev(const Place& at, std::uint32_t blocks,
                                       const std::vector<int>& phases, int rounds) {
    std::vector<double> taken;
    for (const int i : phases) {
      double least = 1e9;
      for (int round = 0; round < rounds; ++round) {
        come_to(prober_, at, (i + 0.5) / kArrivals);
        const auto done = drive_.write(at.first, blocks, true);
        least = std::min(least, static_cast<double>(done.response_ns()) / prober_.period_ns());
      }
      taken.push_back(least);
    }
    return taken;
  }

  Prober& prober_;
  scsi::Drive& drive_;
  const model::Cache& found_;
  const std::vector<LbnRange>& writable_;
  std::optional<std::vector<std::uint8_t>> page_, mask_;
  std::int64_t number_ = 0;  // of the next probe
  std::string_view name_;
  bool by_feature_ = false;
  Outcome outcome_ = Outcome::open;
  std::string because_;
};

}  // namespace

PageFields probe_page_fields(Prober& prober, const model::Cache& found,
                             const std::vector<LbnRange>& writable) {
  return Freedoms(prober, found, writable).all();
}

}  // namespace platter::cache_probe
