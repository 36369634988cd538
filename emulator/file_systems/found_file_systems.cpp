#include "emulator/file_systems/found_file_systems.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/file_systems/partitions.h"

namespace platter::emulator {

namespace {

// One that asks for more than is read.
class KeptWhole : public FileSystem {
 public:
  explicit KeptWhole(std::string identity) : identity_(std::move(identity)) {}
  std::string name() const override {
    return "a file system of which all is kept: its maps lead to more than is read";
  }
  std::string identity() const override { return identity_; }
  Verdict classify(std::uint64_t, Bytes) override { return Verdict::metadata; }
  void written(std::uint64_t, Bytes) override {}

 private:
  std::string identity_;
};

}  // namespace

// A part of the drive, as the file system in it sees it.
class FoundFileSystems::Place : public Surroundings {
 public:
  Place(Surroundings& drive, const Range& range) : drive_(drive), range_(range) {}

  bool read(std::uint64_t at, std::span<std::uint8_t> to) const override {
    limit().take_bytes(to.size());
    return at <= bytes() && to.size() <= bytes() - at && drive_.read(range_.first + at, to);
  }
  std::uint64_t bytes() const override { return range_.end - range_.first; }
  std::uint64_t now() const override { return drive_.now(); }
  void data(std::uint64_t at, std::uint64_t bytes, std::uint64_t before) override {
    const Range part = within(at, bytes);
    drive_.data(part.first, part.end - part.first, before);
  }
  void data_it_seems(std::uint64_t at, std::uint64_t bytes, std::uint64_t said_by) override {
    const Range part = within(at, bytes);
    drive_.data_it_seems(part.first, part.end - part.first, range_.first + said_by);
  }
  void metadata(std::uint64_t at, std::uint64_t bytes) override {
    const Range part = within(at, bytes);
    drive_.metadata(part.first, part.end - part.first);
  }
  void drop(std::uint64_t at, std::uint64_t bytes) override {
    const Range part = within(at, bytes);
    drive_.drop(part.first, part.end - part.first);
  }

  const Range& range() const { return range_; }
  FileSystem* file_system() const { return file_system_.get(); }
  void written(std::uint64_t at, Bytes page) {
    within_limit([&] { file_system_->written(at, page); });
  }
  void look_again(const std::vector<std::string>& kept_names) {
    limit().renew();
    const std::string identity = identity_in(*this);
    if (file_system_ != nullptr && identity == file_system_->identity()) return;
    file_system_.reset();
    identity_ = identity;
    if (!identity.empty()) within_limit([&] { file_system_ = file_system_in(*this, kept_names); });
  }

 private:
  template <typename Do>
  void within_limit(Do read) {
    limit().renew();
    try {
      read();
    } catch (const TooMuchToRead&) {
      file_system_ = std::make_unique<KeptWhole>(identity_);
      metadata(0, bytes());
    }
  }

  // A guest's numbers may lead anywhere.
  Range within(std::uint64_t at, std::uint64_t bytes) const {
    const std::uint64_t size = range_.end - range_.first, first = std::min(at, size);
    return {range_.first + first, range_.first + first + std::min(bytes, size - first)};
  }

  Surroundings& drive_;
  const Range range_;
  std::string identity_{};  // of the file system, when it was found
  std::unique_ptr<FileSystem> file_system_{};
};

FoundFileSystems::FoundFileSystems(Surroundings& drive, std::uint32_t block_bytes,
                                   std::vector<std::string> kept_names)
    : drive_(drive), block_bytes_(block_bytes), kept_names_(std::move(kept_names)) {
  look_again();
}

FoundFileSystems::~FoundFileSystems() = default;

FoundFileSystems::Place* FoundFileSystems::place_of(std::uint64_t at) const {
  for (const auto& place : places_)
    if (at >= place->range().first && at < place->range().end) return place.get();
  return nullptr;
}

Verdict FoundFileSystems::classify(std::uint64_t at, Bytes page) {
  const Place* const place = place_of(at);
  if (place == nullptr || place->file_system() == nullptr || page.size() != kPage ||
      place->range().end - at < kPage)
    return Verdict::metadata;
  return place->file_system()->classify(at - place->range().first, page);
}

void FoundFileSystems::written(std::uint64_t at, Bytes page) {
  Place* const place = place_of(at);
  if (place != nullptr && place->file_system() != nullptr && page.size() == kPage)
    place->written(at - place->range().first, page);
}

bool FoundFileSystems::looks_at(std::uint64_t at, std::uint64_t bytes) const {
  return watched_.touches({at, at + bytes});
}

void FoundFileSystems::look_again() {
  const auto read = [&](std::uint64_t at, std::span<std::uint8_t> to) {
    return drive_.read(at, to);
  };
  Partitioning partitioning = partitioning_of(read, drive_.bytes(), block_bytes_);
  std::ranges::sort(partitioning.places, {}, &Range::first);
  std::vector<Range> watched = partitioning.tables;
  std::vector<std::unique_ptr<Place>> places;
  std::uint64_t end = 0;
  for (const Range& range : partitioning.places) {
    const bool overlaps = range.first < end;
    end = std::max(end, range.end);
    if (overlaps) {  // one of the two is not what it seems: nothing is dropped in either
      if (!places.empty() && places.back()->range().end > range.first) places.pop_back();
      continue;
    }
    if (range.first % kPage != 0) continue;
    const auto same = std::ranges::find_if(
        places_, [&](const auto& old) { return old != nullptr && old->range() == range; });
    places.push_back(same != places_.end() ? std::move(*same)
                                           : std::make_unique<Place>(drive_, range));
    for (const std::uint64_t superblock : kSuperblockPages)
      watched.push_back({range.first + superblock, range.first + superblock + kPage});
  }
  places_ = std::move(places);
  watched_ = Ranges(std::move(watched));
  for (const auto& place : places_) place->look_again(kept_names_);
}

std::vector<std::string> FoundFileSystems::names() const {
  std::vector<std::string> names;
  for (const auto& place : places_) {
    const FileSystem* const found = place->file_system();
    names.push_back(fmt::format(
        "at byte {}: {}", place->range().first,
        found != nullptr ? found->name() : "nothing that is known, of which all is kept"));
  }
  return names;
}

}  // namespace platter::emulator
