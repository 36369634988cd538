// Contents behind a write cache that forgets when the power goes: what the drive has taken and not
// written yet lies above the media, and is gone with a power cut; then the media hold what they
// held.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <vector>

#include "emulator/contents/contents.h"
#include "emulator/file_systems/ranges.h"

namespace platter::emulator {

class VolatileContents : public Contents {
 public:
  // The bytes that the drive holds and has not written to its media at this moment, in ascending
  // order and apart. It is asked while nothing else changes here.
  using Dirty = std::function<std::vector<Range>()>;
  VolatileContents(std::unique_ptr<Contents> media, Dirty dirty);

  // Functions that may fail return 0 or an errno. ESHUTDOWN: the power went since `power` was what
  // power() says, or since the ticket was given; nothing was done, and the host must not be told
  // otherwise.
  using Ticket = std::uint64_t;
  // A write, before the drive is given it. It reads so from now on; what becomes of it is known
  // when it is acknowledged.
  int begin_write(std::uint64_t power, std::uint64_t offset, std::span<const std::uint8_t> from,
                  Ticket& ticket);
  // The drive has said that it is done. What it does not hold as dirty is on the media then;
  // `through`: this write in any case.
  int end_write(Ticket ticket, bool through);
  // SYNCHRONIZE CACHE, before the drive is given it, and when it is done: what was acknowledged
  // before the one is on the media at the other.
  Ticket begin_flush();
  int end_flush(Ticket ticket);
  // What was destaged meanwhile goes to the media. Nobody has to call it.
  int settle();

  // The power goes and comes back: dirty bytes are gone, and of each write under way any of its
  // sectors may be there or not.
  int cut_power();
  std::uint64_t power() const;
  // What would be lost now.
  std::uint64_t volatile_bytes() const;

  int read(std::uint64_t offset, std::span<std::uint8_t> to) const override;
  // Through the cache: on the media at once.
  int write(std::uint64_t offset, std::span<const std::uint8_t> from) override;
  int discard(std::uint64_t offset, std::uint64_t bytes) override;
  // What is on the media survives the host.
  int flush() override { return media_->flush(); }
  std::uint64_t bytes() const override { return media_->bytes(); }
  std::uint64_t stored_bytes() const override { return media_->stored_bytes(); }

 private:
  static constexpr std::uint64_t kPage = 4096, kSector = 512, kSectors = kPage / kSector;
  struct Page {  // of what is acknowledged and not on the media
    std::array<std::uint8_t, kPage> bytes;
    std::uint8_t held = 0;                 // sectors that are here
    std::array<Ticket, kSectors> since{};  // of each: when it was acknowledged
  };
  struct Write {
    std::uint64_t offset;
    std::vector<std::uint8_t> bytes;
    Range range() const { return {offset, offset + bytes.size()}; }
  };

  template <typename Visit>
  void each_held(const Range& range, Visit visit);
  template <typename Goes>
  int to_media(const Range& range, Goes goes);
  void forget(const Range& range);
  void hold(const Write& write);
  int settle_locked(const Range& acknowledged);

  std::unique_ptr<Contents> media_;
  const Dirty dirty_;
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Page> pages_{};
  std::map<Ticket, Write> under_way_{};
  std::set<Ticket> flushes_{};
  std::vector<Range> to_settle_{};  // dirty when it was asked last, or could not be written then
  Ticket next_ = 1;
  std::uint64_t power_ = 0;
};

}  // namespace platter::emulator
