// The phase of the platter against the recorder's clock, as it wanders over a measurement.
#pragma once

#include <complex>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace platter::calibrate {

// The mean, round a time, of by how much accesses led what was expected of them.
class Phase {
 public:
  explicit Phase(double width_ns) : width_ns_(width_ns) {}

  // Reads and writes apart: what follows the media's part of a command may differ.
  void add(double time_ns, bool write, double lead_rev);
  void sort();  // before at()
  // Within -1/2 and 1/2 revolution; nullopt: too few are known.
  std::optional<double> at(double time_ns, bool write) const;
  bool empty() const { return known_[0].empty() && known_[1].empty(); }

 private:
  using Entry = std::pair<double, std::complex<double>>;
  std::vector<Entry> known_[2];
  double width_ns_;
};

inline std::complex<double> unit(double rev) { return std::polar(1.0, 2 * std::numbers::pi * rev); }
inline double angle_of(std::complex<double> vector) {
  return std::arg(vector) / (2 * std::numbers::pi);
}

}  // namespace platter::calibrate
