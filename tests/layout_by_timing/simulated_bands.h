// A turning drive of bands for tests of the mapper: blocks, tracks and times, and nothing of ours
// but the mapper's question. It knows nothing of runs or patterns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

#include "layout_by_timing/timed_blocks.h"

namespace platter::layout_by_timing {

struct SimulatedFormat {
  std::uint32_t heads = 4, wedges = 384;
  std::uint32_t band_tracks = 60;
  std::vector<double> pitches{};  // by head: tracks of a band are band_tracks times this; empty: 1
  double switch_ns = 1.6e6;       // of heads; a step of the arm takes 0.47e6
  bool alternates = false;        // bands inward and outward in turn
  bool up_and_down = false;       // surfaces
  std::uint32_t track_skew = 30, head_skew = 120, cluster_skew = 200;  // wedges
  std::uint32_t sectors = 600, last_sectors = 270, formats = 20;
  double spread = 0.03;  // of sizes by surface
  bool borders_within = false;
  std::uint32_t radii = 12'000;  // tracks a surface
  std::uint32_t skews = 1;       // one after the other from the outside in, each a wedge more
  std::uint32_t irregular = 0, singles = 0;
  double period_ns = 60e9 / 7193.4;
  double delay_median_us = 10, delay_p99_us = 100, stall_share = 0.002, wobble_ppm = 3;
  double wobble_s = 7;           // a period
  bool forgets = true;           // else what was read once comes from a cache
  std::uint32_t spare_tail = 0;  // slots at each band's end without blocks
};

class SimulatedBands final : public TimedBlocks {
 public:
  struct Band {
    std::uint64_t first_slot = 0;
    std::uint32_t tracks = 0, slots = 0, head = 0;
    double start = 0, skew = 0, radius = 0, radius_step = 0;
  };
  struct Hole {
    std::uint64_t slot = 0, count = 0, before = 0;  // slots lost before it
  };

  SimulatedBands(const SimulatedFormat& format, std::uint64_t seed)
      : format_(format), random_(seed) {
    lay_out();
    lose();
    blocks_ = slots_ - (holes_.empty() ? 0 : holes_.back().before + holes_.back().count);
    // The last track may be short.
  }

  std::uint64_t blocks() const override { return blocks_; }
  Nanoseconds now_ns() override { return static_cast<Nanoseconds>(now_); }
  bool may_repeat() const override { return format_.forgets; }
  std::optional<Access> access(std::uint64_t block) override {
    const double issued = now_;
    if (!format_.forgets && !asked_for_.insert(block).second) {
      now_ += 50e3;
      return Access{static_cast<Nanoseconds>(issued), static_cast<Nanoseconds>(now_)};
    }
    const std::uint64_t slot = slot_of(block);
    const Band& band = band_of(slot);
    const std::uint64_t track = (slot - band.first_slot) / band.slots;
    const double radius = band.radius + band.radius_step * static_cast<double>(track);
    double move = 0;
    const double apart = std::abs(radius - radius_);
    if (apart > 0.5) move = 0.45e6 + 0.0195e6 * std::sqrt(apart);
    if (band.head != head_) move = std::max(move, format_.switch_ns);
    now_ += 50e3 + move + std::abs(normal_(random_)) * 60e3;
    if (uniform_(random_) < 0.005) now_ += 1e6 * exponential_(random_);
    radius_ = radius, head_ = band.head;
    const double begin = angle_of(slot) - 1.0 / band.slots;
    double wait = begin - platter(now_);
    wait -= std::floor(wait);
    now_ += (wait + 1.0 / band.slots) * format_.period_ns;
    now_ += format_.delay_median_us * 1e3 *
            std::exp(normal_(random_) * std::log(format_.delay_p99_us / format_.delay_median_us) /
                     2.326);
    if (uniform_(random_) < format_.stall_share) now_ += 250e3 + 200e3 * exponential_(random_);
    ++accesses;
    return Access{static_cast<Nanoseconds>(issued), static_cast<Nanoseconds>(now_)};
  }

  // The truth, for the test to compare with afterwards.
  struct Truth {
    std::uint32_t slots = 0;
    double end_rev = 0;
    std::uint64_t first_block = 0;  // of the track
    std::uint32_t head = 0;
    double radius = 0;  // tracks from the outermost one
  };
  Truth truth(std::uint64_t block) const {
    const std::uint64_t slot = slot_of(block);
    const Band& band = band_of(slot);
    const std::uint64_t track = (slot - band.first_slot) / band.slots;
    return {band.slots, angle_of(slot), block_at_or_after(band.first_slot + track * band.slots),
            band.head, band.radius + band.radius_step * static_cast<double>(track)};
  }
  const std::vector<Band>& bands() const { return bands_; }
  std::uint64_t tracks() const {
    std::uint64_t n = 0;
    for (const Band& band : bands_) n += band.tracks;
    return n;
  }
  std::uint64_t accesses = 0;
  const std::vector<Hole>& holes() const { return holes_; }

  // Instead of those that it was made with: so many slots from that one on.
  void lose_at(std::uint64_t slot, std::uint64_t count) { lose_at(slot, count, 1, 0); }
  // The same on so many tracks, so many slots from one to the next: a scratch.
  void lose_at(std::uint64_t slot, std::uint64_t count, std::uint64_t times, std::uint64_t stride) {
    holes_.clear();
    for (std::uint64_t i = 0; i < times; ++i)
      holes_.push_back({slot + i * stride, count, i * count});
    blocks_ = slots_ - count * times;
  }

 private:
  std::uint32_t size_at(std::uint32_t head, double share) const {
    const double at = std::clamp(share + border_shift_[head], 0.0, 0.9999);
    const double zone = std::floor(at * format_.formats) / format_.formats;
    const double middle = format_.sectors +
                          zone * (static_cast<double>(format_.last_sectors) - format_.sectors);
    const double exact = middle * density_[head];
    const double step = std::max(
        1.0, (format_.sectors - format_.last_sectors) / (1.0 * format_.formats));
    return static_cast<std::uint32_t>(std::round(exact / step) * step);
  }
  double platter(double time) const {
    const double s = time * 1e-9;
    const double turn = format_.wobble_s / 6.2832;
    const double wobble = format_.wobble_ppm * 1e-6 * turn * std::sin(s / turn) * 1e9;
    return (time + wobble) / format_.period_ns;
  }
  double angle_of(std::uint64_t slot) const {  // of its end
    const Band& band = band_of(slot);
    const std::uint64_t in = slot - band.first_slot;
    return band.start + band.skew * static_cast<double>(in / band.slots) +
           static_cast<double>(in % band.slots + 1) / band.slots;
  }
  const Band& band_of(std::uint64_t slot) const {
    auto after = std::ranges::upper_bound(bands_, slot, {}, &Band::first_slot);
    return *std::prev(after);
  }
  std::uint64_t slot_of(std::uint64_t block) const {
    // The last hole in front of which fewer blocks lie than this one's number.
    const auto after = std::ranges::upper_bound(
        holes_, block, {}, [](const Hole& hole) { return hole.slot - hole.before; });
    return after == holes_.begin() ? block
                                   : block + std::prev(after)->before + std::prev(after)->count;
  }
  std::uint64_t block_at_or_after(std::uint64_t slot) const {
    const auto after = std::ranges::upper_bound(holes_, slot, {}, &Hole::slot);
    if (after == holes_.begin()) return slot;
    const Hole& hole = *std::prev(after);
    return std::max(slot, hole.slot + hole.count) - hole.before - hole.count;
  }
  void lay_out() {
    const std::uint32_t h = format_.heads;
    for (std::uint32_t i = 0; i < h; ++i) {
      density_.push_back(1 + format_.spread * (2 * uniform_(random_) - 1));
      border_shift_.push_back(0.04 * (uniform_(random_) - 0.5));
    }
    std::uint64_t wedge = 0;
    const auto rev = [&](std::uint64_t w) {
      return static_cast<double>(w % format_.wedges) / format_.wedges;
    };
    std::uint64_t ordinal = 0;
    for (std::uint64_t radial = 0; radial * format_.band_tracks < format_.radii; ++radial) {
      for (std::uint32_t turn_of = 0; turn_of < h; ++turn_of, ++ordinal) {
        const bool down = format_.up_and_down && radial % 2 == 1;
        const std::uint32_t head = down ? h - 1 - turn_of : turn_of;
        const double pitch = format_.pitches.empty() ? 1 : format_.pitches[head];
        const auto at = [&](std::uint64_t b) {
          return static_cast<std::uint64_t>(static_cast<double>(b * format_.band_tracks) * pitch);
        };
        auto tracks = static_cast<std::uint32_t>(at(radial + 1) - at(radial));
        const bool outward = format_.alternates && ordinal % 2 == 1;
        if (ordinal > 0) wedge += turn_of == 0 ? format_.cluster_skew : format_.head_skew;
        const double share = static_cast<double>(radial * format_.band_tracks) / format_.radii;
        const double next_share = static_cast<double>((radial + 1) * format_.band_tracks) /
                                  format_.radii;
        std::uint32_t size = size_at(head, share);
        std::uint32_t then = size, at_track = tracks;
        if (format_.borders_within && size_at(head, next_share) != size && tracks > 3) {
          then = size_at(head, next_share);
          at_track = 1 + static_cast<std::uint32_t>(uniform_(random_) * (tracks - 2));
          if (outward) std::swap(size, then);
        }
        const std::uint32_t track_skew = format_.track_skew +
                                         static_cast<std::uint32_t>(share * format_.skews);
        double radius = static_cast<double>(radial * format_.band_tracks);
        const double step = outward ? -1 / pitch : 1 / pitch;
        if (outward) radius += format_.band_tracks - 1;
        for (int part = 0; part < 2; ++part) {
          const std::uint32_t n = part == 0 ? at_track : tracks - at_track;
          if (n == 0) continue;
          if (part == 1) wedge += track_skew;
          bands_.push_back({slots_, n, part == 0 ? size : then, head, rev(wedge), rev(track_skew),
                            radius, step});
          radius += step * n;
          slots_ += std::uint64_t{n} * bands_.back().slots;
          wedge += std::uint64_t{track_skew} * (n - 1);
          if (format_.spare_tail > 0 && part == 1 - (at_track == tracks))
            tails_.push_back({slots_ - format_.spare_tail, format_.spare_tail, 0});
        }
      }
    }
  }
  void lose() {
    std::vector<Hole> holes = tails_;
    const auto random_slot = [&] {
      return static_cast<std::uint64_t>(uniform_(random_) * static_cast<double>(slots_ - 4000));
    };
    for (std::uint32_t i = 0; i < format_.irregular; ++i) {
      const std::uint64_t slot = random_slot();
      const Band& band = band_of(slot);
      const double kind = uniform_(random_);
      const std::uint64_t track = band.first_slot +
                                  (slot - band.first_slot) / band.slots * band.slots;
      if (kind < 0.7)
        holes.push_back({slot, 1 + static_cast<std::uint64_t>(uniform_(random_) * 8), 0});
      else if (kind < 0.9)
        holes.push_back(
            {track + 5, 10 + static_cast<std::uint64_t>(uniform_(random_) * 0.85 * band.slots), 0});
      else
        holes.push_back({track, band.slots, 0});
    }
    for (std::uint32_t i = 0; i < format_.singles; ++i) holes.push_back({random_slot(), 1, 0});
    std::ranges::sort(holes, {}, &Hole::slot);
    std::uint64_t end = 0, before = 0;
    for (const Hole& hole : holes) {
      if (hole.slot < end + 1) continue;
      holes_.push_back({hole.slot, hole.count, before});
      end = hole.slot + hole.count;
      before += hole.count;
    }
  }

  SimulatedFormat format_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_{0, 1};
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::exponential_distribution<double> exponential_{1};
  std::unordered_set<std::uint64_t> asked_for_;
  std::vector<double> density_, border_shift_;
  std::vector<Band> bands_;
  std::vector<Hole> tails_, holes_;
  std::uint64_t slots_ = 0, blocks_ = 0;
  double now_ = 0, radius_ = 0;
  std::uint32_t head_ = 0;
};

}  // namespace platter::layout_by_timing
