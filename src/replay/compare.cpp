#include "replay/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "model/error.h"
#include "replay/hits.h"
#include "replay/stated_demerit.h"
#include "statistics/distribution.h"

namespace platter::replay {
namespace {

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

// A request's kind: its size class, and whether it writes. A class of the comparison is of some
// kinds.
constexpr std::size_t kSizes = 8;  // and one for what is in no size class
static_assert(kSizeClasses.size() < kSizes && 2 * kSizes == SortedTimes::kKinds);

std::size_t kind_of(const Response& request) {
  std::size_t size = 0;
  while (size < kSizeClasses.size() &&
         !(request.blocks >= kSizeClasses[size].least && request.blocks <= kSizeClasses[size].most))
    ++size;
  return size + (request.write ? kSizes : 0);
}

struct Class {
  std::string name;
  SortedTimes::Kinds kinds;
  bool even_if_empty;
};

std::vector<Class> all_classes() {
  constexpr unsigned kReads = (1U << kSizes) - 1;
  std::vector<Class> classes = {{"all", {kReads | kReads << kSizes}, true},
                                {"read", {kReads}, true},
                                {"write", {kReads << kSizes}, true}};
  for (std::size_t i = 0; i < kSizeClasses.size(); ++i)
    classes.push_back({name_of(kSizeClasses[i]), {(1U << i) | (1U << (i + kSizes))}, false});
  return classes;
}

double error_ns(const Response& drive, const Response& model) {
  return static_cast<double>(model.response_ns - drive.response_ns);
}

bool same_request(const Response& a, const Response& b) {
  return a.lbn == b.lbn && a.blocks == b.blocks && a.write == b.write;
}

std::optional<double> quarter_revolution_ns(const Comparison& comparison) {
  if (!comparison.period_ns) return std::nullopt;
  return HitRule::of_period(*comparison.period_ns).threshold_ns;
}

std::optional<double> share(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Reads both results twice: what must be known of all requests before the first is judged, then
// each.
class Comparer {
 public:
  Comparer(const OpenResult& drive, const OpenResult& model, const Comparing& options)
      : open_drive_(drive),
        open_model_(model),
        options_(options),
        drive_times_(options.times_in_memory),
        model_times_(options.times_in_memory),
        errors_(options.times_in_memory) {}

  Comparison run() {
    look_over();
    comparison_.range = range();
    if (paired() && comparison_.period_ns) set_phase();
    read_requests();
    for (std::size_t i = 0; i < classes_.size(); ++i) add_class(classes_[i], sums_[i]);
    comparison_.phase_lead = phase_lead();
    return std::move(comparison_);
  }

 private:
  // What the paired metrics need to know of a request.
  struct Pair {
    std::optional<bool> drive_hit{}, model_hit{};
    double error_ms = 0;
    bool on_media = false;                         // on both sides
    double folded_ns = 0;                          // phase set once; if on_media
    std::optional<double> folded_reanchored_ns{};  // absent for the first, which has no anchor
  };
  // Of the requests of a class.
  struct Sums {
    std::uint64_t requests = 0;
    double errors_ms = 0;
    std::size_t known = 0, hits = 0, misses = 0, hits_as_hits = 0, misses_as_misses = 0;
    std::size_t on_media = 0, inside = 0, anchored = 0, anchored_inside = 0;
  };

  bool paired() const { return comparison_.not_paired.empty(); }
  void look_over();
  void begin(const ResultHead& drive, const ResultHead& model);
  void look_at(const Response& drive, const Response& model);
  void look_at_references(const std::vector<Response>& drive, const std::vector<Response>& model);
  std::string why_not_paired() const;
  std::optional<Range> range() const;
  void set_phase();
  PhaseLead phase_lead() const;
  void read_requests();
  void judge(const Response& drive, const Response& model, bool in_range);
  Pair pair_of(const Response& drive, const Response& model) const;
  void fold(Pair& pair, const Response& drive, const Response& model);
  void add(const Pair& pair, Sums& sums) const;
  void add_class(const Class& each, const Sums& sums);
  PairedError paired_error(const Class& each, const Sums& sums);

  const OpenResult &open_drive_, &open_model_;
  const Comparing& options_;
  Comparison comparison_{};
  HitRule rule_{};
  bool open_trace_ = false;

  std::uint64_t drive_requests_ = 0, model_requests_ = 0, looked_at_ = 0;
  std::optional<std::uint64_t> first_difference_{};
  Nanoseconds issue_offset_ns_ = 0;
  Nanoseconds span_ns_ = 0;  // from the drive's first issue to its last completion
  std::optional<Nanoseconds> first_issue_ns_{};
  bool issued_alike_ = true;
  std::vector<double> reference_errors_{}, first_media_errors_{};

  // The drive's platter stood elsewhere than the model's by a constant.
  bool free_running_ = false;
  double phase_ns_ = 0;
  std::optional<double> period_error_ns_{};
  std::optional<double> anchor_lag_ns_{};

  std::vector<Class> classes_ = all_classes();
  std::vector<Sums> sums_ = std::vector<Sums>(classes_.size());
  SortedTimes drive_times_, model_times_, errors_;
};

void Comparer::begin(const ResultHead& drive, const ResultHead& model) {
  comparison_.drive = drive.name;
  comparison_.model = model.name;
  comparison_.trace = drive.trace;
  comparison_.period_ns = model.period_ns ? model.period_ns : drive.period_ns;
  comparison_.hits_by = options_.hits_by;
  comparison_.hit_threshold_ns = options_.hit_threshold_ns;
  if (!comparison_.hit_threshold_ns)
    comparison_.hit_threshold_ns = quarter_revolution_ns(comparison_);
  const bool by_response = options_.hits_by == HitsBy::response;
  rule_ = {by_response ? quarter_revolution_ns(comparison_) : comparison_.hit_threshold_ns,
           model.block_transfer_ns.value_or(0)};
  open_trace_ = drive.kind == trace::Kind::open;
  period_error_ns_ = model.period_error_ns;
}

void Comparer::look_over() {
  const std::unique_ptr<ResultReader> drive = open_drive_(), model = open_model_();
  begin(drive->head(), model->head());
  std::vector<Response> drive_reference, model_reference;
  TraceRows theirs(*drive, &drive_reference), mine(*model, &model_reference);
  for (;;) {
    const Response* const a = theirs.next();
    const Response* const b = mine.next();
    if (!a && !b) break;
    if (a) {
      if (!first_issue_ns_) first_issue_ns_ = a->issue_ns;
      span_ns_ = std::max(span_ns_, a->completion_ns() - *first_issue_ns_);
    }
    drive_requests_ += a != nullptr;
    model_requests_ += b != nullptr;
    if (a && b) look_at(*a, *b);
  }
  look_at_references(drive_reference, model_reference);
  comparison_.not_paired = why_not_paired();
  if (paired()) comparison_.same_issue_times = issued_alike_;
}

void Comparer::look_at(const Response& drive, const Response& model) {
  if (looked_at_ == 0) issue_offset_ns_ = model.issue_ns - drive.issue_ns;
  if (!first_difference_ && !same_request(drive, model)) first_difference_ = looked_at_;
  ++looked_at_;
  const Nanoseconds apart_ns = model.issue_ns - drive.issue_ns - issue_offset_ns_;
  const double tolerance_ns = comparison_.period_ns ? *comparison_.period_ns / 1000 : 0;
  issued_alike_ = issued_alike_ && std::abs(static_cast<double>(apart_ns)) <= tolerance_ns;
  if (first_media_errors_.size() < kPhaseAccesses && rule_.both_from_media(drive, model))
    first_media_errors_.push_back(error_ns(drive, model));
}

void Comparer::look_at_references(const std::vector<Response>& drive,
                                  const std::vector<Response>& model) {
  for (std::size_t i = 0; i < std::min(drive.size(), model.size()); ++i)
    if (drive[i].lbn == model[i].lbn && rule_.both_from_media(drive[i], model[i]))
      reference_errors_.push_back(error_ns(drive[i], model[i]));
}

std::string Comparer::why_not_paired() const {
  if (drive_requests_ != model_requests_)
    return fmt::format("the results have {} and {} requests", drive_requests_, model_requests_);
  if (first_difference_)
    return fmt::format("request {} of the results is not the same", *first_difference_ + 1);
  return {};
}

// Nothing where all requests are meant. What is refused is told by how many requests there are.
std::optional<Range> Comparer::range() const {
  if (!options_.from && !options_.to && !options_.half) return std::nullopt;
  const std::uint64_t requests = drive_requests_;
  Range range{options_.from.value_or(1), options_.to.value_or(requests)};
  if (options_.half == Half::first) range.to = requests / 2;
  if (options_.half == Half::second) range.from = requests / 2 + 1;
  if (options_.half && range.from > range.to)
    throw Error(ExitStatus::usage,
                "the drive's result has 1 request, which has no first half; compare it whole");
  if (range.from < 1 || std::max(options_.from.value_or(1), range.to) > requests)
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
  if (range.from > model_requests_)
    throw Error(
        ExitStatus::usage,
        fmt::format("the result of {} has {} requests, none from {} to {}; compare results of the "
                    "same trace",
                    comparison_.model, model_requests_, range.from, range.to));
  return range;
}

// Estimated once, over the reference reads if the model got them when the drive did, otherwise over
// the first 100 media accesses.
void Comparer::set_phase() {
  free_running_ = comparison_.same_issue_times || open_trace_;
  const bool by_references = free_running_ && !reference_errors_.empty();
  const std::vector<double>& errors = by_references ? reference_errors_ : first_media_errors_;
  if (by_references)
    comparison_.phase_from = "reference reads";
  else if (!errors.empty())
    comparison_.phase_from = fmt::format("first {} media accesses", errors.size());
  phase_ns_ = statistics::circular_median(errors, *comparison_.period_ns);
  comparison_.phase_ms = phase_ns_ / 1e6;
  if (free_running_ && period_error_ns_) {
    const double turns = static_cast<double>(span_ns_) / *comparison_.period_ns;
    comparison_.phase_drift_rev = turns * *period_error_ns_ / *comparison_.period_ns;
  }
}

// Set once, the phase says something while the period's error has not turned it out of the window
// in which accesses count. Where that error is not known, the two shares tell: chance does not make
// the one four standard errors better.
PhaseLead Comparer::phase_lead() const {
  const ClassMetrics& all = comparison_.classes.front();
  if (!free_running_ || !all.folded_phase_share || !all.folded_phase_share_reanchored)
    return PhaseLead::once;
  if (comparison_.phase_drift_rev)
    return *comparison_.phase_drift_rev > kPhaseWindow ? PhaseLead::anew : PhaseLead::once;
  const double once = *all.folded_phase_share, anew = *all.folded_phase_share_reanchored;
  const double error =
      std::sqrt((once * (1 - once) + anew * (1 - anew)) / static_cast<double>(all.phase_n));
  return anew - once > 4 * error ? PhaseLead::anew : PhaseLead::once;
}

void Comparer::read_requests() {
  const std::unique_ptr<ResultReader> drive = open_drive_(), model = open_model_();
  TraceRows theirs(*drive), mine(*model);
  for (std::uint64_t number = 1;; ++number) {
    const Response* const a = theirs.next();
    const Response* const b = mine.next();
    if (!a && !b) return;
    const std::optional<Range>& range = comparison_.range;
    const bool in_range = !range || (number >= range->from && number <= range->to);
    if (a && in_range) drive_times_.add(kind_of(*a), a->response_ns);
    if (b && in_range) model_times_.add(kind_of(*b), b->response_ns);
    if (a && b && paired()) judge(*a, *b, in_range);
  }
}

void Comparer::judge(const Response& drive, const Response& model, bool in_range) {
  Pair pair = pair_of(drive, model);
  if (pair.on_media && comparison_.period_ns) fold(pair, drive, model);
  if (!in_range) return;
  const std::size_t kind = kind_of(drive);
  errors_.add(kind, std::abs(model.response_ns - drive.response_ns));
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (classes_[i].kinds[kind]) add(pair, sums_[i]);
}

Comparer::Pair Comparer::pair_of(const Response& drive, const Response& model) const {
  const auto short_response = [&](const Response& response) -> std::optional<bool> {
    if (!comparison_.hit_threshold_ns) return std::nullopt;
    return static_cast<double>(response.response_ns) < *comparison_.hit_threshold_ns;
  };
  Pair pair{.error_ms = error_ns(drive, model) / 1e6,
            .on_media = rule_.both_from_media(drive, model)};
  if (options_.hits_by == HitsBy::response) {
    pair.drive_hit = short_response(drive);
    pair.model_hit = short_response(model);
  } else {
    pair.drive_hit = rule_.is_hit(drive);
    // By the same rule on both sides: a read that waits a little for a read-ahead under way looks
    // like a hit on the drive, and so must it on a perfect model.
    pair.model_hit = drive.media ? rule_.is_hit(model) : rule_.is_hit_by_time(model);
  }
  return pair;
}

// The error modulo one revolution.
void Comparer::fold(Pair& pair, const Response& drive, const Response& model) {
  const auto folded = [&](double value_ns) {
    return statistics::fold(value_ns, *comparison_.period_ns);
  };
  const double lag_ns = static_cast<double>(model.completion_ns() - drive.completion_ns());
  pair.folded_ns = folded(error_ns(drive, model) - phase_ns_);
  if (!free_running_)  // each request starts a think time after the completion before it
    pair.folded_reanchored_ns = folded(error_ns(drive, model));
  else if (anchor_lag_ns_)
    pair.folded_reanchored_ns = folded(lag_ns - *anchor_lag_ns_);
  anchor_lag_ns_ = lag_ns;
}

void Comparer::add(const Pair& pair, Sums& sums) const {
  ++sums.requests;
  sums.errors_ms += pair.error_ms;
  if (pair.drive_hit && pair.model_hit) {
    ++sums.known;
    ++(*pair.drive_hit ? sums.hits : sums.misses);
    if (*pair.drive_hit == *pair.model_hit)
      ++(*pair.drive_hit ? sums.hits_as_hits : sums.misses_as_misses);
  }
  if (!pair.on_media || !comparison_.period_ns) return;
  const double window_ns = kPhaseWindow * *comparison_.period_ns;
  ++sums.on_media;
  sums.inside += std::abs(pair.folded_ns) <= window_ns;
  if (!pair.folded_reanchored_ns) return;
  ++sums.anchored;
  sums.anchored_inside += std::abs(*pair.folded_reanchored_ns) <= window_ns;
}

void Comparer::add_class(const Class& each, const Sums& sums) {
  ClassMetrics metrics;
  metrics.name = each.name;
  metrics.n_drive = drive_times_.count(each.kinds);
  metrics.n_model = model_times_.count(each.kinds);
  if (metrics.n_drive == 0 && metrics.n_model == 0 && !each.even_if_empty) return;

  struct Side {
    SortedTimes::Reader times;
    std::size_t count, given = 0;
    double sum_ms = 0;

    double next_ms() {
      Nanoseconds time_ns = 0;
      times.next(time_ns);
      ++given;
      sum_ms += to_ms(time_ns);
      return to_ms(time_ns);
    }
    double mean_ms() {
      while (given < count) next_ms();
      return count == 0 ? 0 : sum_ms / static_cast<double>(count);
    }
  };
  Side theirs{drive_times_.read(each.kinds), metrics.n_drive};
  Side mine{model_times_.read(each.kinds), metrics.n_model};
  metrics.demerit_ms = statistics::demerit([&] { return theirs.next_ms(); }, theirs.count,
                                           [&] { return mine.next_ms(); }, mine.count);
  metrics.mean_drive_ms = theirs.mean_ms();
  metrics.mean_model_ms = mine.mean_ms();
  if (metrics.mean_drive_ms > 0)
    metrics.demerit_percent = 100 * metrics.demerit_ms / metrics.mean_drive_ms;

  if (sums.requests > 0) metrics.paired = paired_error(each, sums);
  metrics.drive_hits = sums.hits;
  metrics.drive_misses = sums.misses;
  metrics.hits_agreed_share = share(sums.hits_as_hits + sums.misses_as_misses, sums.known);
  metrics.hits_as_hits_share = share(sums.hits_as_hits, sums.hits);
  metrics.misses_as_misses_share = share(sums.misses_as_misses, sums.misses);
  metrics.phase_n = sums.on_media;
  metrics.folded_phase_share = share(sums.inside, sums.on_media);
  metrics.folded_phase_share_reanchored = share(sums.anchored_inside, sums.anchored);
  comparison_.classes.push_back(std::move(metrics));
}

PairedError Comparer::paired_error(const Class& each, const Sums& sums) {
  const auto n = static_cast<double>(sums.requests);
  // Where a quantile lies among the sorted errors: between two of them.
  struct Quantile {
    std::uint64_t below;
    double rest, value = 0;
  };
  std::array<Quantile, 3> quantiles{};
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const double place = std::array{0.50, 0.95, 0.99}[i] * (n - 1);
    const auto below = static_cast<std::uint64_t>(place);
    quantiles[i] = {below, place - static_cast<double>(below)};
  }
  PairedError error{.bias_ms = sums.errors_ms / n};
  double sum = 0, squares = 0;
  SortedTimes::Reader errors = errors_.read(each.kinds);
  Nanoseconds error_ns = 0;
  for (std::uint64_t i = 0; errors.next(error_ns); ++i) {
    const double ms = to_ms(error_ns);
    sum += ms;
    squares += ms * ms;
    for (Quantile& quantile : quantiles) {
      if (i == quantile.below) quantile.value = ms;
      if (i == quantile.below + 1) quantile.value += quantile.rest * (ms - quantile.value);
    }
    error.max_ms = ms;
  }
  error.mae_ms = sum / n;
  error.rms_ms = std::sqrt(squares / n);
  error.p50_ms = quantiles[0].value;
  error.p95_ms = quantiles[1].value;
  error.p99_ms = quantiles[2].value;
  return error;
}

}  // namespace

Comparison compare(const OpenResult& drive, const OpenResult& model, const Comparing& options) {
  return Comparer(drive, model, options).run();
}

Comparison compare(const Result& drive, const Result& model, const Comparing& options) {
  return compare(result_source(drive), result_source(model), options);
}

Comparison compare_with_error(const Result& drive, const Result& model) {
  Comparison comparison = compare(drive, model);
  if (comparison.not_paired.empty() && comparison.period_ns)
    comparison.classes.front().demerit_error_ms = demerit_error_ms(answered(drive, model, 0),
                                                                   *comparison.period_ns * 1e-6);
  return comparison;
}

}  // namespace platter::replay
