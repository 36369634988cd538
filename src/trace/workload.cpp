#include "trace/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/refuse.h"

namespace platter::trace {
namespace {

constexpr int kTries = 10'000;  // to draw a track that lies within the ranges
constexpr Nanoseconds kLongest_ns = 9'000'000'000'000'000;  // what traces hold exactly

std::uint64_t whole_blocks(std::uint64_t bytes, std::uint32_t block_bytes) {
  return std::max<std::uint64_t>(1, (bytes + block_bytes - 1) / block_bytes);
}

void check(const std::vector<LbnRange>& ranges, std::uint64_t capacity) {
  for (const LbnRange& range : ranges)
    if (range.first > range.last || range.last >= capacity)
      refuse("the LBN range {}-{} is not one of this drive, whose last LBN is {}", range.first,
             range.last, capacity - 1);
}

void check(const Profile& profile, std::uint32_t block_bytes) {
  if (block_bytes == 0) refuse("a block of 0 bytes is none");
  if (profile.align_bytes % block_bytes != 0)
    refuse(
        "requests cannot be aligned to {} bytes on a drive with blocks of {} bytes; name a "
        "multiple of it",
        profile.align_bytes, block_bytes);
  if (const auto* nearby = std::get_if<Nearby>(&profile.place);
      nearby &&
      (nearby->sequential > nearby->of || nearby->local > nearby->of - nearby->sequential))
    refuse("the sequential and the local share together are more than all requests");
}

// In blocks, 0: requests follow one another. A stride past the end of a stream's region would lead
// each request to the region's beginning.
std::uint64_t stride_of(const Streams& streams, std::uint32_t block_bytes, const Ranges& allowed) {
  const double kib = static_cast<double>(streams.stride_bytes) / 1024;
  if (streams.stride_bytes % block_bytes != 0)
    refuse("--stride-kb {} is no whole number of blocks of {} bytes; name a multiple of {}", kib,
           block_bytes, block_bytes / 1024.0);
  const std::uint64_t blocks = allowed.blocks() / streams.count;
  const std::uint64_t stride = streams.stride_bytes / block_bytes;
  if (stride > 0 && stride >= blocks)
    refuse(
        "--stride-kb {} leads past the end of the {} blocks of {} bytes that a stream has; name "
        "a smaller one",
        kib, blocks, block_bytes);
  return stride;
}

}  // namespace

Generator::Generator(const Workload& workload)
    : profile_(workload.profile),
      requests_(workload.requests.value_or(workload.profile.requests)),
      reads_only_(workload.reads_only),
      track_of_(workload.track_of),
      allowed_(workload.within.empty() ? std::vector<LbnRange>{{0, workload.blocks - 1}}
                                       : workload.within),
      draws_(workload.seed) {
  source_.name = fmt::format("{} workload, seed {}", profile_.name, workload.seed);
  source_.kind = profile_.times.kind;
  source_.block_bytes = workload.block_bytes;
  source_.says_block_bytes = true;
  check(profile_, workload.block_bytes);
  if (std::holds_alternative<OnTracks>(profile_.place) && !track_of_)
    refuse("the workload {} needs to know where tracks begin; name the model of the drive, --for",
           profile_.name);
  const Sizes& sizes = profile_.sizes;
  for (const std::uint64_t weight : sizes.weights) weight_ += weight;
  const std::uint64_t largest = whole_blocks(
      sizes.least_bytes + (sizes.weights.size() - 1) * std::uint64_t{sizes.step_bytes},
      workload.block_bytes);
  if (workload.blocks < largest)
    refuse("a drive of {} blocks cannot hold the largest request of the workload, {} blocks",
           workload.blocks, largest);
  check(workload.within, workload.blocks);
  check(workload.writes, workload.blocks);
  const std::uint64_t align = std::max(1u, profile_.align_bytes / workload.block_bytes);
  const auto* const streams = std::get_if<Streams>(&profile_.place);
  const std::uint64_t stride = streams ? stride_of(*streams, workload.block_bytes, allowed_) : 0;
  placer_.emplace(profile_, allowed_, align, largest, stride);
  if (!workload.writes.empty() && !reads_only_)
    write_placer_.emplace(profile_, Ranges(workload.writes), align, largest, stride);
  gap_ns_ = drawn_gap();
}

std::size_t Generator::read(std::span<Request> out) {
  std::size_t count = 0;
  while (count < out.size() && made_ < requests_) out[count++] = next();
  return count;
}

// A request's gap is drawn before all else of it, a closed request's think time is the gap before
// the next one: a seed makes the same requests, open and closed.
Request Generator::next() {
  Request request;
  if (made_ > 0) arrival_ns_ += gap_ns_;
  if (arrival_ns_ > kLongest_ns)
    refuse(
        "request {} of the workload {} would arrive after more than 104 days; ask for fewer "
        "requests or for a higher rate",
        made_ + 1, profile_.name);
  ++made_;
  if (source_.kind == Kind::open) request.arrival_ns = arrival_ns_;
  const Share writes = profile_.writes;
  request.write = draws_.below(writes.of) >= writes.of - writes.part && !reads_only_;
  Placer& placer = request.write && write_placer_ ? *write_placer_ : *placer_;
  if (const auto* const tracks = std::get_if<OnTracks>(&profile_.place)) {
    before_ = drawn_on_tracks(*tracks, placer);
    request.lbn = before_->first;
    request.blocks = static_cast<std::uint32_t>(before_->last - before_->first + 1);
  } else {
    request.blocks = drawn_blocks();
    request.lbn = placer.place(draws_, before_, request.blocks);
    before_ = {request.lbn, request.lbn + request.blocks - 1};
  }
  gap_ns_ = burst_ends(request.blocks) ? profile_.times.idle_ns : drawn_gap();
  if (source_.kind == Kind::closed && made_ < requests_) request.think_ns = gap_ns_;
  return request;
}

LbnRange Generator::drawn_on_tracks(const OnTracks& tracks, Placer& placer) {
  for (int tries = 0; tries < kTries; ++tries) {
    const std::uint64_t lbn = placer.place(draws_, before_, 1);
    LbnRange range = track_of_(lbn);
    if (range.last < range.first) continue;
    const std::uint64_t blocks = range.last - range.first + 1;
    if (!tracks.aligned) range = {lbn, lbn + blocks - 1};
    if (allowed_.holds(range.first, blocks)) return range;
  }
  refuse("the LBN ranges given hold hardly any track as a whole; name longer ones");
}

std::uint32_t Generator::drawn_blocks() {
  std::uint64_t drawn = draws_.below(weight_), bytes = profile_.sizes.least_bytes;
  for (const std::uint64_t weight : profile_.sizes.weights) {
    if (drawn < weight) break;
    drawn -= weight;
    bytes += profile_.sizes.step_bytes;
  }
  return static_cast<std::uint32_t>(whole_blocks(bytes, source_.block_bytes));
}

bool Generator::burst_ends(std::uint32_t blocks) {
  const Times& times = profile_.times;
  ++burst_requests_;
  burst_bytes_ += std::uint64_t{blocks} * source_.block_bytes;
  const bool ends = (times.burst_requests > 0 && burst_requests_ >= times.burst_requests) ||
                    (times.burst_bytes > 0 && burst_bytes_ >= times.burst_bytes);
  if (ends) burst_requests_ = burst_bytes_ = 0;
  return ends;
}

Nanoseconds Generator::drawn_gap() {
  const Times& times = profile_.times;
  switch (times.gap) {
    case Gap::constant:
      return times.mean_ns;
    case Gap::uniform:
      return static_cast<Nanoseconds>(
          draws_.below(2 * static_cast<std::uint64_t>(times.mean_ns) + 1));
    case Gap::exponential:
      return draws_.exponential(times.mean_ns);
  }
  return 0;
}

Trace generate(const Workload& workload) {
  Generator generator(workload);
  return read_trace(generator);
}

void save(const Workload& workload, const std::string& path, Format format) {
  Generator generator(workload);
  const Kind kind = generator.source().kind;
  if (format == Format::detect) format = kind == Kind::open ? Format::ascii : Format::validate;
  const auto writer = create_trace(path, format, {.block_bytes = workload.block_bytes});
  if (kind == Kind::closed && writer->kind() == Kind::open)
    refuse(
        "the workload {} is closed, and the format {} holds open traces; name --format validate, "
        "or --rate for an open one",
        workload.profile.name, name_of(format));
  copy(generator, *writer);
  writer->finish();
}

}  // namespace platter::trace
