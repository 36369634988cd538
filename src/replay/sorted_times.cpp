#include "replay/sorted_times.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>

#include "model/error.h"
#include "model/leftovers.h"

namespace platter::replay {
namespace {

constexpr std::size_t kMerged = 16;       // runs of a level
constexpr std::size_t kTimesRead = 2048;  // times read at a time
constexpr std::size_t kWritten = 1 << 15;

[[noreturn]] void fail(const std::string& folder, const char* what) {
  throw Error(
      ExitStatus::output,
      fmt::format("{}: a temporary file for sorting cannot be {} there: {}; set TMPDIR to a "
                  "folder with room",
                  folder, what, std::strerror(errno)));
}

}  // namespace

// Has no name any more, so that it goes with the program.
class SortedTimes::File {
 public:
  File() {
    std::string name = model::temporary_name("platter-sort");
    folder_ = std::filesystem::path(name).parent_path().string();
    const model::SignalsHeld held;
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(folder_, "made");
    ::unlink(name.c_str());
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t times() const { return times_ + waiting_.size(); }

  void append(std::span<const Nanoseconds> times) {
    waiting_.insert(waiting_.end(), times.begin(), times.end());
    if (waiting_.size() >= kWritten) flush();
  }

  void flush() {
    const char* at = reinterpret_cast<const char*>(waiting_.data());
    for (std::size_t left = waiting_.size() * sizeof(Nanoseconds); left > 0;) {
      const ssize_t written = ::write(descriptor_, at, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(folder_, "written");
      at += written;
      left -= static_cast<std::size_t>(written);
    }
    times_ += waiting_.size();
    waiting_ = {};
  }

  void read(std::uint64_t from, std::span<Nanoseconds> times) const {
    char* at = reinterpret_cast<char*>(times.data());
    auto offset = static_cast<off_t>(from * sizeof(Nanoseconds));
    for (std::size_t left = times.size_bytes(); left > 0;) {
      const ssize_t got = ::pread(descriptor_, at, left, offset);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail(folder_, "read");
      at += got;
      offset += got;
      left -= static_cast<std::size_t>(got);
    }
  }

 private:
  std::string folder_;
  int descriptor_ = -1;
  std::uint64_t times_ = 0;
  std::vector<Nanoseconds> waiting_{};
};

bool SortedTimes::Source::refill() {
  if (at_ == end_) return false;
  piece_.resize(std::min<std::uint64_t>(kTimesRead, end_ - at_));
  file_->read(at_, piece_);
  at_ += piece_.size();
  rest_ = piece_;
  return true;
}

bool SortedTimes::Source::next(Nanoseconds& time_ns) {
  if (rest_.empty() && !refill()) return false;
  time_ns = rest_.front();
  rest_ = rest_.subspan(1);
  return true;
}

SortedTimes::Reader::Reader(std::vector<Source> sources) : sources_(std::move(sources)) {
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (Nanoseconds first = 0; sources_[i].next(first)) heap_.emplace_back(first, i);
  std::ranges::make_heap(heap_, std::greater<>());
}

bool SortedTimes::Reader::next(Nanoseconds& time_ns) {
  if (heap_.empty()) return false;
  std::ranges::pop_heap(heap_, std::greater<>());
  auto& [least, source] = heap_.back();
  time_ns = least;
  if (sources_[source].next(least))
    std::ranges::push_heap(heap_, std::greater<>());
  else
    heap_.pop_back();
  return true;
}

void SortedTimes::add(std::size_t kind, Nanoseconds time_ns) {
  if (held_count_ == most_) spill();
  held_[kind].push_back(time_ns);
  ++held_count_;
  ++counts_[kind];
}

std::uint64_t SortedTimes::count(const Kinds& kinds) const {
  std::uint64_t count = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) count += kinds[kind] ? counts_[kind] : 0;
  return count;
}

void SortedTimes::sort_held() {
  for (std::vector<Nanoseconds>& times : held_)
    if (!std::ranges::is_sorted(times)) std::ranges::sort(times);
}

void SortedTimes::spill() {
  sort_held();
  Run run{.file = std::make_shared<File>()};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    run.file->append(held_[kind]);
    run.begin[kind + 1] = run.file->times();
    held_[kind] = {};
  }
  run.file->flush();
  held_count_ = 0;
  runs_.push_back(std::move(run));
  const auto alike = [this] { return std::ranges::count(runs_, runs_.back().level, &Run::level); };
  while (alike() == kMerged) merge_latest(kMerged);
}

void SortedTimes::merge_latest(std::size_t runs) {
  const std::span<const Run> latest = std::span(runs_).last(runs);
  Run merged{.file = std::make_shared<File>(), .level = latest.front().level + 1};
  std::vector<Nanoseconds> piece;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    Reader reader(sources_of(latest, kind));
    for (Nanoseconds time_ns = 0; reader.next(time_ns);) {
      piece.push_back(time_ns);
      if (piece.size() == kWritten) merged.file->append(std::exchange(piece, {}));
    }
    merged.file->append(std::exchange(piece, {}));
    merged.begin[kind + 1] = merged.file->times();
  }
  merged.file->flush();
  runs_.resize(runs_.size() - runs);
  runs_.push_back(std::move(merged));
}

std::vector<SortedTimes::Source> SortedTimes::sources_of(std::span<const Run> runs,
                                                         std::size_t kind) {
  std::vector<Source> sources;
  for (const Run& run : runs)
    if (run.begin[kind] < run.begin[kind + 1])
      sources.emplace_back(run.file, run.begin[kind], run.begin[kind + 1]);
  return sources;
}

SortedTimes::Reader SortedTimes::read(const Kinds& kinds) {
  sort_held();
  std::vector<Source> sources;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!kinds[kind]) continue;
    std::ranges::move(sources_of(runs_, kind), std::back_inserter(sources));
    if (!held_[kind].empty()) sources.emplace_back(std::span<const Nanoseconds>(held_[kind]));
  }
  return Reader(std::move(sources));
}

}  // namespace platter::replay
