#include "trace/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "model/error.h"

namespace platter::trace {
namespace {

// A place is a function of the LBN alone, so that what is read again is read where it was, and of
// pieces as a whole, so that neighbours stay neighbours.

// What the first pass sees.
struct Seen {
  std::uint64_t end = 0;        // one past the last block
  std::uint32_t longest = 0;    // request, in blocks
  std::uint64_t granule = 0;    // blocks
  std::vector<bool> touched{};  // granules, in which a request lies
};

constexpr std::uint64_t kGranule = 128;           // blocks to begin with
constexpr std::uint64_t kMostGranules = 1 << 26;  // then twice as large ones, as often as needed

void coarsen(Seen& seen) {
  std::vector<bool> half((seen.touched.size() + 1) / 2);
  for (std::size_t i = 0; i < seen.touched.size(); ++i)
    if (seen.touched[i]) half[i / 2] = true;
  seen.touched = std::move(half);
  seen.granule *= 2;
}

void touch(Seen& seen, std::uint64_t begin, std::uint64_t end) {
  while ((end - 1) / seen.granule >= kMostGranules) coarsen(seen);
  const std::uint64_t first = begin / seen.granule, last = (end - 1) / seen.granule;
  if (last >= seen.touched.size()) seen.touched.resize(last + 1);
  for (std::uint64_t i = first; i <= last; ++i) seen.touched[i] = true;
}

Seen look_at(Reader& reader, bool touches) {
  Seen seen{.granule = kGranule};
  std::array<Request, 1024> batch;
  while (const std::size_t count = reader.read(batch))
    for (std::size_t i = 0; i < count; ++i) {
      const Request& request = batch[i];
      const std::uint64_t end = request.lbn + request.blocks;
      seen.end = std::max(seen.end, end);
      seen.longest = std::max(seen.longest, request.blocks);
      if (touches) touch(seen, request.lbn, end);
    }
  return seen;
}

// A request that would cross the drive's end is moved to end there.
std::uint64_t within(std::uint64_t lbn, std::uint32_t blocks, std::uint64_t drive) {
  return std::min(lbn, drive - blocks);
}

using Placing = std::function<std::uint64_t(const Request&)>;

Placing wrapped(std::uint64_t drive) {
  return [drive](const Request& request) {
    return within(request.lbn % drive, request.blocks, drive);
  };
}

// A thousandth of the drive, at least 1 MB: less and runs are cut, more and distances are coarse.
std::uint64_t piece_blocks(std::uint64_t drive) {
  constexpr std::uint64_t kLeast = 2048, kPieces = 1024;
  return std::min(drive,
                  std::max(kLeast, std::bit_floor(std::max<std::uint64_t>(drive / kPieces, 1))));
}

Placing scaled(std::uint64_t drive, std::uint64_t end) {
  const std::uint64_t piece = piece_blocks(drive);
  const std::uint64_t pieces = drive / piece;
  const std::uint64_t all = std::max<std::uint64_t>(1, (end + piece - 1) / piece);
  return [=](const Request& request) {
    const std::uint64_t from = request.lbn / piece;
    const auto to = static_cast<std::uint64_t>(
        static_cast<double>(from) * static_cast<double>(pieces) / static_cast<double>(all));
    return within(to * piece + request.lbn % piece, request.blocks, drive);
  };
}

// Granules that are touched, one after the other.
struct Compact {
  std::uint64_t granule = 1, touched = 0;
  std::vector<std::uint32_t> place{};
};

Placing compacted(const Seen& seen, std::uint64_t drive, std::uint64_t& touched) {
  Compact compact{.granule = seen.granule, .place = {}};
  compact.place.reserve(seen.touched.size());
  for (const bool is_touched : seen.touched) {
    compact.place.push_back(static_cast<std::uint32_t>(compact.touched));
    if (is_touched) ++compact.touched;
  }
  touched = compact.touched * compact.granule;
  return [compact = std::move(compact), drive](const Request& request) {
    const std::uint64_t lbn = compact.place[request.lbn / compact.granule] * compact.granule +
                              request.lbn % compact.granule;
    return within(lbn, request.blocks, drive);
  };
}

class FittedReader final : public Reader {
 public:
  FittedReader(std::unique_ptr<Reader> reader, Placing place)
      : reader_(std::move(reader)), place_(std::move(place)) {}

  const Source& source() const override { return reader_->source(); }
  std::vector<Skipped> skipped() const override { return reader_->skipped(); }
  std::string device_text(std::uint32_t device) const override {
    return reader_->device_text(device);
  }
  std::size_t read(std::span<Request> out) override {
    const std::size_t count = reader_->read(out);
    for (Request& request : out.first(count)) request.lbn = place_(request);
    return count;
  }

 private:
  std::unique_ptr<Reader> reader_;
  Placing place_;
};

}  // namespace

Fitted fitted(const std::function<std::unique_ptr<Reader>()>& open, Fit fit, std::uint64_t blocks) {
  std::unique_ptr<Reader> first = open();
  if (fit == Fit::none) return {std::move(first), {}};
  const std::string name = first->source().name;
  Seen seen = look_at(*first, fit == Fit::compact);
  if (seen.longest > blocks)
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: a request of {} blocks is longer than the drive, which has {}; no "
                            "fit helps, take a larger drive",
                            name, seen.longest, blocks));
  if (seen.end <= blocks) return {open(), {}};
  if (fit == Fit::wrap)
    return {std::make_unique<FittedReader>(open(), wrapped(blocks)),
            fmt::format("wrap: the {} blocks that the trace spans, modulo the drive's {}", seen.end,
                        blocks)};
  if (fit == Fit::scale)
    return {std::make_unique<FittedReader>(open(), scaled(blocks, seen.end)),
            fmt::format("scale: the {} blocks that the trace spans, {:.4g} times as large as the "
                        "drive's {}, in pieces of {} blocks",
                        seen.end, static_cast<double>(seen.end) / static_cast<double>(blocks),
                        blocks, piece_blocks(blocks))};
  const std::uint64_t end = seen.end;
  std::uint64_t touched = 0;
  Placing place = compacted(std::move(seen), blocks, touched);
  if (touched > blocks)
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: the trace touches {} of the {} blocks that it spans, more than the "
                    "drive's {}; take --fit wrap or scale, or a larger drive",
                    name, touched, end, blocks));
  return {
      std::make_unique<FittedReader>(open(), std::move(place)),
      fmt::format("compact: {} touched blocks of the {} that the trace spans, on the drive's {}",
                  touched, end, blocks)};
}

}  // namespace platter::trace
