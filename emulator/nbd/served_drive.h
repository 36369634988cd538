// A table's drive with its contents, for many threads: blocks in and out, each when its time has
// come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "emulator/contents/contents.h"
#include "emulator/nbd/paced_engine.h"
#include "emulator/nbd/request_log.h"
#include "emulator/pace/drive_report.h"
#include "lib/platter.h"

namespace platter::emulator {

struct DriveSettings {
  std::string name{};                     // of the export; "" is that of the first drive, too
  std::string table{};                    // path of the table file
  std::optional<std::string> contents{};  // path of the file for them; nothing: in memory
  std::optional<std::uint32_t> scheduler{}, depth{};  // as in platter_queue; nothing: the drive's
};

class ServedDrive {
 public:
  // `clock`, `delay` and `log` outlive it; `log` may be null. Throws Error for a table or a file of
  // contents that is not what it should be.
  ServedDrive(const DriveSettings& settings, unsigned number, const DriveClock& clock,
              const TransportDelay& delay, LogWriter* log);

  const std::string& name() const { return name_; }
  std::uint64_t bytes() const { return info_.blocks * info_.block_bytes; }
  std::uint32_t block_bytes() const { return info_.block_bytes; }

  // 0 or an errno: EINVAL for what are no whole blocks of the drive, and those of Contents.
  // `came_host_ns` as in PacedEngine.
  int read(std::uint64_t offset, std::span<std::uint8_t> to, Nanoseconds came_host_ns);
  // `through`: it is on the media, and on the host's, when this returns (FUA).
  int write(std::uint64_t offset, std::span<const std::uint8_t> from, bool through,
            Nanoseconds came_host_ns);
  // Zeros, written like any data.
  int zero(std::uint64_t offset, std::uint64_t bytes, bool through, Nanoseconds came_host_ns);
  // The contents are forgotten. It takes no time: the drive has no such command.
  int trim(std::uint64_t offset, std::uint64_t bytes) { return contents_->discard(offset, bytes); }
  int flush(Nanoseconds came_host_ns);
  // What a host has to be told to keep, without the drive's time.
  int flush_contents() { return contents_->flush(); }

  // What the log's first line says of the drive: an object on one line.
  std::string log_head() const;
  DriveReport report() const;

 private:
  std::optional<platter_request> request_for(std::uint64_t offset, std::uint64_t bytes,
                                             std::uint32_t flags) const;
  int serve(const platter_request& request, Nanoseconds came_host_ns);
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
  std::unique_ptr<Contents> contents_;
  std::optional<RequestLog> log_;
  PacedEngine paced_;
};

}  // namespace platter::emulator
