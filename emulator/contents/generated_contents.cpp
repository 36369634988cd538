#include "emulator/contents/generated_contents.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "emulator/file_systems/found_file_systems.h"
#include "model/error.h"

namespace platter::emulator {
namespace {

constexpr std::size_t kLine = 64, kDigits = 16, kNumberAt = 28;
using Line = std::array<char, kLine>;

Line line_of(std::uint64_t page) {
  Line line;
  std::memcpy(line.data(), "platter dropped data: page 0x0123456789abcdef of 4096 bytes    \n",
              kLine);
  for (std::size_t i = 0; i < kDigits; ++i)
    line[kNumberAt + 1 + i] = "0123456789abcdef"[page >> (4 * (kDigits - 1 - i)) & 0xF];
  return line;
}

constexpr std::uint64_t kPagesAtOnce = 64;
constexpr std::uint64_t kSector = 512;
constexpr std::uint8_t kWhole = 0xFF;         // all sectors of a page
constexpr std::uint64_t kMostRoomMade = 256;  // pages
constexpr int kMostTries = 8;

// A file of generated contents: what is kept, the map of what was dropped, and a page that says so.
constexpr std::uint64_t kMarkBytes = kPage;
constexpr char kMark[] = "platter: generated contents, version 1\n";

std::uint64_t pages_in(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage; }

std::uint64_t map_at(std::uint64_t bytes) { return pages_in(bytes) * kPage; }

std::uint64_t bytes_behind(std::uint64_t bytes) {
  return map_at(bytes) - bytes + DroppedMap::bytes_for(pages_in(bytes)) + kMarkBytes;
}

ContentsFile store_of(const GeneratedSettings& settings) {
  return settings.file ? ContentsFile(*settings.file, settings.bytes, bytes_behind(settings.bytes))
                       : ContentsFile(settings.bytes);
}

DroppedMap map_of(const GeneratedSettings& settings, const ContentsFile& store) {
  const std::uint64_t pages = pages_in(settings.bytes);
  if (!settings.file) return DroppedMap(pages);
  const std::uint64_t at = map_at(settings.bytes);
  const auto mark_at = static_cast<off_t>(at + DroppedMap::bytes_for(pages));
  std::array<char, sizeof kMark> mark{};
  const bool is_read = pread(store.descriptor(), mark.data(), mark.size(), mark_at) ==
                       static_cast<ssize_t>(mark.size());
  const bool is_new = is_read && mark == std::array<char, sizeof kMark>{};
  if (is_new && pwrite(store.descriptor(), kMark, sizeof kMark, mark_at) != sizeof kMark)
    throw Error(ExitStatus::output, *settings.file + " cannot be written: " + std::strerror(errno) +
                                        "; give another file for contents");
  if (!is_new && (!is_read || std::memcmp(mark.data(), kMark, sizeof kMark) != 0))
    throw Error(ExitStatus::bad_input,
                *settings.file +
                    " holds no generated contents; give a file that does, or one that "
                    "is not there yet");
  return DroppedMap(pages, store.descriptor(), at);
}

}  // namespace

void WaitingPages::put(std::uint64_t page, const Page& what) {
  const auto [it, is_new] = pages_.try_emplace(page, what);
  if (!is_new) {
    forget_age(it->second);
    it->second = what;
  }
  if (what.droppable) by_age_.emplace(what.written, page);
}

void WaitingPages::remove(std::uint64_t page) {
  const auto it = pages_.find(page);
  if (it == pages_.end()) return;
  forget_age(it->second);
  pages_.erase(it);
}

const WaitingPages::Page* WaitingPages::find(std::uint64_t page) const {
  const auto it = pages_.find(page);
  return it == pages_.end() ? nullptr : &it->second;
}

std::optional<std::uint64_t> WaitingPages::oldest() const {
  if (by_age_.empty()) return std::nullopt;
  return by_age_.begin()->second;
}

void generate(std::uint64_t page, std::uint64_t from, std::span<std::uint8_t> to) {
  const Line line = line_of(page);
  for (std::size_t done = 0; done < to.size();) {
    const std::size_t in = (from + done) % kLine;
    const std::size_t part = std::min(kLine - in, to.size() - done);
    std::memcpy(to.data() + done, line.data() + in, part);
    done += part;
  }
}

// Called by file systems while a write holds the mutex.
class GeneratedContents::Drive : public Surroundings {
 public:
  explicit Drive(GeneratedContents& contents) : contents_(contents) {}

  bool read(std::uint64_t at, std::span<std::uint8_t> to) const override {
    if (!contents_.holds(at, to.size())) return false;
    const std::uint64_t first = at / kPage, end = pages_in(at + to.size());
    if (to.empty()) return true;
    if (contents_.dropped_.contains(first) || contents_.dropped_.alike(first, end) != end - first)
      return false;
    return contents_.store_.read(at, to) == 0;
  }
  std::uint64_t bytes() const override { return contents_.bytes_; }
  std::uint64_t now() const override { return contents_.clock_; }

  void data(std::uint64_t at, std::uint64_t bytes, std::uint64_t before) override {
    drop_if(at, bytes, [&](WaitingPages::Page& page) { return page.written < before; });
  }
  void data_it_seems(std::uint64_t at, std::uint64_t bytes, std::uint64_t said_by) override {
    drop_if(at, bytes, [&](WaitingPages::Page& page) {
      if (page.said_by == said_by) return page.said < now();
      page.said_by = said_by;
      page.said = now();
      return false;
    });
  }
  void metadata(std::uint64_t at, std::uint64_t bytes) override {
    contents_.waiting_.visit(at / kPage, pages_in(at + bytes),
                             [](std::uint64_t, WaitingPages::Page&) { return true; });
  }
  void drop(std::uint64_t at, std::uint64_t bytes) override {
    const auto [first, end] = whole_pages(at, bytes);
    if (first < end) contents_.drop_pages(first, end);
  }

 private:
  static std::pair<std::uint64_t, std::uint64_t> whole_pages(std::uint64_t at,
                                                             std::uint64_t bytes) {
    return {pages_in(at), (at + bytes) / kPage};
  }

  template <typename Condition>
  void drop_if(std::uint64_t at, std::uint64_t bytes, Condition goes) {
    const auto [first, end] = whole_pages(at, bytes);
    std::vector<std::uint64_t> gone;
    if (first < end)
      contents_.waiting_.visit(first, end, [&](std::uint64_t number, WaitingPages::Page& page) {
        if (!goes(page)) return false;
        gone.push_back(number);
        return true;
      });
    contents_.drop_each(std::move(gone));
  }

  GeneratedContents& contents_;
};

GeneratedContents::GeneratedContents(const GeneratedSettings& settings)
    : bytes_(settings.bytes),
      waiting_limit_(settings.waiting_bytes / kPage),
      stored_limit_(settings.stored_bytes),
      store_(store_of(settings)),
      dropped_(map_of(settings, store_)),
      pages_(kPagesAtOnce * kPage),
      drive_(std::make_unique<Drive>(*this)),
      found_(
          std::make_unique<FoundFileSystems>(*drive_, settings.block_bytes, settings.kept_names)) {}

GeneratedContents::~GeneratedContents() = default;

// A page that is dropped while it is read may be read as a hole: then it is read again.
int GeneratedContents::read(std::uint64_t offset, std::span<std::uint8_t> to) const {
  if (!holds(offset, to.size())) return EINVAL;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::uint64_t before = drops_.load();
    const int error = read_once(offset, to);
    if (error != 0 || drops_.load() == before) return error;
  }
  const std::lock_guard lock(mutex_);
  return read_once(offset, to);
}

int GeneratedContents::read_once(std::uint64_t offset, std::span<std::uint8_t> to) const {
  while (!to.empty()) {
    const std::uint64_t page = offset / kPage, in = offset % kPage;
    const std::uint64_t run = dropped_.alike(page, pages_in(offset + to.size()));
    const auto part = to.first(std::min<std::uint64_t>(to.size(), run * kPage - in));
    if (!dropped_.contains(page)) {
      if (const int error = store_.read(offset, part)) return error;
    } else {
      generate(page, in, part.first(std::min<std::uint64_t>(part.size(), kPage - in)));
      for (std::uint64_t done = kPage - in; done < part.size(); done += kPage)
        generate((offset + done) / kPage, 0,
                 part.subspan(done, std::min<std::uint64_t>(kPage, part.size() - done)));
    }
    offset += part.size();
    to = to.subspan(part.size());
  }
  return 0;
}

int GeneratedContents::write(std::uint64_t offset, std::span<const std::uint8_t> from) {
  if (!holds(offset, from.size())) return EINVAL;
  const std::uint64_t at = offset, bytes = from.size();
  const std::lock_guard lock(mutex_);
  int error = 0;
  while (!from.empty() && error == 0) {
    const std::uint64_t page = offset / kPage, in = offset % kPage;
    const std::uint64_t whole = std::min<std::uint64_t>(from.size() / kPage, kPagesAtOnce);
    std::uint64_t part = whole * kPage;
    if (in != 0 || whole == 0) {
      part = std::min<std::uint64_t>(from.size(), kPage - in);
      error = take_part(page, in, from.first(part));
    } else {
      std::memcpy(pages_.data(), from.data(), part);
      error = take_pages(page, {pages_.data(), part}, kWhole);
    }
    offset += part;
    from = from.subspan(part);
  }
  if (bytes > 0 && found_->looks_at(at, bytes)) found_->look_again();
  make_room();
  return error;
}

// Of a page whose other bytes stay: what it holds then is what counts.
int GeneratedContents::take_part(std::uint64_t page, std::uint64_t in,
                                 std::span<const std::uint8_t> bytes) {
  std::memset(pages_.data(), 0, kPage);
  const std::span<std::uint8_t> whole(pages_.data(), std::min(kPage, bytes_ - page * kPage));
  if (dropped_.contains(page))
    generate(page, 0, whole);
  else if (const int error = store_.read(page * kPage, whole))
    return error;
  std::memcpy(pages_.data() + in, bytes.data(), bytes.size());
  std::uint8_t sectors = 0;
  for (std::uint64_t sector = (in + kSector - 1) / kSector;
       (sector + 1) * kSector <= in + bytes.size(); ++sector)
    sectors |= static_cast<std::uint8_t>(1u << sector);
  if (const WaitingPages::Page* const waits = waiting_.find(page)) sectors |= waits->sectors;
  return take_pages(page, whole, sectors);
}

int GeneratedContents::take_pages(std::uint64_t first, std::span<const std::uint8_t> bytes,
                                  std::uint8_t sectors) {
  const std::uint64_t count = pages_in(bytes.size());
  const auto page_at = [&](std::uint64_t i) {
    return bytes.subspan(i * kPage, std::min<std::uint64_t>(kPage, bytes.size() - i * kPage));
  };
  std::array<Verdict, kPagesAtOnce> verdicts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto page = page_at(i);
    Verdict verdict = all_zeros(page) ? Verdict::metadata  // that cost nothing
                                      : found_->classify((first + i) * kPage, page);
    if (verdict == Verdict::data && sectors != kWhole) verdict = Verdict::unknown;
    verdicts[i] = verdict;
  }
  for (std::uint64_t begin = 0, end = 0; begin < count; begin = end) {
    const bool drops = verdicts[begin] == Verdict::data;
    while (end < count && (verdicts[end] == Verdict::data) == drops) ++end;
    const auto run = bytes.subspan(
        begin * kPage, std::min<std::uint64_t>(bytes.size(), end * kPage) - begin * kPage);
    const int error = drops ? drop_pages(first + begin, first + end) : keep(first + begin, run);
    if (error != 0) return error;
    for (std::uint64_t i = begin; i < end; ++i) {
      ++clock_;
      const Verdict verdict = verdicts[i];
      if (verdict == Verdict::unknown || verdict == Verdict::perhaps)
        waiting_.put(
            first + i,
            {.written = clock_, .droppable = verdict == Verdict::unknown, .sectors = sectors});
      else
        waiting_.remove(first + i);
      if (!drops) found_->written((first + i) * kPage, page_at(i));
    }
  }
  return 0;
}

int GeneratedContents::keep(std::uint64_t first, std::span<const std::uint8_t> bytes) {
  if (stored_limit_ != ~std::uint64_t{0} && store_.stored_bytes() + bytes.size() > stored_limit_ &&
      !all_zeros(bytes))
    return ENOSPC;
  if (const int error = store_.write(first * kPage, bytes)) return error;
  return dropped_.set(first, first + pages_in(bytes.size()), false);
}

// They are dropped before they are gone: whoever reads them meanwhile can tell.
int GeneratedContents::drop_pages(std::uint64_t first, std::uint64_t end) {
  if (dropped_.contains(first) && dropped_.alike(first, end) == end - first) return 0;
  if (const int error = dropped_.set(first, end, true)) return error;
  ++drops_;
  return store_.discard(first * kPage, std::min(end * kPage, bytes_) - first * kPage);
}

void GeneratedContents::drop_each(std::vector<std::uint64_t> pages) {
  std::ranges::sort(pages);
  for (std::size_t begin = 0, end = 0; begin < pages.size(); begin = end) {
    while (end < pages.size() && pages[end] - pages[begin] == end - begin) ++end;
    drop_pages(pages[begin], pages[end - 1] + 1);
  }
}

// A little more than is needed at once: what came together goes together.
void GeneratedContents::make_room() {
  if (waiting_.droppable() <= waiting_limit_) return;
  std::vector<std::uint64_t> gone;
  while (waiting_.droppable() > waiting_limit_ - std::min(waiting_limit_ / 8, kMostRoomMade)) {
    gone.push_back(*waiting_.oldest());
    waiting_.remove(gone.back());
  }
  dropped_unclaimed_ += gone.size() * kPage;
  drop_each(std::move(gone));
}

int GeneratedContents::discard(std::uint64_t offset, std::uint64_t bytes) {
  if (!holds(offset, bytes)) return EINVAL;
  if (bytes == 0) return 0;
  static const std::array<std::uint8_t, kPage> zeros{};
  const std::lock_guard lock(mutex_);
  const std::uint64_t end = offset + bytes;
  int error = 0;
  for (std::uint64_t at = offset; at < end && error == 0;) {
    const std::uint64_t page = at / kPage, in = at % kPage, whole = end / kPage;
    if (in != 0 || page >= whole) {
      const std::uint64_t part = std::min(end - at, kPage - in);
      error = take_part(page, in, {zeros.data(), part});
      at += part;
      continue;
    }
    error = store_.discard(at, (whole - page) * kPage);
    if (error == 0) error = dropped_.set(page, whole, false);
    waiting_.visit(page, whole, [](std::uint64_t, WaitingPages::Page&) { return true; });
    at = whole * kPage;
  }
  if (found_->looks_at(offset, bytes)) found_->look_again();
  return error;
}

GeneratedContents::State GeneratedContents::state() const {
  const std::lock_guard lock(mutex_);
  return {dropped_.count() * kPage, waiting_.size() * kPage, dropped_unclaimed_, found_->names()};
}

}  // namespace platter::emulator
