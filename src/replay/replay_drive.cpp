#include "replay/replay_drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "identity/drive_mark.h"
#include "model/error.h"
#include "model/interruption.h"
#include "replay/result_file.h"
#include "scsi/advice.h"
#include "scsi/commands.h"
#include "scsi/forced_access.h"
#include "scsi/reply.h"
#include "scsi/sense.h"

namespace platter::replay {
namespace {

// What the sectors that a trace writes hold, read before the timed run: a write then rewrites what
// is there, and is one command.
class Contents {
 public:
  explicit Contents(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  // Reads what is missing of these sectors later, in learn().
  void want(const LbnRange& range);
  // One read for each run of wanted sectors (of at most 128 blocks); `learned` sees every piece.
  using Learned = std::function<void(std::uint64_t lbn, const std::vector<std::uint8_t>& bytes)>;
  void learn(scsi::Drive& drive, const Learned& learned);
  // The bytes of sectors that were wanted and learned.
  std::vector<std::uint8_t> of(std::uint64_t lbn, std::uint32_t blocks) const;

 private:
  struct Run {
    std::uint64_t end = 0;  // one past its last LBN
    std::vector<std::uint8_t> bytes{};
  };
  std::uint32_t block_bytes_;
  std::map<std::uint64_t, Run> runs_;  // by first LBN; they neither overlap nor touch
};

constexpr std::uint64_t kReadBlocks = 128;

void Contents::want(const LbnRange& range) {
  std::uint64_t first = range.first, end = range.last + 1;
  auto run = runs_.upper_bound(first);
  if (run != runs_.begin() && std::prev(run)->second.end >= first) --run;
  while (run != runs_.end() && run->first <= end) {
    first = std::min(first, run->first);
    end = std::max(end, run->second.end);
    run = runs_.erase(run);
  }
  runs_[first].end = end;
}

void Contents::learn(scsi::Drive& drive, const Learned& learned) {
  for (auto& [first, run] : runs_) {
    const std::uint64_t most = std::min<std::uint64_t>(kReadBlocks, drive.most_blocks());
    for (std::uint64_t lbn = first; lbn < run.end; lbn += most) {
      stop_if_asked();
      const auto blocks = static_cast<std::uint32_t>(std::min(most, run.end - lbn));
      const std::vector<std::uint8_t> bytes = drive.contents(lbn, blocks);
      if (learned) learned(lbn, bytes);
      run.bytes.insert(run.bytes.end(), bytes.begin(), bytes.end());
    }
  }
}

std::vector<std::uint8_t> Contents::of(std::uint64_t lbn, std::uint32_t blocks) const {
  const auto run = std::prev(runs_.upper_bound(lbn));
  const auto begin = run->second.bytes.begin() +
                     static_cast<std::ptrdiff_t>((lbn - run->first) * block_bytes_);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::size_t{blocks} * block_bytes_)};
}

constexpr std::uint8_t kResetOccurred = 0x29;  // ASC: power on, reset, or device reset
constexpr int kMostRetries = 10;
constexpr Nanoseconds kBusyPause_ns = kMillisecond;
constexpr Nanoseconds kLongestWait_ns = 100 * kMillisecond;  // between two looks for a signal
constexpr std::uint64_t kBlocks10 = std::uint64_t{1} << 32;  // READ(10) reaches below

[[noreturn]] void fail(const scsi::TransportError& error) {
  throw Error(error.kind == scsi::TransportError::Kind::refused      ? ExitStatus::refused
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

// A power loss tears whole physical blocks: what lies in them beside a write must be permitted,
// too.
void require_permission(const trace::Trace& trace, const scsi::Guard& guard) {
  const scsi::PhysicalBlocks& physical = guard.physical_blocks();
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  const trace::Request* forbidden = nullptr;
  for (const trace::Request& request : trace.requests) {
    if (!request.write) continue;
    const LbnRange all = physical.covering(request.lbn, request.blocks);
    first = std::min(first, all.first);
    last = std::max(last, all.last);
    if (!forbidden && !guard.may_write(request.lbn, request.blocks)) forbidden = &request;
  }
  if (forbidden)
    throw Error(
        ExitStatus::refused,
        fmt::format("{} writes {} blocks at LBN {}{}, which this run may not: pass "
                    "--allow-writes {}-{} to let it rewrite its sectors with what they hold",
                    trace.name, forbidden->blocks, forbidden->lbn,
                    physical.logical_blocks() > 1
                        ? fmt::format(" of physical blocks of {}", physical.logical_blocks())
                        : "",
                    first, last));
}

void require_lengths(const trace::Trace& trace, std::uint32_t most, const std::string& device) {
  const auto longer = std::ranges::find_if(
      trace.requests, [&](const trace::Request& request) { return request.blocks > most; });
  if (longer == trace.requests.end()) return;
  throw Error(
      ExitStatus::bad_input,
      fmt::format(
          "{}: request {} is of {} blocks, and {} takes {} in one command at most (VPD page "
          "B0h, or what the host's path carries); shorten such requests in the trace",
          trace.name, longer - trace.requests.begin() + 1, longer->blocks, device, most));
}

// Requests into a device, completions out of it. What the drive refuses with BUSY, TASK SET FULL or
// a unit attention was not executed and is sent again; its response time is that of the attempt
// that was.
class DrivePlayer final : public Player {
 public:
  DrivePlayer(scsi::Device& device, std::uint32_t block_bytes, std::uint64_t capacity,
              const Contents& contents, bool forces_reads, bool forces_writes, std::uint32_t depth)
      : device_(device),
        block_bytes_(block_bytes),
        capacity_(capacity),
        contents_(contents),
        read_bits_({.force_unit_access = forces_reads}),
        write_bits_({.force_unit_access = forces_writes}),
        room_(device.max_outstanding()),
        one_at_a_time_(std::min(depth, room_) == 1),
        start_ns_(device.clock().now_ns() + kReferencePause_ns) {}

  void prepare(const Response& request) override {
    prepared_ = {.request = request, .command = command_for(request)};
  }

  std::optional<Done> next_by(Nanoseconds time_ns) override {
    for (;;) {
      const Nanoseconds due_ns = start_ns_ + time_ns;
      const bool pause = !paused_.empty() && pause_ends_ns_ <= due_ns;
      const Nanoseconds until_ns = pause ? pause_ends_ns_ : due_ns;
      const Nanoseconds soon_ns = std::min(until_ns, device_.clock().now_ns() + kLongestWait_ns);
      if (!come_.empty())
        return come_.front().completion_ns() <= time_ns ? next_come() : std::nullopt;
      if (const auto completion = value_of(device_.reap_until(soon_ns))) {
        if (const auto done = done_of(*completion)) return done;
      } else if (soon_ns < until_ns) {
        stop_if_asked();
      } else if (pause) {
        for (Sent& sent : std::exchange(paused_, {})) send(std::move(sent));
      } else {
        return std::nullopt;
      }
    }
  }

  Done next() override {
    for (;;) {
      if (!come_.empty()) return *next_come();
      if (!paused_.empty()) {
        if (const auto done = next_by(pause_ends_ns_ - start_ns_)) return *done;
        continue;
      }
      const auto completion = value_of(device_.reap());
      if (!completion)
        throw Error(ExitStatus::protocol,
                    fmt::format("{} has lost a command that it had accepted", device_.name()));
      if (const auto done = done_of(*completion)) return *done;
    }
  }

  void issue(std::uint64_t number, Nanoseconds /*time_ns: it has come*/) override {
    prepared_.number = number;
    send(std::move(prepared_));
  }

  std::uint32_t room() const override { return room_; }
  // After an error: what is under way ends, and what waits is never sent. The drive may be gone.
  void drain() {
    held_.clear();
    doubted_.clear();
    paused_.clear();
    scsi::drain(device_, outstanding_.size());
    outstanding_.clear();
  }

  // From now on; the reads of one block that set the phase have none.
  void name_short_requests(bool names) { names_short_ = names; }

  // Asked before the next write where a unit attention may mean that the drive was replaced.
  void require_by(std::function<void()> same_drive) { require_same_drive_ = std::move(same_drive); }

  // How the requests went.
  struct Went {
    std::uint64_t retries = 0, recovered = 0;
    std::map<std::string, std::uint64_t> warnings{};
    CameShort came_short{};
    bool was_reset = false;
  };
  const Went& went() const { return went_; }

 private:
  struct Sent {
    std::uint64_t number = 0;
    Response request{};
    scsi::Command command{};
    int tries = 0;
    std::optional<Nanoseconds> first_issue_ns{};
  };

  scsi::Command command_for(const Response& row) const {
    const bool wide = capacity_ > kBlocks10 || row.blocks > 0xFFFF;
    if (!row.write)
      return wide ? scsi::read_16(row.lbn, row.blocks, block_bytes_, read_bits_)
                  : scsi::read_10(row.lbn, row.blocks, block_bytes_, read_bits_);
    return wide
               ? scsi::write_16(row.lbn, row.blocks, contents_.of(row.lbn, row.blocks), write_bits_)
               : scsi::write_10(row.lbn, row.blocks, contents_.of(row.lbn, row.blocks),
                                write_bits_);
  }

  // Before a write leaves it is heard whether another one has failed. And nobody else's blocks are
  // written: it waits until the drive has nothing to do and has been asked who it is.
  void send(Sent request) {
    if (request.request.write && !outstanding_.empty()) hear();
    if (may_be_another_ && request.request.write) {
      if (!outstanding_.empty()) return doubted_.push_back(std::move(request));
      require_same_drive_();
      may_be_another_ = false;
    }
    const std::uint32_t tag = next_tag_++;
    const Sent& sent = outstanding_.emplace(tag, std::move(request)).first->second;
    value_of(one_at_a_time_ ? device_.submit_alone(sent.command, tag)
                            : device_.submit(sent.command, tag));
  }

  // All that has come by now.
  void hear() {
    const Nanoseconds now_ns = device_.clock().now_ns();
    if (now_ns <= std::exchange(heard_ns_, now_ns)) return;
    while (const auto completion = value_of(device_.reap_until(now_ns)))
      if (const auto done = done_of(*completion)) come_.push_back(*done);
  }

  std::optional<Done> next_come() {
    const Done first = come_.front();
    come_.pop_front();
    return first;
  }

  // Once nothing else is outstanding.
  void send_doubted() {
    if (!outstanding_.empty()) return;
    for (Sent& doubted : std::exchange(doubted_, {})) send(std::move(doubted));
  }

  // nullopt: it was not executed and is sent again.
  std::optional<Done> done_of(const scsi::Completion& completion) {
    const auto found = outstanding_.find(completion.tag);
    if (found == outstanding_.end())
      throw Error(ExitStatus::protocol,
                  fmt::format("{} completed a command with tag {} that is not outstanding",
                              device_.name(), completion.tag));
    Sent sent = std::move(found->second);
    outstanding_.erase(found);
    if (!sent.first_issue_ns) sent.first_issue_ns = completion.issued_ns;
    if (!executed(completion)) {
      again_or_fail(std::move(sent), completion);
      send_doubted();
      return std::nullopt;
    }
    send_doubted();
    note_how_it_went(sent, completion);
    while (!held_.empty() && outstanding_.size() < room_) {
      Sent held = std::move(held_.front());
      held_.pop_front();
      send(std::move(held));
    }
    return Done{.number = sent.number,
                .issue_ns = completion.issued_ns - start_ns_,
                .response_ns = completion.response_ns(),
                .refused_ns = completion.issued_ns - *sent.first_issue_ns};
  }

  void note_how_it_went(const Sent& sent, const scsi::Completion& completion) {
    const std::optional<scsi::Sense> sense = scsi::decode_sense(completion.sense);
    const scsi::Cleanness how = scsi::cleanness_of(sense);
    if (how == scsi::Cleanness::recovered) ++went_.recovered;
    if (how == scsi::Cleanness::warned) ++went_.warnings[sense->text()];
    const std::uint32_t missing = scsi::bytes_short(sent.command, completion);
    if (missing == 0) return;
    ++went_.came_short.count;
    const std::uint32_t came = (sent.command.transfer_length - missing) / block_bytes_;
    if (went_.came_short.first.size() < CameShort::kMostNamed)
      went_.came_short.first.push_back({sent.number, sent.request.lbn, sent.request.blocks, came});
    if (names_short_) return;
    throw scsi::DriveError(
        ExitStatus::drive_error,
        fmt::format("{} answered the {} of {} blocks at LBN {} with GOOD and {} blocks; shorten "
                    "such requests, or connect the drive another way",
                    device_.name(), sent.request.write ? "write" : "read", sent.request.blocks,
                    sent.request.lbn, came),
        std::nullopt, sent.request.lbn, sent.request.blocks, scsi::DriveError::Kind::came_short);
  }

  // A deferred error is of an earlier command; the one that brings it was not begun (SPC-4,
  // deferred errors).
  static bool executed(const scsi::Completion& completion) {
    const std::optional<scsi::Sense> sense = scsi::decode_sense(completion.sense);
    return completion.status == scsi::Status::good ||
           (sense && !sense->deferred && sense->key == scsi::SenseKey::recovered_error);
  }

  void again_or_fail(Sent sent, const scsi::Completion& completion) {
    const std::optional<scsi::Sense> sense = scsi::decode_sense(completion.sense);
    const bool attention = sense &&
                           (sense->key == scsi::SenseKey::unit_attention ||
                            (sense->deferred && sense->key == scsi::SenseKey::recovered_error));
    const bool full = completion.status == scsi::Status::task_set_full;
    went_.was_reset = went_.was_reset || (attention && sense->asc == kResetOccurred);
    may_be_another_ |= attention && sense->may_mean_another_drive();
    ++went_.retries;
    const bool busy = full || completion.status == scsi::Status::busy;
    if (busy && !outstanding_.empty()) {  // it waits for one of those that the drive took
      if (full) room_ = std::min(room_, static_cast<std::uint32_t>(outstanding_.size()));
      held_.push_back(std::move(sent));
      return;
    }
    if ((!attention && !busy) || ++sent.tries > kMostRetries) give_up(sent, completion, sense);
    if (attention) return send(std::move(sent));
    paused_.push_back(std::move(sent));
    pause_ends_ns_ = device_.clock().now_ns() + kBusyPause_ns;
  }

  // An error of these blocks alone lets the rest of the trace be replayed.
  [[noreturn]] void give_up(const Sent& sent, const scsi::Completion& completion,
                            const std::optional<scsi::Sense>& sense) const {
    const scsi::Advice advice = scsi::advice_on(sense, completion.status);
    const bool of_these_blocks = advice.affects == scsi::Affects::these_blocks;
    throw Error(
        advice.status == ExitStatus::refused ? ExitStatus::refused : ExitStatus::drive_error,
        fmt::format("{} fails the {} of {} blocks at LBN {}: {}; {}", device_.name(),
                    sent.request.write ? "write" : "read", sent.request.blocks, sent.request.lbn,
                    sense ? sense->text()
                          : fmt::format("status {:02X}h", static_cast<int>(completion.status)),
                    of_these_blocks ? "take it out of the trace" : advice.text));
  }

  scsi::Device& device_;
  std::uint32_t block_bytes_;
  std::uint64_t capacity_;
  const Contents& contents_;
  scsi::CacheBits read_bits_, write_bits_;
  std::uint32_t room_;
  bool one_at_a_time_;
  Nanoseconds start_ns_;
  Sent prepared_{};
  std::uint32_t next_tag_ = 1;
  Went went_{};
  bool names_short_ = false;
  std::map<std::uint32_t, Sent> outstanding_{};
  std::deque<Done> come_{};  // heard before a write left
  Nanoseconds heard_ns_ = 0;
  std::deque<Sent> held_{};  // the drive had others, they wait for a completion
  bool may_be_another_ = false;
  std::vector<Sent> doubted_{};  // writes that wait until it is known who the drive is
  std::function<void()> require_same_drive_{};
  std::vector<Sent> paused_{};     // it had none and was busy all the same
  Nanoseconds pause_ends_ns_ = 0;  // on the device's clock
};

std::optional<std::uint64_t> first_written(const trace::Trace& trace) {
  const auto write = std::ranges::find(trace.requests, true, &trace::Request::write);
  return write == trace.requests.end() ? std::nullopt : std::optional(write->lbn);
}

[[noreturn]] void refuse_caches(const std::string& what, const char* other) {
  throw Error(ExitStatus::unsupported, fmt::format("{}; replay with --caches {}", what, other));
}

// What was set may have no effect. Blocks that are not on the media come at once with FUA, too.
void set_caches(scsi::Drive& drive, const std::string& name, Caches caches,
                const std::optional<std::uint64_t>& written) {
  if (caches == Caches::as_they_are) return;
  const bool off = caches == Caches::off;
  if (off && !drive.settings().set_cache(false, true, true))
    refuse_caches(name + " does not let its caches be turned off",
                  "forced, which passes them by with FUA");
  using scsi::Forced;
  const auto require = [&](Forced outcome, const char* what) {
    if (outcome == Forced::not_needed || outcome == Forced::obeyed) return;
    refuse_caches(fmt::format("{} answers {} from its cache{} and {}", name, what,
                              off ? " though that was turned off" : "",
                              outcome == Forced::refused ? "refuses FUA" : "ignores FUA"),
                  "default");
  };
  require(scsi::force_reads(drive, drive.blocks() / 2), "reads");
  if (written) require(scsi::force_writes(drive, *written), "writes");
  if (caches == Caches::forced) drive.settings().force_access(true, written.has_value());
}

}  // namespace

model::Identity identity_of(scsi::Device& device) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, device.name());
  return drive.identify();
}

std::uint32_t most_blocks_of(scsi::Device& device) {
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, device.name());
  drive.identify();
  return drive.most_blocks();
}

Result replay_on_drive(scsi::Device& device, const scsi::Permission& permission,
                       const trace::Trace& trace, const DriveReplay& options) {
  scsi::Guard guard(device, permission);
  require_permission(trace, guard);  // block by block, and nothing has been sent
  scsi::Drive drive(guard, device.name());
  const model::Identity identity = drive.identify();
  drive.refuse_host_managed();
  trace::require_within(trace, identity.blocks);
  require_permission(trace, guard);
  const bool writes = std::any_of(trace.requests.begin(), trace.requests.end(),
                                  [](const trace::Request& request) { return request.write; });
  if (const int type = drive.capacity().protection_type; writes && type > 0)
    throw Error(
        ExitStatus::refused,
        fmt::format("{} is formatted with protection information of type {}, and a block that is "
                    "rewritten would lose its tags; replay a trace of reads",
                    device.name(), type));
  require_lengths(trace, drive.most_blocks(), device.name());
  if (options.before_changes && (writes || options.caches == Caches::off))
    options.before_changes(identity, drive);
  Contents contents(identity.block_bytes);
  for (const trace::Request& request : trace.requests)
    if (request.write) contents.want(drive.physical_blocks().covering(request.lbn, request.blocks));
  contents.learn(drive, options.before_writes);
  set_caches(drive, device.name(), options.caches, first_written(trace));

  Result result;
  result.target = Result::Target::drive;
  result.name = device.name();
  result.drive_mark = identity::drive_mark(identity);
  result.trace = trace.name;
  result.kind = trace.kind;
  result.caches = name_of(options.caches);
  result.block_bytes = identity.block_bytes;

  guard.prepare_for(options.depth);
  const std::uint64_t sent_again = guard.sent_again();
  DrivePlayer player(guard, identity.block_bytes, identity.blocks, contents,
                     drive.settings().forces_reads(), drive.settings().forces_writes(),
                     options.depth);
  player.require_by([&] { drive.require_same_drive(); });
  IntoResult rows(result);
  try {
    const Nanoseconds start_ns = play_references(
        player, reference_lbns(identity.blocks, options.reference_reads), rows);
    player.name_short_requests(options.names_short_requests);
    play(player, *trace::reader_of(trace),
         {.kind = trace.kind,
          .depth = options.depth,
          .start_ns = start_ns,
          .blocks = identity.blocks},
         Part::trace, rows, [&](std::uint64_t issued) {
           if (options.progress) options.progress(issued, trace.requests.size());
         });
  } catch (...) {
    player.drain();
    throw;
  }
  if (guard.why_writes_ended()) throw Error(ExitStatus::drive_error, *guard.why_writes_ended());
  result.depth = std::min(options.depth, player.room());
  if (result.depth < options.depth) result.asked_depth = options.depth;
  result.retries = player.went().retries + guard.sent_again() - sent_again;
  result.recovered = player.went().recovered;
  result.warnings = player.went().warnings;
  if (player.went().came_short.count > 0) result.came_short = player.went().came_short;
  if (options.caches == Caches::off && player.went().was_reset)
    throw Error(
        ExitStatus::drive_error,
        fmt::format("{} was reset during the replay and may have turned its caches on again; "
                    "the result is discarded, replay once more",
                    device.name()));
  drive.settings().restore();
  return result;
}

}  // namespace platter::replay
