// How many tracks the bands of a surface have, one after the other. Bands end at a radius, so a
// surface with a pitch of its own has now one track more and now one less: the sum of its bands'
// tracks is the floor of a straight line (a "digital line"), of which each band tells more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace platter::layout_by_timing {

class BandWidth {
 public:
  explicit BandWidth(std::uint32_t tracks);

  // Of the band that comes behind so many others.
  std::uint32_t tracks_after(std::uint64_t others) const { return lines_.tracks_after(others); }
  // The next band has so many tracks, both of whose ends were read. One that does not fit is
  // doubted until another comes.
  void seen(std::uint32_t tracks);
  // The next band passes as it was predicted.
  void passed(std::uint32_t tracks);
  // It is not known how many bands came since the last. They are as wide as they were.
  void lose_count();

 private:
  struct Line {
    double slope = 0, at_zero = 0;
    double at(double bands) const { return at_zero + slope * bands; }
  };
  // The lines that all bands seen allow are a convex polygon, of four corners or fewer where the
  // bands are of a line (Dorst and Smeulders 1984, Discrete representation of straight lines).
  struct Lines {
    std::vector<Line> corners;
    std::uint64_t bands = 0, sum = 0;  // since the line began

    std::uint64_t sum_after(std::uint64_t more) const;
    std::uint32_t tracks_after(std::uint64_t others) const;
    bool is_likely(std::uint32_t tracks) const;
    bool take(std::uint32_t tracks);
    void pass(std::uint32_t tracks) { sum += tracks, ++bands; }

   private:
    bool hold(std::uint64_t of_bands, std::uint64_t of_sum);
  };
  static Lines any(double least_slope, double most_slope);
  Lines with_slopes(double least, double most) const;
  Lines anew(std::uint32_t tracks) const;

  Lines lines_;
  std::optional<Lines> doubted_;  // that begin with the last band that did not fit
  int fitting_ = 0;               // bands since, of both
};

}  // namespace platter::layout_by_timing
