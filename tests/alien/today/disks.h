// Where a drive's sectors are: tracks by radius, zones by circumference, bands over surfaces.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "design.h"

namespace today {

struct Place {
  int surface = 0;
  int track = 0;
  int sector = 0;    // on the track
  int sectors = 1;   // that the track holds
  double angle = 0;  // of the track's first sector
};

// Like tracks one behind the other. A run of one track may have a hole.
struct Run {
  std::int64_t first;
  int tracks, sectors;
  double angle, angle_step;
  int surface, track, step;
  int hole = 0, hole_length = 0;
};

struct Found {
  Place place;
  int in_a_row;  // sectors from here that lie on this track without a gap
};

class Disks {
 public:
  explicit Disks(const Design& design);

  std::int64_t sectors() const { return sectors_; }
  Found find(std::int64_t number) const;
  double radius_mm(int surface, int track) const;
  // Where in the track's revolution a sector begins and ends; servo bursts lie between them.
  double begins(int sector, int sectors) const;
  double ends(int sector, int sectors) const;
  int tracks_of(int surface) const { return tracks_[static_cast<std::size_t>(surface)]; }

 private:
  int sectors_at(int surface, int track) const;
  void lay();
  void lay_band(int surface, int first, int end, bool inwards, int wedge);
  void lay_run(int surface, int low, int high, bool inwards, int wedge, int flaw);
  void make_flaws();
  void move_sectors();

  const Design& design_;
  std::int64_t sectors_, laid_ = 0;
  std::vector<int> tracks_;
  std::vector<std::vector<std::pair<int, int>>> zones_;  // of each surface: first track, sectors
  std::vector<Run> runs_;
  // By surface: track to (first sector, length) of its hole; length 0: the track is left out.
  std::vector<std::map<int, std::pair<int, int>>> flaws_;
  std::map<std::int64_t, Place> moved_;
};

// Sectors that the surfaces hold, flaws apart.
std::int64_t room_of(const Design& design);

}  // namespace today
