#include "cache_probe/freedoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "cache_probe/facts.h"
#include "cache_probe/read_tests.h"
#include "cache_probe/write_tests.h"
#include "model/error.h"
#include "scsi/caching_fields.h"

namespace platter::cache_probe {
namespace {

using Values = std::vector<scsi::CacheFieldValue>;

constexpr double kSettle_rev = 1.5, kSkewShare = 1.3;  // as long as reading ahead takes
constexpr std::int64_t kMostAhead = 4096, kMostHeld = 1024;  // blocks: farther takes too long
constexpr std::int64_t kLeastAhead = 24;  // that a drive reads on while the next command comes
constexpr int kArrivals = 6;  // phases at which the heads come to a write
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
        page_(drive_.mode_page(scsi::kCachingPage.page, scsi::PageControl::current)),
        mask_(drive_.mode_page(scsi::kCachingPage.page, scsi::PageControl::changeable)) {}

  std::vector<model::CacheFreedom> all() {
    std::vector<model::CacheFreedom> list;
    if (!page_) return list;
    if (!writable_.empty()) settle();
    for (const std::string_view name : kFields) {
      const scsi::CachingField& field = *scsi::find_caching_field(name);
      if (scsi::has_field(*page_, field)) list.push_back(of(field));
    }
    return list;
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
    return mask_ && scsi::has_field(*page_, field(name)) &&
           scsi::has_field(*mask_, field(name)) && scsi::value_of(*mask_, field(name)) != 0;
  }

  // Written data that wait would take the place of what is read.
  void settle() {
    try {
      drive_.synchronize_cache();
    } catch (const scsi::DriveError&) {
      prober_.rest_rev(10);
    }
  }

  model::CacheFreedom of(const scsi::CachingField& field) {
    model::CacheFreedom freedom;
    freedom.field = std::string(field.name);
    freedom.changeable = changeable(field.name);
    name_ = field.name;
    if (!freedom.changeable) {
      tell("not told", "the drive says that it cannot be changed");
    } else if (prober_.spent()) {
      tell("not told", "the budget for cache tests was used up before");
    } else {
      probe(field.name);
    }
    freedom.effect = effect_;
    freedom.because = because_;
    return freedom;
  }

  void tell(const char* effect, std::string because) {
    effect_ = effect;
    because_ = std::move(because);
  }

  void probe(std::string_view name) {
    if (name == "WCE") return write_cache();
    if (name == "FSW") return sequential_writes();
    if (!caches_reads(prober_.record())) return tell("not told", "the drive keeps no read data");
    if (name == "RCD")
      return contrast(retained(prober_.record()) ? again() : behind(1), {},
                      {set("RCD", 1 - now("RCD"))}, now("RCD") ? Verdict::hit : Verdict::miss);
    if (name == "NUMBER OF CACHE SEGMENTS") return segments();
    if (name == "IC") return initiator_control();
    if (name == "CACHE SEGMENT SIZE") return segment_size();
    if (name == "DRA" && now("DRA"))
      return contrast(behind(1, Kind::ends_cylinder), {}, {set("DRA", 0)}, Verdict::hit);
    const std::int64_t reach = std::min(reach_blocks(prober_.record()), kMostAhead);
    if (reach < 1) return tell("not told", "the drive was not seen to read ahead");
    if (name == "DRA") {
      contrast_any(ahead(reach), {}, {set("DRA", 1)}, Verdict::miss);
      return;
    }
    if (name == "DISC") return over_ends();
    if (name == "ABPF" || name == "MINIMUM PRE-FETCH") return broken_off(name, reach);
    if (name == "DISABLE PRE-FETCH TRANSFER LENGTH") {
      if (now(name) == 0) return tell("not told", "it is 0 as it is");
      contrast_any(ahead(reach), {}, {set(name, 0)}, Verdict::miss);
      return;
    }
    if (reach < 2) return tell("not told", "the drive reads a single block ahead");
    const std::int64_t less = std::max<std::int64_t>(1, reach / 4);
    Values shorter{set(name, static_cast<std::uint64_t>(less))};
    if (now("MINIMUM PRE-FETCH") > less && changeable("MINIMUM PRE-FETCH"))
      shorter.push_back(set("MINIMUM PRE-FETCH", 0));
    contrast(behind(reach), {}, shorter, Verdict::miss);
  }

  // ---- the probes

  double reading_rev(std::int64_t blocks) const {
    return kSettle_rev + kSkewShare * static_cast<double>(blocks) /
                             static_cast<double>(prober_.record().setting.track_blocks);
  }

  std::optional<Place> place(Kind kind, std::int64_t blocks) {
    const std::uint64_t span =
        static_cast<std::uint64_t>(blocks) + prober_.places().track_blocks();
    auto found = prober_.places().fresh(kind, span);
    if (!found && kind == Kind::starts_cylinder) found = prober_.places().fresh(Kind::any, span);
    return found;
  }

  Effect again() {
    return {"the same block again", [this](std::int64_t x) {
              const auto at = place(Kind::any, 0);
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
    if (found_.read_ahead_after_sequential.or_else(0) == 0) return lbn;
    prober_.read(lbn + 1);
    return lbn + 1;
  }

  // What is read ahead, where a segment may not hold all of it.
  std::vector<Effect> ahead(std::int64_t reach) {
    return {behind(1, Kind::ends_cylinder), behind(1), behind(reach)};
  }

  // Of a place that ends a cylinder, from its end: there hardly anything follows.
  Effect behind(std::int64_t blocks, Kind kind = Kind::starts_cylinder) {
    const std::string what = blocks == 1
                                 ? "the block behind a read"
                                 : fmt::format("the block {} blocks behind a read", blocks);
    return {what, [this, blocks, kind](std::int64_t x) {
              const auto at = place(kind, blocks);
              if (!at) return false;
              prober_.refresh_angle();
              const std::uint64_t last =
                  request(kind == Kind::ends_cylinder ? at->last - 4 : at->first);
              prober_.probe(Question::freedom, x, last + static_cast<std::uint64_t>(blocks),
                            reading_rev(blocks));
              return true;
            }};
  }

  // `rest_rev`: how long the other waits.
  Effect behind_when_broken_off(std::int64_t blocks, double rest_rev = 0) {
    return {fmt::format("the block {} blocks behind a read that another followed{}", blocks,
                        rest_rev > 0 ? "" : " at once"),
            [this, blocks, rest_rev](std::int64_t x) {
              const auto at = place(Kind::starts_cylinder, blocks);
              const auto elsewhere = place(Kind::any, blocks);
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
    return {fmt::format("the block behind the end of a {}", of), [this, kind](std::int64_t x) {
              const auto at = place(kind, 1);
              if (!at) return false;
              prober_.refresh_angle();
              const std::uint64_t last =
                  request(found_.read_ahead_after_sequential.or_else(0) == 0 ? at->last
                                                                             : at->last - 1);
              prober_.probe(Question::freedom, x, last + 1, reading_rev(1));
              return true;
            }};
  }

  // `before`: reads that let a drive which divides its buffer by itself do so.
  Effect first_of(std::int64_t reads, int before = 0) {
    return {fmt::format("the first of {} reads", reads), [this, reads, before](std::int64_t x) {
              prober_.pollute(before);
              const auto read = read_scattered(prober_, reads, 1, 0);
              if (read.empty()) return false;
              // A read-ahead that no command stops would delay the probe; fewer segments are larger.
              const bool stops = found_.read_ahead_abort.or_else(1) != 0;
              const std::int64_t most = reach_blocks(prober_.record()) *
                                        std::max<std::int64_t>(1, now("NUMBER OF CACHE SEGMENTS"));
              prober_.probe(Question::freedom, x, read.front(),
                            stops ? 0 : reading_rev(std::min(most, kMostAhead)));
              return true;
            }};
  }

  // The same where what was read ahead tells, in place of what was sent.
  Effect ahead_of_first_of(std::int64_t reads, std::int64_t blocks) {
    return {fmt::format("what was read ahead of the first of {} reads", reads),
            [this, reads, blocks](std::int64_t x) {
              const auto read = read_scattered(prober_, reads, 1, reading_rev(blocks));
              if (read.empty()) return false;
              prober_.probe(Question::freedom, x,
                            read.front() + static_cast<std::uint64_t>(blocks), 0);
              return true;
            }};
  }

  Effect first_block_of(std::int64_t blocks, Kind kind) {
    return {fmt::format("the first of {} blocks read", blocks),
            [this, blocks, kind](std::int64_t x) {
              const auto at = place(kind, blocks);
              const auto count = static_cast<std::uint64_t>(blocks);
              if (!at || at->last < count) return false;
              prober_.refresh_angle();
              const std::uint64_t first =
                  kind == Kind::ends_cylinder ? at->last + 1 - count : at->first;
              prober_.read(first, static_cast<std::uint32_t>(blocks));
              prober_.refresh_angle();
              prober_.probe(Question::freedom, x, first, reading_rev(0));
              return true;
            }};
  }

  // ---- their comparison

  // nullopt: the drive does not take the settings.
  std::optional<Verdict> under(const Values& values, const Effect& effect) {
    const bool first = !drive_.recorded_settings();
    if (!values.empty() && !drive_.set_cache_fields(values)) return std::nullopt;
    const Verdict verdict = prober_.decide(Question::freedom, number_++, effect.trial);
    if (!values.empty()) restore(first);
    return verdict;
  }

  // `first`: no other setting of the page was changed before.
  void restore(bool first) {
    if (first) {
      drive_.restore_cache();
    } else if (!drive_.restore_page(*page_)) {
      throw Error(ExitStatus::drive_error,
                  "the drive did not take its own settings of mode page 08h back; run platter "
                  "restore, or power the drive off and on");
    }
  }

  // The effect under some settings, and under others, where it must be as expected.
  void contrast(const Effect& effect, const Values& before, const Values& after,
                Verdict expected) {
    const auto usual = under(before, effect);
    const std::string where = before.empty() ? "" : fmt::format(" with {}", in_words(before));
    if (!usual) return tell("not told", fmt::format("the drive does not take {}", in_words(before)));
    if (*usual == Verdict::open)
      return tell("not told", "there was no room, or no time, for its probe");
    if (*usual == expected)
      return tell("not told", fmt::format("{} is {}{} anyway", effect.what, in_words(*usual), where));
    compare(effect, *usual, where, after, expected);
  }

  // The first of them that can tell; it is the one returned.
  std::size_t contrast_any(const std::vector<Effect>& effects, const Values& before,
                           const Values& after, Verdict expected) {
    for (std::size_t i = 0;; ++i) {
      contrast(effects[i], before, after, expected);
      if (!because_.ends_with("anyway") || i + 1 == effects.size()) return i;
    }
  }

  void compare(const Effect& effect, Verdict usual, const std::string& where, const Values& after,
               Verdict expected) {
    const auto changed = under(after, effect);
    if (!changed) return tell("none", fmt::format("the drive refuses {}", in_words(after)));
    const std::string seen =
        fmt::format("{}: {}{}, {} with {}", effect.what, in_words(usual), where,
                    *changed == usual ? "and so" : in_words(*changed), in_words(after));
    tell(*changed == expected ? "seen" : *changed == usual ? "none" : "not told", seen);
  }

  // ---- the fields that take more than that

  // Fewer segments forget the first of two reads; one segment more keeps it.
  void segments() {
    const std::uint32_t says = now(name_);
    const auto try_number = [&](std::uint32_t number) {
      const bool fewer = says != 1;
      const Values wanted{set(name_, number)};
      const std::int64_t reads = number + (fewer ? 1 : 0);
      const std::int64_t reach = std::min<std::int64_t>(reach_blocks(prober_.record()), 64);
      std::vector<Effect> effects{first_of(reads)};
      if (reach > 0 && found_.read_ahead_after_sequential.or_else(0) == 0)
        effects.push_back(ahead_of_first_of(reads, (reach + 1) / 2));
      const std::size_t by =
          contrast_any(effects, {}, wanted, fewer ? Verdict::miss : Verdict::hit);
      if (effect_ == "none" && now("IC") == 0 && changeable("IC"))
        compare(effects[by], fewer ? Verdict::hit : Verdict::miss, "",
                joined(wanted, {set("IC", 1)}), fewer ? Verdict::miss : Verdict::hit);
    };
    if (says == 1) return try_number(2);
    // A drive that keeps a segment for writes needs one more.
    try_number(1);
    if (because_.starts_with("the drive refuses") && (says == 0 || says > 2)) try_number(2);
  }

  // Under its own control a drive may divide the buffer as it likes.
  void initiator_control() {
    if (!changeable("NUMBER OF CACHE SEGMENTS") || now("NUMBER OF CACHE SEGMENTS") == 1)
      return tell("not told", "the page's number of segments is not another that could be asked for");
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
    if (blocks < 4) return tell("not told", "the size of a segment was not told");
    Values smaller{set("CACHE SEGMENT SIZE", static_cast<std::uint64_t>(blocks / 4 * each))};
    if (changeable("SIZE")) smaller.push_back(set("SIZE", 1));
    std::vector<Effect> effects{first_block_of(blocks / 2, Kind::starts_cylinder),
                                first_block_of(blocks / 2, Kind::ends_cylinder)};
    const std::int64_t reach = std::min(reach_blocks(prober_.record()), blocks - 1);
    if (reach > blocks / 2) effects.push_back(behind(reach));
    const std::size_t by = contrast_any(effects, {}, smaller, Verdict::miss);
    if (effect_ == "none" && now("IC") == 0 && changeable("IC"))
      compare(effects[by], Verdict::hit, "", joined(smaller, {set("IC", 1)}), Verdict::miss);
  }

  void over_ends() {
    const Verdict expected = now("DISC") ? Verdict::miss : Verdict::hit;
    const Values other{set("DISC", 1 - now("DISC"))};
    contrast(over_the_end(Kind::ends_cylinder, "cylinder"), {}, other, expected);
    if (because_.ends_with("anyway") || effect_ == "none") {
      const std::string told = because_, effect = effect_;
      contrast(over_the_end(Kind::before_end, "track"), {}, other, expected);
      if (effect_ == "not told") tell(effect == "none" ? "none" : "not told", told);
    }
  }

  // What has to be read behind a request is there even when the next command comes at once.
  void broken_off(std::string_view name, std::int64_t reach) {
    const std::uint32_t least = now("MINIMUM PRE-FETCH");
    const std::int64_t blocks =
        least > 0 ? std::min<std::int64_t>(least, reach)
                  : std::min<std::int64_t>(reach, prober_.places().track_blocks());
    if (blocks < kLeastAhead)
      return tell("not told", "too few blocks are read ahead to be broken off in between");
    const Effect effect = behind_when_broken_off(blocks);
    const auto usual = under({}, effect);
    const Values many{set("MINIMUM PRE-FETCH", static_cast<std::uint64_t>(blocks))};
    if (*usual == Verdict::open)
      return tell("not told", "there was no room, or no time, for its probe");
    if (*usual == Verdict::miss) {
      // Read ahead in peace, is it still there after the other read?
      const auto in_peace = under({}, behind_when_broken_off(blocks, reading_rev(blocks)));
      if (*in_peace != Verdict::hit)
        return tell("not told", "another read pushes out what was read ahead anyway");
    }
    if (name == "MINIMUM PRE-FETCH") {
      if (*usual == Verdict::hit && least == 0)
        return tell("not told", "the next command does not stop read-ahead anyway");
      Values other = *usual == Verdict::hit ? Values{set(name, 0)} : many;
      if (now("ABPF") && changeable("ABPF")) other.push_back(set("ABPF", 0));
      return compare(effect, *usual, "", other, opposite(*usual));
    }
    const Values aborts{set("ABPF", now("ABPF") ? 0 : 1)};
    if ((*usual == Verdict::hit) == (now("ABPF") == 0))
      return compare(effect, *usual, "", aborts, opposite(*usual));
    if (!changeable("MINIMUM PRE-FETCH"))
      return tell("not told", "the next command stops read-ahead anyway");
    contrast(effect, many, joined(many, aborts), now("ABPF") ? Verdict::hit : Verdict::miss);
  }

  void write_cache() {
    if (writable_.empty()) return tell("not told", "it needs writes (--allow-writes)");
    Targets targets(prober_, writable_);
    if (!targets.any()) return tell("not told", "there was no room for writes");
    const Effect write{"a write", [&](std::int64_t x) {
                         const std::uint64_t lbn = targets.next();
                         settle();
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
    if (writable_.empty()) return tell("not told", "it needs writes (--allow-writes)");
    if (!prober_.record().setting.angles_trusted)
      return tell("not told", "rotational positions are not known well enough");
    if (found_.written_persist.or_else(0) != 0)
      return tell("not told", "no write waits for the media");
    if (now("FSW") == 0 && found_.zero_latency_write.or_else(1) == 0)
      return tell("not told", "writes begin with their first block anyway");
    const auto at = track_to_write();
    if (!at) return tell("not told", "there was no room for writes of a whole track");
    std::uint32_t blocks = at->blocks();
    if (const auto size = cache_probe::segment_size(prober_.record());
        size && size->blocks >= 1 && size->blocks < blocks)
      blocks = static_cast<std::uint32_t>(size->blocks);
    const double share = static_cast<double>(blocks) / at->track.sectors;
    if (share < kLeastArrivalShare)
      return tell("not told", "a segment holds too little of a track");
    if (bus_hides_arrival(prober_.record(), blocks))
      return tell("not told", "the bus is about as slow as the media or slower");
    drive_.learn_contents(at->first, blocks);
    const std::vector<double> usual = whole_writes_rev(*at, blocks);
    const Values other{set("FSW", 1 - now("FSW"))};
    const bool first = !drive_.recorded_settings();
    if (!drive_.set_cache_fields(other))
      return tell("none", fmt::format("the drive refuses {}", in_words(other)));
    const std::vector<double> changed = whole_writes_rev(*at, blocks);
    restore(first);
    std::vector<double> differences;
    for (std::size_t i = 0; i < usual.size(); ++i)
      differences.push_back(std::abs(changed[i] - usual[i]));
    std::ranges::sort(differences);
    const double difference = differences[differences.size() / 2];
    tell(difference > kDiffers_rev ? "seen" : difference < kDiffers_rev / 2 ? "none" : "not told",
         fmt::format("writes of {} blocks, begun at {} angles: with {} half of them take {:.2f} "
                     "revolutions more or less",
                     blocks, differences.size(), in_words(other), difference));
  }

  std::optional<Place> track_to_write() {
    constexpr int kTries = 2000;
    std::uniform_int_distribution<std::size_t> any_range(0, writable_.size() - 1);
    for (int i = 0; i < kTries; ++i) {
      const LbnRange& range = writable_[any_range(prober_.context().random)];
      std::uniform_int_distribution<std::uint64_t> any(range.first, range.last);
      const auto found = prober_.places().place_of_lbn(any(prober_.context().random));
      if (found && found->first >= found->blocks() &&
          drive_.may_write(found->first, found->blocks()))
        return found;
    }
    return std::nullopt;
  }

  // At each phase the least of two: delays only add.
  std::vector<double> whole_writes_rev(const Place& at, std::uint32_t blocks) {
    std::vector<double> taken;
    for (int i = 0; i < kArrivals; ++i) {
      double least = 1e9;
      for (int round = 0; round < 2; ++round) {
        std::uniform_int_distribution<std::uint64_t> back(1, at.blocks());
        prober_.refresh_angle();
        drive_.read(at.first - back(prober_.context().random), 1, true);
        const double ahead = (i + 0.5) / kArrivals;
        prober_.rest_until(at.first, 0, ahead, ahead);
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
  std::string effect_, because_;
};

}  // namespace

std::vector<model::CacheFreedom> probe_freedoms(Prober& prober, const model::Cache& found,
                                                const std::vector<LbnRange>& writable) {
  return Freedoms(prober, found, writable).all();
}

}  // namespace platter::cache_probe
