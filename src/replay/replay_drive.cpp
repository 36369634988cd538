#include "replay/replay_drive.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "model/error.h"
#include "replay/contents.h"
#include "replay/schedule.h"
#include "scsi/commands.h"
#include "scsi/drive.h"
#include "scsi/sense.h"
#include "statistics/distribution.h"

namespace platter::replay {
namespace {

constexpr std::uint8_t kResetOccurred = 0x29;  // ASC: power on, reset, or device reset
constexpr int kMostRetries = 10;
constexpr Nanoseconds kBusyPause_ns = kMillisecond;
constexpr std::uint64_t kBlocks10 = std::uint64_t{1} << 32;  // READ(10) reaches below

[[noreturn]] void fail(const scsi::TransportError& error) {
  throw Error(error.kind == scsi::TransportError::Kind::refused ? ExitStatus::refused
              : error.kind == scsi::TransportError::Kind::permission ? ExitStatus::permission
              : error.kind == scsi::TransportError::Kind::protocol   ? ExitStatus::protocol
                                                                     : ExitStatus::drive_error,
              error.sentence);
}

template <class T>
T value_of(scsi::Expected<T> result) {
  if (!result) fail(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void require_permission(const trace::Trace& trace, const scsi::Permission& permission) {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  const trace::Request* forbidden = nullptr;
  for (const trace::Request& request : trace.requests) {
    if (!request.write) continue;
    first = std::min(first, request.lbn);
    last = std::max(last, request.lbn + request.blocks - 1);
    const bool allowed =
        std::any_of(permission.writes.begin(), permission.writes.end(), [&](const auto& range) {
          return range.holds(request.lbn, request.blocks);
        });
    if (!allowed && !forbidden) forbidden = &request;
  }
  if (forbidden)
    throw Error(ExitStatus::refused,
                fmt::format("{} writes {} blocks at LBN {}, which this run may not: pass "
                            "--allow-writes {}-{} to let it rewrite its sectors with what they hold",
                            trace.name, forbidden->blocks, forbidden->lbn, first, last));
}

// Requests into a device, completions out of it into the rows that they belong to.
class DrivePlayer final : public Player {
 public:
  DrivePlayer(scsi::Device& device, std::uint32_t block_bytes, std::uint64_t capacity,
           const Contents& contents)
      : device_(device), block_bytes_(block_bytes), capacity_(capacity), contents_(contents),
        start_ns_(device.clock().now_ns() + kReferencePause_ns) {}

  void issue(std::vector<Response>& rows, std::size_t index, std::uint32_t depth) override {
    const Response& row = rows[index];
    scsi::Command command = command_for(row);  // built before its time
    while (auto done = value_of(device_.reap_until(start_ns_ + row.due_ns))) take(rows, *done);
    while (outstanding_.size() >= depth) take_next(rows);
    send(index, std::move(command), 0);
  }

  Nanoseconds finish(std::vector<Response>& rows) override {
    while (!outstanding_.empty()) take_next(rows);
    return latest_completion_ns_;
  }

  std::uint64_t retries() const { return retries_; }
  bool was_reset() const { return was_reset_; }

 private:
  struct Sent {
    std::size_t index;
    scsi::Command command;
    int tries;
  };

  scsi::Command command_for(const Response& row) const {
    const bool wide = capacity_ > kBlocks10 || row.blocks > 0xFFFF;
    if (!row.write)
      return wide ? scsi::read_16(row.lbn, row.blocks, block_bytes_)
                  : scsi::read_10(row.lbn, row.blocks, block_bytes_);
    return wide ? scsi::write_16(row.lbn, row.blocks, contents_.of(row.lbn, row.blocks))
                : scsi::write_10(row.lbn, row.blocks, contents_.of(row.lbn, row.blocks));
  }

  void send(std::size_t index, scsi::Command command, int tries) {
    const std::uint32_t tag = next_tag_++;
    const Sent& sent =
        outstanding_.emplace(tag, Sent{index, std::move(command), tries}).first->second;
    value_of(device_.submit(sent.command, tag));
  }

  void take_next(std::vector<Response>& rows) {
    auto done = value_of(device_.reap());
    if (!done)
      throw Error(ExitStatus::protocol,
                  fmt::format("{} has lost a command that it had accepted", device_.name()));
    take(rows, *done);
  }

  void take(std::vector<Response>& rows, const scsi::Completion& done) {
    const auto found = outstanding_.find(done.tag);
    if (found == outstanding_.end())
      throw Error(ExitStatus::protocol,
                  fmt::format("{} completed a command with tag {} that is not outstanding",
                              device_.name(), done.tag));
    Sent sent = std::move(found->second);
    outstanding_.erase(found);
    Response& row = rows[sent.index];
    if (!executed(done)) return again_or_fail(row, std::move(sent), done);
    row.issue_ns = done.issued_ns - start_ns_;
    row.response_ns = done.response_ns();
    latest_completion_ns_ = std::max(latest_completion_ns_, row.completion_ns());
  }

  static bool executed(const scsi::Completion& done) {
    const std::optional<scsi::Sense> sense = scsi::decode_sense(done.sense);
    return done.status == scsi::Status::good ||
           (sense && sense->key == scsi::SenseKey::recovered_error);
  }

  // BUSY, TASK SET FULL and unit attentions: the request was not executed and is sent once more; its
  // response time is that of the attempt which succeeded.
  void again_or_fail(const Response& row, Sent sent, const scsi::Completion& done) {
    const std::optional<scsi::Sense> sense = scsi::decode_sense(done.sense);
    const bool attention = sense && sense->key == scsi::SenseKey::unit_attention;
    was_reset_ = was_reset_ || (attention && sense->asc == kResetOccurred);
    const bool busy =
        done.status == scsi::Status::busy || done.status == scsi::Status::task_set_full;
    if ((attention || busy) && sent.tries < kMostRetries) {
      ++retries_;
      if (busy) device_.clock().sleep_until_ns(device_.clock().now_ns() + kBusyPause_ns);
      return send(sent.index, std::move(sent.command), sent.tries + 1);
    }
    throw Error(ExitStatus::drive_error,
                fmt::format("{} fails the {} of {} blocks at LBN {}: {}; take it out of the trace",
                            device_.name(), row.write ? "write" : "read", row.blocks, row.lbn,
                            sense ? sense->text()
                                  : fmt::format("status {:02X}h", static_cast<int>(done.status))));
  }

  scsi::Device& device_;
  std::uint32_t block_bytes_;
  std::uint64_t capacity_;
  const Contents& contents_;
  Nanoseconds start_ns_;
  Nanoseconds latest_completion_ns_ = 0;
  std::uint32_t next_tag_ = 1;
  std::uint64_t retries_ = 0;
  bool was_reset_ = false;
  std::map<std::uint32_t, Sent> outstanding_;
};

void set_caches(scsi::Drive& drive, const std::string& name, Caches caches) {
  if (caches == Caches::as_they_are) return;
  if (!drive.set_cache(false, true, true))
    throw Error(ExitStatus::unsupported,
                fmt::format("{} does not let its caches be turned off by mode page 08h; replay with "
                            "--caches default",
                            name));
}

}  // namespace

Result replay_on_drive(scsi::Device& device, const scsi::Permission& permission, const trace::Trace& trace,
                       const DriveReplay& options) {
  require_permission(trace, permission);
  scsi::Guard guard(device, permission);
  scsi::Drive drive(guard, device.name());
  const model::Identity identity = drive.identify();
  trace::require_within(trace, identity.blocks);
  const std::uint32_t depth = trace.kind == trace::Kind::closed ? 1 : options.depth;
  if (depth > device.max_outstanding())
    throw Error(ExitStatus::unsupported,
                fmt::format("{} takes at most {} commands at a time; pass a smaller --depth",
                            device.name(), device.max_outstanding()));

  const bool writes = std::any_of(trace.requests.begin(), trace.requests.end(),
                                  [](const trace::Request& request) { return request.write; });
  if (options.before_changes && (writes || options.caches != Caches::as_they_are))
    options.before_changes(identity, drive.cache_page());
  Contents contents(identity.block_bytes);
  for (const trace::Request& request : trace.requests)
    if (request.write) contents.want(request.lbn, request.blocks);
  contents.learn(drive, options.before_writes);
  set_caches(drive, device.name(), options.caches);

  Result result;
  result.target = Result::Target::drive;
  result.name = device.name();
  result.trace = trace.name;
  result.kind = trace.kind;
  result.depth = depth;
  result.caches = options.caches == Caches::off ? "off" : "default";
  result.block_bytes = identity.block_bytes;

  DrivePlayer player(guard, identity.block_bytes, identity.blocks, contents);
  play(player, trace, reference_lbns(identity.blocks, options.reference_reads), result,
       options.progress);
  result.retries = player.retries();
  if (options.caches == Caches::off && player.was_reset())
    throw Error(ExitStatus::drive_error,
                fmt::format("{} was reset during the replay and may have turned its caches on again; "
                            "the result is discarded, replay once more",
                            device.name()));
  drive.restore_settings();
  return result;
}

Lateness lateness_of(const Result& result) {
  std::vector<double> late_ms;
  for (const Response& row : result.requests) late_ms.push_back(to_ms(row.issue_ns - row.due_ns));
  std::sort(late_ms.begin(), late_ms.end());
  return {.p50_ms = statistics::quantile(late_ms, 0.5),
          .p99_ms = statistics::quantile(late_ms, 0.99),
          .max_ms = statistics::quantile(late_ms, 1)};
}

}  // namespace platter::replay
