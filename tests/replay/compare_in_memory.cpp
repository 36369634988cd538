#include "replay/compare_in_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "model/error.h"
#include "replay/hits.h"
#include "statistics/distribution.h"

namespace platter::replay {
namespace {

constexpr std::size_t kPhaseAccesses = 100;
constexpr double kPhaseWindow = 1.0 / 32;  // of a revolution, to either side

struct SizeClass {
  std::uint32_t least, most;  // blocks
};
constexpr std::array<SizeClass, 7> kSizeClasses = {
    {{1, 4}, {5, 8}, {9, 16}, {17, 32}, {33, 64}, {65, 128}, {129, ~0u}}};

std::string name_of(const SizeClass& size) {
  return size.most == ~0u ? fmt::format("{}+", size.least)
                          : fmt::format("{}-{}", size.least, size.most);
}

double root_mean_square(std::span<const double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

std::string difference_in_requests(const Result& drive, const Result& model) {
  if (drive.requests.size() != model.requests.size())
    return fmt::format("the results have {} and {} requests", drive.requests.size(),
                       model.requests.size());
  for (std::size_t i = 0; i < drive.requests.size(); ++i) {
    const Response &a = drive.requests[i], &b = model.requests[i];
    if (a.lbn != b.lbn || a.blocks != b.blocks || a.write != b.write)
      return fmt::format("request {} of the results is not the same", i + 1);
  }
  return {};
}

double error_ns(const Response& drive, const Response& model) {
  return static_cast<double>(model.response_ns - drive.response_ns);
}

bool issued_alike(const Result& drive, const Result& model, double tolerance_ns) {
  const Nanoseconds offset_ns = model.requests.front().issue_ns - drive.requests.front().issue_ns;
  for (std::size_t i = 0; i < drive.requests.size(); ++i) {
    const Nanoseconds apart_ns = model.requests[i].issue_ns - drive.requests[i].issue_ns -
                                 offset_ns;
    if (std::abs(static_cast<double>(apart_ns)) > tolerance_ns) return false;
  }
  return true;
}

// What the paired metrics need to know of each request, in the trace's order.
struct Pair {
  std::optional<bool> drive_hit, model_hit;
  double error_ns = 0;
  bool on_media = false;                       // on both sides
  double folded_ns = 0;                        // phase set once; if on_media
  std::optional<double> folded_reanchored_ns;  // absent for the first, which has no anchor
};

// The errors modulo one revolution. The drive's platter stood elsewhere than the model's by a
// constant, which is estimated once, over the reference reads if the model got them when the drive
// did, otherwise over the first 100 media accesses.
class Phase {
 public:
  Phase(const Result& drive, const Result& model, double period_ns, const HitRule& rule,
        Comparison& comparison)
      : drive_(drive), model_(model), period_ns_(period_ns), rule_(rule) {
    free_running_ = comparison.same_issue_times || drive.kind == trace::Kind::open;
    std::vector<double> errors = free_running_ ? reference_errors() : std::vector<double>{};
    comparison.phase_from = "reference reads";
    if (errors.empty()) {
      errors = first_media_errors();
      comparison.phase_from = fmt::format("first {} media accesses", errors.size());
    }
    offset_ns_ = statistics::circular_median(errors, period_ns_);
    if (errors.empty()) comparison.phase_from.clear();
    comparison.phase_ms = offset_ns_ / 1e6;
  }

  void fold_into(std::vector<Pair>& pairs) const {
    std::optional<std::size_t> anchor;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!pairs[i].on_media) continue;
      pairs[i].folded_ns = fold(pairs[i].error_ns - offset_ns_);
      if (!free_running_)  // each request starts a think time after the completion before it
        pairs[i].folded_reanchored_ns = fold(pairs[i].error_ns);
      else if (anchor)
        pairs[i].folded_reanchored_ns = fold(lag_ns(i) - lag_ns(*anchor));
      anchor = i;
    }
  }

 private:
  double fold(double value_ns) const { return statistics::fold(value_ns, period_ns_); }

  double lag_ns(std::size_t i) const {
    return static_cast<double>(model_.requests[i].completion_ns() -
                               drive_.requests[i].completion_ns());
  }

  std::vector<double> reference_errors() const {
    std::vector<double> errors;
    const std::size_t count = std::min(drive_.reference.size(), model_.reference.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Response &drive = drive_.reference[i], &model = model_.reference[i];
      if (drive.lbn == model.lbn && rule_.both_from_media(drive, model))
        errors.push_back(error_ns(drive, model));
    }
    return errors;
  }

  std::vector<double> first_media_errors() const {
    std::vector<double> errors;
    for (std::size_t i = 0; i < drive_.requests.size() && errors.size() < kPhaseAccesses; ++i)
      if (rule_.both_from_media(drive_.requests[i], model_.requests[i]))
        errors.push_back(error_ns(drive_.requests[i], model_.requests[i]));
    return errors;
  }

  const Result &drive_, &model_;
  double period_ns_, offset_ns_ = 0;
  HitRule rule_;
  bool free_running_ = false;
};

std::optional<double> share(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

PairedError paired_error(const std::vector<double>& errors_ms) {
  std::vector<double> absolute;
  for (const double error : errors_ms) absolute.push_back(std::abs(error));
  std::sort(absolute.begin(), absolute.end());
  return {.bias_ms = statistics::mean(errors_ms),
          .mae_ms = statistics::mean(absolute),
          .rms_ms = root_mean_square(absolute),
          .p50_ms = statistics::quantile(absolute, 0.50),
          .p95_ms = statistics::quantile(absolute, 0.95),
          .p99_ms = statistics::quantile(absolute, 0.99),
          .max_ms = absolute.back()};
}

void add_hits(ClassMetrics& metrics, const std::vector<const Pair*>& pairs) {
  std::size_t known = 0, hits = 0, misses = 0, hits_as_hits = 0, misses_as_misses = 0;
  for (const Pair* pair : pairs) {
    if (!pair->drive_hit || !pair->model_hit) continue;
    ++known;
    ++(*pair->drive_hit ? hits : misses);
    if (*pair->drive_hit == *pair->model_hit)
      ++(*pair->drive_hit ? hits_as_hits : misses_as_misses);
  }
  metrics.drive_hits = hits;
  metrics.drive_misses = misses;
  metrics.hits_agreed_share = share(hits_as_hits + misses_as_misses, known);
  metrics.hits_as_hits_share = share(hits_as_hits, hits);
  metrics.misses_as_misses_share = share(misses_as_misses, misses);
}

void add_phase(ClassMetrics& metrics, const std::vector<const Pair*>& pairs, double period_ns) {
  const double window_ns = kPhaseWindow * period_ns;
  std::size_t inside = 0, anchored = 0, anchored_inside = 0;
  for (const Pair* pair : pairs) {
    if (!pair->on_media) continue;
    ++metrics.phase_n;
    if (std::abs(pair->folded_ns) <= window_ns) ++inside;
    if (!pair->folded_reanchored_ns) continue;
    ++anchored;
    if (std::abs(*pair->folded_reanchored_ns) <= window_ns) ++anchored_inside;
  }
  metrics.folded_phase_share = share(inside, metrics.phase_n);
  metrics.folded_phase_share_reanchored = share(anchored_inside, anchored);
}

using Belongs = std::function<bool(const Response&)>;

std::span<const Response> within(const Result& result, const std::optional<Range>& range) {
  const std::span<const Response> all = result.requests;
  if (!range) return all;
  const std::size_t first = std::min<std::size_t>(range->from - 1, all.size());
  return all.subspan(first, std::min<std::size_t>(range->to, all.size()) - first);
}

std::vector<double> sorted_responses_ms(std::span<const Response> requests,
                                        const Belongs& belongs) {
  std::vector<double> times;
  for (const Response& request : requests)
    if (belongs(request)) times.push_back(to_ms(request.response_ns));
  std::sort(times.begin(), times.end());
  return times;
}

Range asked_range(const Comparing& options, std::uint64_t requests) {
  Range range{options.from.value_or(1), options.to.value_or(requests)};
  if (options.half == Half::first) range.to = requests / 2;
  if (options.half == Half::second) range.from = requests / 2 + 1;
  return range;
}

// Nothing where all requests are meant. What is refused is told by how many requests there are.
std::optional<Range> range_of(const Comparing& options, const Result& drive, const Result& model) {
  if (!options.from && !options.to && !options.half) return std::nullopt;
  const std::uint64_t requests = drive.requests.size();
  const Range range = asked_range(options, requests);
  if (options.half && range.from > range.to)
    throw Error(ExitStatus::usage,
                "the drive's result has 1 request, which has no first half; compare it whole");
  if (range.from < 1 || std::max(options.from.value_or(1), range.to) > requests)
    throw Error(
        ExitStatus::usage,
        fmt::format(
            "the drive's result has {} requests, so that there is no request {}; give --from "
            "and --to from 1 to {}",
            requests, range.to > requests ? range.to : range.from, requests));
  if (range.from > range.to)
    throw Error(ExitStatus::usage,
                fmt::format("no request lies from {} to {}; give a --from that is at most --to",
                            range.from, range.to));
  if (range.from > model.requests.size())
    throw Error(
        ExitStatus::usage,
        fmt::format("the result of {} has {} requests, none from {} to {}; compare results of the "
                    "same trace",
                    model.name, model.requests.size(), range.from, range.to));
  return range;
}

std::optional<double> quarter_revolution_ns(const Comparison& comparison) {
  if (!comparison.period_ns) return std::nullopt;
  return HitRule::of_period(*comparison.period_ns).threshold_ns;
}

std::vector<Pair> pairs_of(const Result& drive, const Result& model, Comparison& comparison) {
  const bool by_response = comparison.hits_by == HitsBy::response;
  const auto short_response = [&](const Response& response) -> std::optional<bool> {
    if (!comparison.hit_threshold_ns) return std::nullopt;
    return static_cast<double>(response.response_ns) < *comparison.hit_threshold_ns;
  };
  const HitRule rule{by_response ? quarter_revolution_ns(comparison) : comparison.hit_threshold_ns,
                     model.block_transfer_ns.value_or(0)};
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < drive.requests.size(); ++i) {
    const Response &theirs = drive.requests[i], &mine = model.requests[i];
    Pair pair;
    if (by_response) {
      pair.drive_hit = short_response(theirs);
      pair.model_hit = short_response(mine);
    } else {
      pair.drive_hit = rule.is_hit(theirs);
      // By the same rule on both sides: a read that waits a little for a read-ahead under way looks
      // like a hit on the drive, and so must it on a perfect model.
      pair.model_hit = theirs.media ? rule.is_hit(mine) : rule.is_hit_by_time(mine);
    }
    pair.error_ns = error_ns(theirs, mine);
    pair.on_media = rule.both_from_media(theirs, mine);
    pairs.push_back(pair);
  }
  const double tolerance_ns = comparison.period_ns ? *comparison.period_ns / 1000 : 0;
  comparison.same_issue_times = issued_alike(drive, model, tolerance_ns);
  if (comparison.period_ns)
    Phase(drive, model, *comparison.period_ns, rule, comparison).fold_into(pairs);
  return pairs;
}

}  // namespace

Comparison compare_in_memory(const Result& drive, const Result& model, const Comparing& options) {
  Comparison comparison;
  comparison.drive = drive.name;
  comparison.model = model.name;
  comparison.trace = drive.trace;
  comparison.period_ns = model.period_ns ? model.period_ns : drive.period_ns;
  comparison.hits_by = options.hits_by;
  comparison.hit_threshold_ns = options.hit_threshold_ns;
  if (!comparison.hit_threshold_ns) comparison.hit_threshold_ns = quarter_revolution_ns(comparison);
  comparison.range = range_of(options, drive, model);
  comparison.not_paired = difference_in_requests(drive, model);
  std::vector<Pair> pairs;
  if (comparison.not_paired.empty()) pairs = pairs_of(drive, model, comparison);

  const std::span<const Response> compared = within(drive, comparison.range);
  const std::size_t first = comparison.range ? comparison.range->from - 1 : 0;
  const auto add_class = [&](const std::string& name, bool even_if_empty, const Belongs& belongs) {
    const std::vector<double> theirs = sorted_responses_ms(compared, belongs);
    const std::vector<double> mine = sorted_responses_ms(within(model, comparison.range), belongs);
    if (theirs.empty() && mine.empty() && !even_if_empty) return;
    ClassMetrics metrics;
    metrics.name = name;
    metrics.n_drive = theirs.size();
    metrics.n_model = mine.size();
    metrics.mean_drive_ms = statistics::mean(theirs);
    metrics.mean_model_ms = statistics::mean(mine);
    metrics.demerit_ms = statistics::demerit(theirs, mine);
    if (metrics.mean_drive_ms > 0)
      metrics.demerit_percent = 100 * metrics.demerit_ms / metrics.mean_drive_ms;
    std::vector<const Pair*> members;
    std::vector<double> errors_ms;
    for (std::size_t i = 0; i < compared.size() && !pairs.empty(); ++i) {
      if (!belongs(compared[i])) continue;
      members.push_back(&pairs[first + i]);
      errors_ms.push_back(pairs[first + i].error_ns / 1e6);
    }
    if (!errors_ms.empty()) metrics.paired = paired_error(errors_ms);
    add_hits(metrics, members);
    if (comparison.period_ns) add_phase(metrics, members, *comparison.period_ns);
    comparison.classes.push_back(std::move(metrics));
  };
  add_class("all", true, [](const Response&) { return true; });
  add_class("read", true, [](const Response& request) { return !request.write; });
  add_class("write", true, [](const Response& request) { return request.write; });
  for (const SizeClass& size : kSizeClasses)
    add_class(name_of(size), false, [&](const Response& request) {
      return request.blocks >= size.least && request.blocks <= size.most;
    });
  return comparison;
}

}  // namespace platter::replay
