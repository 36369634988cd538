// What the way to the drive and back takes, from commands that do nothing: a request is dated back
// by the way in, an answer leaves early by the way out (the external error corrections of Griffin
// 2002, section 3). It takes longer with more data, and where one had to be woken for it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/units.h"

namespace platter::emulator {

// Whoever had something to do so short a time ago still is awake.
inline constexpr Nanoseconds kAwake = 200 * kMicrosecond;

class TransportDelay {
 public:
  // As many of the latest samples of a kind count; before kEnough of them it has no correction of
  // its own.
  static constexpr std::size_t kRemembered = 63;
  static constexpr std::size_t kEnough = 9;
  // Bytes of data that are measured; between them and beyond the last a straight line.
  static constexpr std::array<std::uint32_t, 4> kBytes = {0, 4096, 64 << 10, 1 << 20};

  // What goes one way: the place in kBytes of its data, and whether its receiver was awake.
  struct Sample {
    std::size_t bytes_at = 0;
    bool awake = false;
    Nanoseconds took_ns = 0;
  };
  // One thread adds; any may ask. No allocation.
  void add(const Sample& inbound, const Sample& outbound);

  // Medians: delays have a long tail, which no correction can foresee. 0 while nothing is known.
  Nanoseconds inbound_ns(std::uint64_t bytes = 0, bool awake = false) const {
    return inbound_.of(bytes, awake);
  }
  Nanoseconds outbound_ns(std::uint64_t bytes = 0, bool awake = false) const {
    return outbound_.of(bytes, awake);
  }
  // Whether there is a correction at all.
  bool is_known() const { return inbound_.is_known() && outbound_.is_known(); }

 private:
  class Median {
   public:
    void add(Nanoseconds took_ns);
    std::optional<Nanoseconds> value() const;

   private:
    static constexpr Nanoseconds kUnknown = -1;
    std::array<Nanoseconds, kRemembered> samples_{};
    std::size_t seen_ = 0;
    std::atomic<Nanoseconds> median_{kUnknown};
  };
  class OneWay {
   public:
    void add(const Sample& sample) { medians_[sample.awake][sample.bytes_at].add(sample.took_ns); }
    Nanoseconds of(std::uint64_t bytes, bool awake) const;
    bool is_known() const;

   private:
    using BySize = std::array<Median, kBytes.size()>;
    static std::optional<Nanoseconds> at(const BySize& medians, std::uint64_t bytes);
    std::array<BySize, 2> medians_;  // of those who slept, of those who were awake
  };

  OneWay inbound_, outbound_;
};

}  // namespace platter::emulator
