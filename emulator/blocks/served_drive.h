// A table's drive with its contents, for many threads: blocks in and out, each when its time has
// come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "emulator/blocks/connection.h"
#include "emulator/blocks/paced_engine.h"
#include "emulator/blocks/request_log.h"
#include "emulator/contents/contents_choice.h"
#include "emulator/contents/volatile_contents.h"
#include "emulator/pace/drive_report.h"
#include "lib/platter.h"

namespace platter::emulator {

class GeneratedContents;

struct DriveSettings {
  std::string name{};   // of the export; "" is that of the first drive, too
  std::string table{};  // path of the table file
  ContentsChoice contents{};
  bool write_cache_loss = false;                      // a power cut takes what is dirty
  std::optional<std::string> episodes{};              // path of their file
  std::optional<std::uint32_t> scheduler{}, depth{};  // as in platter_queue; nothing: the drive's
};

class ServedDrive {
 public:
  // Of one read or write: as much as Linux ever sends at once. What is under way of one client is
  // bounded by it and the threads that serve one.
  static constexpr std::uint32_t kMostRequestBytes = 4U << 20;

  // `clock`, `delay` and `log` outlive it; `log` may be null. Throws Error for a table or a file of
  // contents that is not what it should be.
  ServedDrive(const DriveSettings& settings, unsigned number, const DriveClock& clock,
              const TransportDelay& delay, LogWriter* log);

  const std::string& name() const { return name_; }
  std::uint64_t bytes() const { return info_.blocks * info_.block_bytes; }
  std::uint32_t block_bytes() const { return info_.block_bytes; }

  // 0 or an errno: EIO for what an episode has fail, EINVAL for what are no whole blocks of the
  // drive, or a read or write of more than kMostRequestBytes, and those of Contents; ESHUTDOWN: the
  // power went, or `who` did, or end() was called, and there is no answer. `came_host_ns` and
  // `courier` as in PacedEngine; where a power cut takes what is dirty, there is work behind the
  // deadline, and no courier is needed.
  int read(std::uint64_t offset, std::span<std::uint8_t> to, Nanoseconds came_host_ns,
           const Connection& who = {}, Courier* courier = nullptr);
  // `through`: it is on the media, and on the host's, when this returns (FUA).
  int write(std::uint64_t offset, std::span<const std::uint8_t> from, bool through,
            Nanoseconds came_host_ns, const Connection& who = {}, Courier* courier = nullptr);
  // Zeros, written like any data.
  int zero(std::uint64_t offset, std::uint64_t bytes, bool through, Nanoseconds came_host_ns,
           const Connection& who = {}, Courier* courier = nullptr);
  // The contents are forgotten. It takes no time: the drive has no such command.
  int trim(std::uint64_t offset, std::uint64_t bytes) { return contents_->discard(offset, bytes); }
  int flush(Nanoseconds came_host_ns, const Connection& who = {}, Courier* courier = nullptr);
  // As PacedEngine's.
  std::optional<Nanoseconds> next_host_ns() const { return paced_.next_host_ns(); }
  void take_due() { paced_.take_due(); }
  // What a host has to be told to keep, without the drive's time.
  int flush_contents() { return contents_->flush(); }

  // The power goes and comes back: nothing that is outstanding is answered, the drive's cache is
  // empty. How often it went.
  int cut_power();
  std::uint64_t power() const { return paced_.power(); }
  // Nothing is answered any more.
  void end() { paced_.end(); }
  // What the drive has destaged is on the contents' media; to be called now and then.
  int settle() { return volatile_ != nullptr ? volatile_->settle() : 0; }

  // What the log's first line says of the drive: an object on one line.
  std::string log_head() const;
  DriveReport report() const;

 private:
  std::optional<platter_request> request_for(std::uint64_t offset, std::uint64_t bytes,
                                             std::uint32_t flags) const;
  std::vector<Range> dirty_bytes() const;
  template <typename Change>
  int change(const platter_request& request, Nanoseconds came_host_ns, const Connection& who,
             Courier* courier, Change change);
  int write_in_cache(const platter_request& request, std::span<const std::uint8_t> from,
                     Nanoseconds came_host_ns, const Connection& who);
  int zero_in_cache(platter_request request, Nanoseconds came_host_ns, const Connection& who);
  std::string against_its_drive() const;

  struct Close {
    void operator()(platter_table* table) const { platter_table_close(table); }
    void operator()(platter_engine* engine) const { platter_engine_destroy(engine); }
  };
  std::string name_;
  std::unique_ptr<platter_table, Close> table_;
  platter_info info_{};
  std::unique_ptr<platter_engine, Close> engine_;
  platter_queue queue_{};
  std::unique_ptr<Contents> media_;  // where the contents are volatile_'s, that has them
  const GeneratedContents* generated_;
  std::unique_ptr<VolatileContents> volatile_;
  Contents* contents_;
  std::optional<RequestEpisodes> episodes_;
  std::optional<RequestLog> log_;
  PacedEngine paced_;
};

}  // namespace platter::emulator
