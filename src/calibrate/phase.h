// The phase of the platter against the recorder's clock, as it wanders over a measurement.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <numbers>
#include <optional>
#include <vector>

namespace platter::calibrate {

// Read after read, read after write, write after read, write after write.
constexpr std::size_t kCommands = 4;
inline std::size_t command_of(bool write, bool after_write) {
  return (write ? 2u : 0u) + (after_write ? 1u : 0u);
}

// The mean, round a time, of by how much accesses led what was expected of them. The platter is one
// for all commands; what follows the media's part of a command may differ by a constant for each
// kind of them.
class Phase {
 public:
  explicit Phase(double width_ns) : width_ns_(width_ns) {}

  void add(double time_ns, std::size_t command, double lead_rev);
  void sort();  // before the others
  // Within -1/2 and 1/2 revolution; nullopt: too few are known.
  std::optional<double> at(double time_ns, std::size_t command) const;
  bool empty() const { return entries_.empty(); }
  // By how much accesses of a kind lead those of the most frequent one, and how many tell; 0 where
  // too few do.
  double offset(std::size_t command) const { return offsets_[command]; }
  std::size_t count(std::size_t command) const { return counts_[command]; }

 private:
  struct Entry {
    double time_ns = 0;
    std::size_t command = 0;
    std::complex<double> lead{};
  };
  void add_up();
  std::optional<double> platter_at(double time_ns) const;

  std::vector<Entry> entries_{};
  std::vector<std::complex<double>> before_{};  // sums of the entries before each, offsets taken
                                                // off
  std::vector<std::size_t> counted_{};          // how many of them count
  std::array<double, kCommands> offsets_{};
  std::array<std::size_t, kCommands> counts_{};
  std::array<bool, kCommands> counts_for_{};  // its offset is known
  double width_ns_;
};

inline std::complex<double> unit(double rev) { return std::polar(1.0, 2 * std::numbers::pi * rev); }
inline double angle_of(std::complex<double> vector) {
  return std::arg(vector) / (2 * std::numbers::pi);
}

}  // namespace platter::calibrate
