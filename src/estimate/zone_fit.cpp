#include "estimate/zone_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "model/interruption.h"
#include "statistics/circular.h"

namespace platter::estimate {
namespace {

constexpr double kOddSigmas = 6;
constexpr double kOddFloor_rev = 0.001;
constexpr double kPriorSigma_rev = 10;
constexpr double kLastUnwrap_rev = 0.07;  // seven of these are half a turn
constexpr double kAnywhere_rev = 0.3;

using Eigen::MatrixXd, Eigen::VectorXd;

Eigen::Map<const VectorXd> view(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// Recursive least squares over the unknowns: a Kalman filter whose state stands still.
struct Filter {
  VectorXd mean;
  MatrixXd covariance;
  std::vector<bool> introduced;

  explicit Filter(std::size_t unknowns)
      : mean(VectorXd::Zero(static_cast<Eigen::Index>(unknowns))),
        covariance(MatrixXd::Identity(mean.size(), mean.size()) * kPriorSigma_rev *
                   kPriorSigma_rev),
        introduced(unknowns, false) {}

  void update(const std::vector<double>& row, double value, double sigma) {
    const VectorXd gain = covariance * view(row);
    const double variance = sigma * sigma + view(row).dot(gain);
    mean += gain * ((value - view(row).dot(mean)) / variance);
    covariance -= gain * gain.transpose() / variance;
  }
};

double deviation(const Eigen::Ref<const MatrixXd>& covariance, const std::vector<double>& row) {
  return std::sqrt(std::max(view(row).dot(covariance * view(row)), 0.0));
}

statistics::Matrix as_matrix(const MatrixXd& symmetric) {
  const auto n = static_cast<std::size_t>(symmetric.rows());
  statistics::Matrix matrix(n, n);
  std::copy_n(symmetric.data(), matrix.data.size(), matrix.data.begin());
  return matrix;
}

// What common errors of observations add to the covariance of unknowns that were fitted as if each
// had its own: how far each of those that they are made of moves each unknown, squared.
MatrixXd of_common_error(const MatrixXd& inverse_normal,
                         const std::vector<const TrackAngle*>& observations,
                         const std::vector<const std::vector<double>*>& rows,
                         const std::vector<double>& err_alike_rev) {
  std::size_t sources = err_alike_rev.size();
  for (const TrackAngle* one : observations)
    sources = std::max(sources, one->common.first + one->common.by_rev.size());
  MatrixXd moved = MatrixXd::Zero(inverse_normal.rows(), static_cast<Eigen::Index>(sources));
  VectorXd together = VectorXd::Zero(inverse_normal.rows());
  for (std::size_t i = 0; i < observations.size(); ++i) {
    stop_if_asked();
    const TrackAngle& one = *observations[i];
    // How far the observation's error moves each unknown.
    const VectorXd pull = inverse_normal * view(*rows[i]) * std::pow(one.sigma_rev, -2);
    together += pull;
    moved.middleCols(static_cast<Eigen::Index>(one.common.first),
                     static_cast<Eigen::Index>(one.common.by_rev.size())) +=
        pull * view(one.common.by_rev).transpose();
  }
  moved.leftCols(static_cast<Eigen::Index>(err_alike_rev.size())) -=
      together * view(err_alike_rev).transpose();
  return moved * moved.transpose();
}

}  // namespace

std::vector<double> mean_common_error(const std::vector<TrackAngle>& all) {
  std::vector<double> mean;
  for (const TrackAngle& one : all) {
    mean.resize(std::max(mean.size(), one.common.first + one.common.by_rev.size()));
    for (std::size_t i = 0; i < one.common.by_rev.size(); ++i)
      mean[one.common.first + i] += one.common.by_rev[i] / static_cast<double>(all.size());
  }
  return mean;
}

double ZoneFit::predict_rev(const std::vector<double>& row) const {
  return view(row).dot(view(unknowns));
}

double ZoneFit::error_rev(const std::vector<double>& row) const {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != 0 && !introduced[i]) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<Eigen::Index>(covariance.rows);
  return deviation(Eigen::Map<const MatrixXd>(covariance.data.data(), n, n), row);
}

namespace {

// Observations taken one by one, each unwrapped where its prediction is sure, until none is left
// that can be.
class Unwrapping {
 public:
  Unwrapping(const ZoneShape& shape, const std::vector<TrackAngle>& observations, bool all_read)
      : filter(shape.unknowns()),
        unwrapped(observations.size(), 0.0),
        done(observations.size(), false),
        odd(observations.size(), false),
        odd_miss_rev(observations.size(), 1.0),
        observations_(observations),
        all_read_(all_read) {
    for (const TrackAngle& o : observations)
      rows.push_back(shape.row(shape.path_of_slot(o.track_slot)));
  }

  void take_all();
  // What looked odd in front of a few disturbed observations may fit with all of them.
  void take_odd_ones_again() {
    for (std::size_t i = 0; i < done.size(); ++i)
      if (odd[i]) odd[i] = done[i] = false;
    take_all();
  }
  std::vector<std::size_t> used() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < done.size(); ++i)
      if (done[i] && !odd[i]) found.push_back(i);
    return found;
  }

  Filter filter;
  std::vector<std::vector<double>> rows;
  std::vector<double> unwrapped;  // of those that are done
  std::vector<bool> done, odd;
  std::vector<double> odd_miss_rev;

 private:
  // What brings in one unknown with coefficient 1 has its whole revolutions for free, however
  // unsure the others are. Of those that do, how unsure these are; infinite: it does not.
  struct Introduction {
    std::size_t unknown = 0;
    double unsure_rev = std::numeric_limits<double>::infinity();
    std::vector<double> known;  // its row without the unknown
  };
  void take(std::size_t i, double value);
  Introduction introduction(std::size_t i) const;
  bool try_introduce(std::size_t i, double bound = kSureUnwrap_rev);
  double prediction_error(std::size_t i) const;
  bool try_unwrap(std::size_t i, double bound = kSureUnwrap_rev);
  // The one of the least `unsure` below a bound; nullopt: there is none.
  template <class Unsure>
  std::optional<std::size_t> surest(double bound, const Unsure& unsure) const;
  bool take_best();
  bool introduce_sure_ones();
  bool introduce_best();

  const std::vector<TrackAngle>& observations_;
  bool all_read_;
};

void Unwrapping::take(std::size_t i, double value) {
  stop_if_asked();
  filter.update(rows[i], value, observations_[i].sigma_rev);
  unwrapped[i] = value;
  done[i] = true;
}

Unwrapping::Introduction Unwrapping::introduction(std::size_t i) const {
  stop_if_asked();
  const std::size_t n = filter.introduced.size();
  Introduction found{n, std::numeric_limits<double>::infinity(), rows[i]};
  for (std::size_t u = 0; u < n; ++u) {
    if (rows[i][u] == 0 || filter.introduced[u]) continue;
    if (found.unknown != n || std::abs(rows[i][u]) != 1.0) return Introduction{};
    found.unknown = u;
    found.known[u] = 0;
  }
  if (found.unknown != n) found.unsure_rev = deviation(filter.covariance, found.known);
  return found;
}

bool Unwrapping::try_introduce(std::size_t i, double bound) {
  const Introduction found = introduction(i);
  if (found.unsure_rev > bound) return false;
  const double predicted = view(found.known).dot(filter.mean);
  take(i, predicted + statistics::turn_rev(observations_[i].angle_rev - predicted));
  filter.introduced[found.unknown] = true;
  return true;
}

double Unwrapping::prediction_error(std::size_t i) const {
  stop_if_asked();
  for (std::size_t u = 0; u < filter.introduced.size(); ++u)
    if (rows[i][u] != 0 && !filter.introduced[u]) return std::numeric_limits<double>::infinity();
  return deviation(filter.covariance, rows[i]);
}

bool Unwrapping::try_unwrap(std::size_t i, double bound) {
  const double error = prediction_error(i);
  if (error > bound) return false;
  const double predicted = view(rows[i]).dot(filter.mean);
  const double miss = statistics::wrap_rev(observations_[i].angle_rev - predicted);
  if (std::abs(miss) > kOddFloor_rev + kOddSigmas * std::hypot(error, observations_[i].sigma_rev)) {
    odd[i] = true;
    odd_miss_rev[i] = miss;
    done[i] = true;
    return true;
  }
  take(i, predicted + miss);
  return true;
}

template <class Unsure>
std::optional<std::size_t> Unwrapping::surest(double bound, const Unsure& unsure) const {
  std::optional<std::size_t> best;
  double least = bound;
  for (std::size_t i = 0; i < observations_.size(); ++i) {
    if (done[i]) continue;
    const double own = unsure(i);
    if (own >= least) continue;
    best = i;
    least = own;
  }
  return best;
}

// Where nothing is sure any more: the one that is predicted best, if half a turn is still far away.
bool Unwrapping::take_best() {
  const auto best = surest(kLastUnwrap_rev, [this](std::size_t i) { return prediction_error(i); });
  return best && try_unwrap(*best, kLastUnwrap_rev);
}

// And then the one that brings in an unknown beside those that are known best.
bool Unwrapping::introduce_best() {
  const double bound = all_read_ ? kAnywhere_rev : 2 * kSureUnwrap_rev;
  const auto best = surest(bound, [this](std::size_t i) { return introduction(i).unsure_rev; });
  return best && try_introduce(*best, bound);
}

// The nearest ones before those far away: between these and what they stand beside the rule may
// break.
bool Unwrapping::introduce_sure_ones() {
  std::vector<std::pair<double, std::size_t>> sure;
  for (std::size_t i = 0; i < observations_.size(); ++i) {
    if (done[i]) continue;
    const double unsure_rev = introduction(i).unsure_rev;
    if (unsure_rev <= kSureUnwrap_rev) sure.emplace_back(unsure_rev, i);
  }
  std::ranges::sort(sure);
  bool any = false;
  for (const auto& [unsure_rev, i] : sure) any |= try_introduce(i);
  return any;
}

void Unwrapping::take_all() {
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = 0; i < observations_.size(); ++i)
      if (!done[i]) progress |= try_unwrap(i);
    progress = progress || introduce_sure_ones() || (all_read_ && take_best()) || introduce_best();
  }
}

// The robust fit, where all unknowns are known and there are observations to spare.
void fit_robustly(ZoneFit& fit, const Unwrapping& all, const std::vector<TrackAngle>& observations,
                  const std::vector<std::size_t>& used) {
  const std::size_t n = fit.unknowns.size();
  const bool complete = std::all_of(fit.introduced.begin(), fit.introduced.end(),
                                    [](bool known) { return known; });
  if (!complete || used.size() < n + 4) return;
  statistics::Matrix design(used.size(), n);
  std::vector<double> values, weights;
  for (std::size_t r = 0; r < used.size(); ++r) {
    const std::vector<double>& row = all.rows[used[r]];
    for (std::size_t c = 0; c < n; ++c) design.at(r, c) = row[c];
    // Relative to the filter's line, so that large counts of turns do not cost precision.
    values.push_back(all.unwrapped[used[r]] - view(row).dot(all.filter.mean));
    weights.push_back(std::pow(observations[used[r]].sigma_rev, -2));
  }
  const auto robust = statistics::huber_regression(design, values, weights);
  if (!robust) return;
  for (std::size_t c = 0; c < n; ++c) fit.unknowns[c] += robust->coefficients[c];
  fit.scale = robust->scale;
  // Not better than the noise of one observation allows, worse where the residuals say so: their
  // scatter, its degrees of freedom and what robustness costs are in the regression's covariance.
  const double factor = std::max(1.0, robust->covariance.at(0, 0) / all.filter.covariance(0, 0));
  for (double& entry : fit.covariance.data) entry *= factor;
}

void add_common_error(ZoneFit& fit, const Unwrapping& all,
                      const std::vector<TrackAngle>& observations,
                      const std::vector<std::size_t>& used,
                      const std::vector<double>& err_alike_rev) {
  std::vector<const TrackAngle*> read;
  std::vector<const std::vector<double>*> rows;
  for (const std::size_t i : used) {
    read.push_back(&observations[i]);
    rows.push_back(&all.rows[i]);
  }
  const auto added = as_matrix(of_common_error(all.filter.covariance, read, rows, err_alike_rev));
  for (std::size_t i = 0; i < added.data.size(); ++i) fit.covariance.data[i] += added.data[i];
}

// As fit_zone(), every observation as good as it says.
ZoneFit fit_trusting(const ZoneShape& shape, const std::vector<TrackAngle>& observations,
                     bool all_read, const std::vector<double>& err_alike_rev) {
  ZoneFit fit;
  if (!shape.solvable()) {
    fit.residuals_rev.assign(observations.size(), 1.0);
    fit.odd.assign(observations.size(), false);
    fit.unknowns.assign(shape.unknowns(), 0.0);
    fit.introduced.assign(shape.unknowns(), false);
    return fit;
  }
  Unwrapping all(shape, observations, all_read);
  all.take_all();
  all.take_odd_ones_again();
  fit.odd = all.odd;
  fit.residuals_rev = all.odd_miss_rev;
  fit.unknowns.assign(all.filter.mean.begin(), all.filter.mean.end());
  fit.covariance = as_matrix(all.filter.covariance);
  fit.introduced = all.filter.introduced;
  const std::vector<std::size_t> used = all.used();
  fit.used = used.size();
  fit_robustly(fit, all, observations, used);
  add_common_error(fit, all, observations, used, err_alike_rev);
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (all.done[i])
      fit.residuals_rev[i] = statistics::wrap_rev(observations[i].angle_rev -
                                                  view(all.rows[i]).dot(view(fit.unknowns)));
  return fit;
}

}  // namespace

namespace {

// Of the observations that were taken in, those first on which the odd ones hang most: by how much
// an error of one of its own sigmas moves what the others were predicted to be.
std::vector<std::size_t> suspects(const ZoneShape& shape, const ZoneFit& fit,
                                  const std::vector<TrackAngle>& observations) {
  std::vector<std::vector<double>> rows;
  for (const TrackAngle& one : observations)
    rows.push_back(shape.row(shape.path_of_slot(one.track_slot)));
  const auto n = static_cast<Eigen::Index>(fit.covariance.rows);
  const Eigen::Map<const MatrixXd> covariance(fit.covariance.data.data(), n, n);
  std::vector<VectorXd> odd;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (fit.odd[i]) odd.emplace_back(covariance * view(rows[i]));
  std::vector<std::pair<double, std::size_t>> pulls;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (fit.odd[i] || fit.residuals_rev[i] == 1.0) continue;  // not taken in
    stop_if_asked();
    double pull = 0;
    for (const VectorXd& one : odd) pull += std::abs(view(rows[i]).dot(one));
    pulls.emplace_back(-pull / observations[i].sigma_rev, i);
  }
  std::ranges::sort(pulls);
  std::vector<std::size_t> found;
  for (const auto& [pull, i] : pulls) found.push_back(i);
  return found;
}

}  // namespace

ZoneFit fit_zone(const ZoneShape& shape, const std::vector<TrackAngle>& observations, bool all_read,
                 const std::vector<double>& err_alike_rev) {
  ZoneFit best = fit_trusting(shape, observations, all_read, err_alike_rev);
  // One observation after another is taken in. If one was disturbed on which others hang, they look
  // odd: each of these in turn is believed only roughly. That must explain two others at least.
  constexpr std::size_t kMost = 12, kFewest = 6;
  constexpr int kMostDisturbed = 2;
  constexpr double kDisturbed_rev = 0.01;
  if (!shape.solvable() || !all_read || observations.size() < kFewest) return best;
  std::vector<TrackAngle> believed = observations;
  for (int disturbed = 0; disturbed < kMostDisturbed; ++disturbed) {
    if (std::ranges::count(best.odd, true) < 2) break;
    std::vector<std::size_t> doubtful = suspects(shape, best, believed);
    doubtful.resize(std::min(doubtful.size(), kMost));
    const std::size_t used = best.used;
    std::optional<std::size_t> chosen;
    for (const std::size_t i : doubtful) {
      std::vector<TrackAngle> doubted = believed;
      doubted[i].sigma_rev = std::max(doubted[i].sigma_rev, kDisturbed_rev);
      ZoneFit other = fit_trusting(shape, doubted, all_read, err_alike_rev);
      if (other.used <= std::max(best.used, used + 1)) continue;
      best = std::move(other);
      chosen = i;
    }
    if (!chosen) break;
    believed[*chosen].sigma_rev = std::max(believed[*chosen].sigma_rev, kDisturbed_rev);
  }
  return best;
}

}  // namespace platter::estimate
