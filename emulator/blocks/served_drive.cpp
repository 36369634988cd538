#include "emulator/blocks/served_drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "emulator/contents/generated_contents.h"
#include "model/error.h"

namespace platter::emulator {
namespace {

platter_table* opened(const std::string& path) {
  platter_table* table = nullptr;
  if (platter_table_open(path.c_str(), &table) != PLATTER_OK)
    throw Error(ExitStatus::bad_input, platter_last_error());
  return table;
}

platter_info info_of(const platter_table* table) {
  platter_info info{};
  info.struct_size = sizeof info;
  platter_table_info(table, &info);
  return info;
}

platter_engine* made_over(const platter_table* table) {
  platter_engine* engine = nullptr;
  if (platter_engine_create(table, &engine) != PLATTER_OK)
    throw Error(ExitStatus::internal, platter_last_error());
  return engine;
}

platter_queue queue_of(platter_engine* engine, const DriveSettings& settings) {
  platter_queue queue{};
  platter_engine_queue(engine, &queue);
  queue.scheduler = settings.scheduler.value_or(queue.scheduler);
  queue.depth = settings.depth.value_or(queue.depth);
  if (platter_engine_set_queue(engine, &queue) != PLATTER_OK)
    throw Error(ExitStatus::usage, platter_last_error());
  return queue;
}

std::uint32_t write_flags(bool through) {
  return std::uint32_t{PLATTER_WRITE} | (through ? std::uint32_t{PLATTER_FORCE_UNIT_ACCESS} : 0);
}

}  // namespace

ServedDrive::ServedDrive(const DriveSettings& settings, unsigned number, const DriveClock& clock,
                         const TransportDelay& delay, LogWriter* log)
    : name_(settings.name),
      table_(opened(settings.table)),
      info_(info_of(table_.get())),
      engine_(made_over(table_.get())),
      queue_(queue_of(engine_.get(), settings)),
      media_(make_contents(settings.contents, bytes(), info_.block_bytes)),
      generated_(dynamic_cast<const GeneratedContents*>(media_.get())),
      volatile_(settings.write_cache_loss ? std::make_unique<VolatileContents>(
                                                std::move(media_), [this] { return dirty_bytes(); })
                                          : nullptr),
      contents_(volatile_ != nullptr ? volatile_.get() : media_.get()),
      episodes_(settings.episodes
                    ? std::optional<RequestEpisodes>(std::in_place, *settings.episodes, number)
                    : std::nullopt),
      log_(log != nullptr ? std::optional<RequestLog>(std::in_place, *log, number) : std::nullopt),
      paced_(*engine_, queue_.depth, info_.block_bytes, clock, delay,
             episodes_ ? &*episodes_ : nullptr, log_ ? &*log_ : nullptr) {}

std::optional<platter_request> ServedDrive::request_for(std::uint64_t offset, std::uint64_t bytes,
                                                        std::uint32_t flags) const {
  const std::uint64_t blocks = bytes / info_.block_bytes;
  if (offset % info_.block_bytes != 0 || bytes % info_.block_bytes != 0 || blocks == 0 ||
      blocks > std::numeric_limits<std::uint32_t>::max() || offset > this->bytes() ||
      bytes > this->bytes() - offset)
    return std::nullopt;
  platter_request request{};
  request.lbn = offset / info_.block_bytes;
  request.blocks = static_cast<std::uint32_t>(blocks);
  request.flags = flags;
  return request;
}

std::vector<Range> ServedDrive::dirty_bytes() const {
  std::vector<Range> ranges = paced_.dirty_blocks();
  for (Range& range : ranges) {
    range.first *= info_.block_bytes;
    range.end *= info_.block_bytes;
  }
  return ranges;
}

// Data are fetched and kept before the wait, so that they cost the answer no time. What fails keeps
// none.
int ServedDrive::read(std::uint64_t offset, std::span<std::uint8_t> to, Nanoseconds came_host_ns,
                      const Connection& who, Courier* courier) {
  const auto request = request_for(offset, to.size(), 0);
  if (!request || to.size() > kMostRequestBytes) return EINVAL;
  if (const int error = contents_->read(offset, to)) return error;
  return paced_.serve(*request, came_host_ns, who, {}, courier);
}

template <typename Change>
int ServedDrive::change(const platter_request& request, Nanoseconds came_host_ns,
                        const Connection& who, Courier* courier, Change change) {
  const auto move = [&](bool fails) {
    if (fails) return 0;
    if (const int error = change()) return error;
    return (request.flags & PLATTER_FORCE_UNIT_ACCESS) != 0 ? contents_->flush() : 0;
  };
  return paced_.serve(request, came_host_ns, who, move, courier);
}

int ServedDrive::write(std::uint64_t offset, std::span<const std::uint8_t> from, bool through,
                       Nanoseconds came_host_ns, const Connection& who, Courier* courier) {
  const auto request = request_for(offset, from.size(), write_flags(through));
  if (!request || from.size() > kMostRequestBytes) return EINVAL;
  if (volatile_ != nullptr) return write_in_cache(*request, from, came_host_ns, who);
  return change(*request, came_host_ns, who, courier,
                [&] { return contents_->write(offset, from); });
}

int ServedDrive::zero(std::uint64_t offset, std::uint64_t bytes, bool through,
                      Nanoseconds came_host_ns, const Connection& who, Courier* courier) {
  const auto request = request_for(offset, bytes, write_flags(through));
  if (!request) return EINVAL;
  if (volatile_ != nullptr) return zero_in_cache(*request, came_host_ns, who);
  return change(*request, came_host_ns, who, courier,
                [&] { return contents_->discard(offset, bytes); });
}

// What is on the media when the power goes depends on when it was written there, so that the end
// of this comes after the drive's time.
int ServedDrive::write_in_cache(const platter_request& request, std::span<const std::uint8_t> from,
                                Nanoseconds came_host_ns, const Connection& who) {
  const bool through = (request.flags & PLATTER_FORCE_UNIT_ACCESS) != 0;
  std::optional<VolatileContents::Ticket> ticket;
  const int refused = paced_.serve(request, came_host_ns, who, [&](bool fails) {
    VolatileContents::Ticket begun = 0;
    if (fails) return 0;
    const int error = volatile_->begin_write(who.power(), request.lbn * info_.block_bytes, from,
                                             begun);
    if (error == 0) ticket = begun;
    return error;
  });
  if (!ticket) return refused;
  const int error = volatile_->end_write(*ticket, through);
  if (refused != 0 || error != 0) return refused != 0 ? refused : error;
  return through ? contents_->flush() : 0;
}

// A cache holds data, also where they are zeros: a request for 4 GB of them takes little memory and
// the contents for a short time only, and so it comes to the drive in pieces.
int ServedDrive::zero_in_cache(platter_request request, Nanoseconds came_host_ns,
                               const Connection& who) {
  constexpr std::uint32_t kPieceBytes = 1U << 20;
  const std::lock_guard turn(who.zeroing);
  const std::uint32_t most = kPieceBytes / info_.block_bytes;
  const std::vector<std::uint8_t> zeros(std::size_t{std::min(request.blocks, most)} *
                                        info_.block_bytes);
  for (std::uint32_t left = request.blocks; left > 0;) {
    request.blocks = std::min(left, most);
    const auto part = std::span(zeros).first(std::size_t{request.blocks} * info_.block_bytes);
    if (const int error = write_in_cache(request, part, came_host_ns, who)) return error;
    request.lbn += request.blocks;
    left -= request.blocks;
    came_host_ns = host_now_ns();
  }
  return 0;
}

int ServedDrive::flush(Nanoseconds came_host_ns, const Connection& who, Courier* courier) {
  if (const int error = contents_->flush()) return error;
  if (volatile_ == nullptr) return paced_.synchronize(came_host_ns, who, courier);
  const VolatileContents::Ticket ticket = volatile_->begin_flush();
  const int refused = paced_.synchronize(came_host_ns, who);
  const int error = volatile_->end_flush(ticket);
  if (refused != 0 || error != 0) return refused != 0 ? refused : error;
  return contents_->flush();
}

// The contents first: an answer that the drive gives meanwhile is not told any more.
int ServedDrive::cut_power() {
  const int error = volatile_ != nullptr ? volatile_->cut_power() : 0;
  paced_.cut_power();
  return error;
}

std::string ServedDrive::log_head() const {
  return fmt::format(
      R"({{"name":{},"model_sha256":"{}","scheduler":{},"depth":{},"ageing":{}{}}})", quoted(name_),
      info_.model_sha256, queue_.scheduler, queue_.depth, queue_.ageing,
      episodes_ ? fmt::format(R"(,"episodes_sha256":"{}")", episodes_->sha256()) : "");
}

std::string ServedDrive::against_its_drive() const {
  if ((info_.flags & PLATTER_DERIVED) != 0) return of_hypothetical_drive();
  platter_demerit demerit{};
  demerit.struct_size = sizeof demerit;
  if (platter_table_demerit(table_.get(), 0, &demerit) != PLATTER_OK)
    return of_model_not_compared();
  return of_demerit(demerit.demerit_ms, demerit.demerit_percent, demerit.requests,
                    demerit.workload);
}

DriveReport ServedDrive::report() const {
  const platter_counters counters = paced_.counters();
  DriveReport report{name_,
                     against_its_drive(),
                     paced_.lateness(),
                     counters.outside_validity,
                     counters.late_arrivals,
                     contents_->stored_bytes(),
                     paced_.power(),
                     std::nullopt,
                     std::nullopt};
  if (episodes_) report.episodes = paced_.episodes();
  if (generated_ != nullptr) {
    const GeneratedContents::State state = generated_->state();
    report.generated = {state.dropped_bytes, state.dropped_unclaimed, state.waiting_bytes,
                        state.file_systems};
  }
  return report;
}

}  // namespace platter::emulator
