#include "contents.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "pattern.h"

namespace trust {
namespace {

constexpr std::size_t kMostClean = 256, kMostDirty = 8192;  // blocks

std::string hex(std::span<const std::uint8_t> bytes) {
  static const char* const kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Bytes unhex(const std::string& text) {
  const auto digit = [](char c) {
    return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  Bytes bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
  return bytes;
}

}  // namespace

Contents::Contents(Geometry geometry, std::uint64_t seed, Torn torn)
    : geometry_(geometry), seed_(seed), torn_(torn) {
  if (geometry.blocks == 0 || geometry.per_physical == 0 ||
      geometry.lowest_aligned >= geometry.per_physical)
    throw std::invalid_argument(
        "a drive has blocks, and physical ones that begin within the first of them");
}

Bytes Contents::at_first(std::uint64_t lbn) const {
  return pattern(seed_, lbn, geometry_.block_bytes);
}

// Physical block 0 is the one that holds LBN 0, which may be cut.
std::uint64_t Contents::physical_of(std::uint64_t lbn) const {
  const std::uint32_t n = geometry_.per_physical;
  return (lbn + (n - geometry_.lowest_aligned) % n) / n;
}

std::uint64_t Contents::first_of(std::uint64_t physical) const {
  const std::uint32_t n = geometry_.per_physical;
  const std::uint64_t shift = (n - geometry_.lowest_aligned) % n;
  return physical * n <= shift ? 0 : physical * n - shift;
}

std::uint64_t Contents::end_of(std::uint64_t physical) const {
  return std::min(first_of(physical + 1), geometry_.blocks);
}

Bytes Contents::read(std::uint64_t lbn, std::uint32_t blocks, bool from_media) const {
  Bytes bytes;
  bytes.reserve(std::size_t{blocks} * geometry_.block_bytes);
  const auto take = [&](const Bytes& block) {
    bytes.insert(bytes.end(), block.begin(), block.end());
  };
  for (std::uint64_t at = lbn; at < lbn + blocks; ++at) {
    if (!from_media) {
      if (const auto found = dirty_.find(at); found != dirty_.end()) {
        take(found->second.bytes);
        continue;
      }
      if (const auto found = clean_.find(at); found != clean_.end()) {
        take(found->second);
        continue;
      }
    }
    const auto block = media_.find(at);
    if (block == media_.end()) {
      take(at_first(at));
    } else {
      if (block->second.unreadable) break;
      take(block->second.bytes);
    }
  }
  return bytes;
}

std::optional<std::uint64_t> Contents::first_unreadable(std::uint64_t lbn,
                                                        std::uint32_t blocks) const {
  for (auto at = media_.lower_bound(lbn); at != media_.end() && at->first < lbn + blocks; ++at)
    if (at->second.unreadable) return at->first;
  return std::nullopt;
}

void Contents::set(std::uint64_t lbn, std::span<const std::uint8_t> bytes) {
  const Bytes block(bytes.begin(), bytes.end());
  if (block == at_first(lbn)) {
    media_.erase(lbn);
  } else {
    media_[lbn] = {false, block};
  }
}

void Contents::write(std::uint64_t lbn, std::span<const std::uint8_t> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(geometry_.block_bytes), ++lbn) {
    const auto block = bytes.first(geometry_.block_bytes);
    set(lbn, block);
    dirty_.erase(lbn);
    keep_clean(lbn, {block.begin(), block.end()});
  }
}

void Contents::write_cached(std::uint64_t lbn, std::span<const std::uint8_t> bytes,
                            std::int64_t due_ns) {
  for (; !bytes.empty(); bytes = bytes.subspan(geometry_.block_bytes), ++lbn) {
    const auto block = bytes.first(geometry_.block_bytes);
    dirty_[lbn] = {{block.begin(), block.end()}, due_ns};
    clean_.erase(lbn);
  }
  first_due_ns_ = std::min(first_due_ns_, due_ns);
}

void Contents::keep_clean(std::uint64_t lbn, Bytes bytes) {
  if (clean_.size() >= kMostClean)
    clean_.erase(clean_.lower_bound(mix(lbn) % clean_.rbegin()->first));
  clean_[lbn] = std::move(bytes);
}

// What waits of one physical block goes together.
void Contents::destage_physical(std::uint64_t physical) {
  for (auto at = dirty_.lower_bound(first_of(physical));
       at != dirty_.end() && at->first < end_of(physical); at = dirty_.erase(at)) {
    set(at->first, at->second.bytes);
    keep_clean(at->first, std::move(at->second.bytes));
  }
}

void Contents::destage(std::int64_t now_ns, Random& random) {
  std::vector<std::uint64_t> due;
  if (now_ns >= first_due_ns_) {
    first_due_ns_ = std::numeric_limits<std::int64_t>::max();
    for (const auto& [lbn, block] : dirty_)
      if (block.due_ns <= now_ns)
        due.push_back(physical_of(lbn));
      else
        first_due_ns_ = std::min(first_due_ns_, block.due_ns);
  }
  for (const std::uint64_t physical : due) destage_physical(physical);
  while (dirty_.size() > kMostDirty) {
    auto at = dirty_.lower_bound(random() % dirty_.rbegin()->first);
    destage_physical(physical_of(at->first));
  }
}

void Contents::flush(std::uint64_t lbn, std::uint64_t blocks) {
  while (true) {
    const auto at = dirty_.lower_bound(lbn);
    if (at == dirty_.end() || at->first >= lbn + blocks) return;
    destage_physical(physical_of(at->first));
  }
}

std::optional<std::uint64_t> Contents::any_dirty(std::uint64_t lbn, std::uint64_t blocks,
                                                 Random& random) const {
  const auto first = dirty_.lower_bound(lbn), end = dirty_.lower_bound(lbn + blocks);
  const auto count = std::distance(first, end);
  if (count == 0) return std::nullopt;
  return std::next(first, static_cast<std::ptrdiff_t>(random() % static_cast<std::uint64_t>(count)))
      ->first;
}

void Contents::spoil_physical(std::uint64_t physical, bool unreadable, Random& random) {
  for (std::uint64_t lbn = first_of(physical); lbn < end_of(physical); ++lbn) {
    Block& block = media_[lbn];
    block.unreadable = unreadable;
    block.bytes.clear();
    if (unreadable) continue;
    block.bytes.resize(geometry_.block_bytes);
    for (std::uint8_t& byte : block.bytes) byte = static_cast<std::uint8_t>(random());
  }
}

std::vector<std::uint64_t> Contents::tear(std::uint64_t lbn, std::span<const std::uint8_t> bytes,
                                          Random& random) {
  constexpr double kVictimShare = 0.8, kTornShare = 0.25, kNewShare = 0.5;
  const std::uint64_t blocks = bytes.size() / geometry_.block_bytes;
  if (blocks == 0) return {};
  const std::uint64_t first = physical_of(lbn), last = physical_of(lbn + blocks - 1);
  const std::uint64_t victim = first + random() % (last - first + 1);
  std::vector<std::uint64_t> torn;
  for (std::uint64_t physical = first; physical <= last; ++physical) {
    const double draw = std::uniform_real_distribution<>(0, 1)(random);
    const double torn_share = physical == victim ? kVictimShare : kTornShare;
    if (draw < torn_share) {
      spoil_physical(physical, torn_ == Torn::unreadable, random);
      for (std::uint64_t at = first_of(physical); at < end_of(physical); ++at) torn.push_back(at);
    } else if (draw < torn_share + (1 - torn_share) * kNewShare) {
      for (std::uint64_t at = std::max(first_of(physical), lbn);
           at < std::min(end_of(physical), lbn + blocks); ++at)
        set(at, bytes.subspan(static_cast<std::size_t>(at - lbn) * geometry_.block_bytes,
                              geometry_.block_bytes));
    }
  }
  return torn;
}

std::vector<std::uint64_t> Contents::tear_one(std::uint64_t lbn,
                                              std::span<const std::uint8_t> bytes, Random& random) {
  const std::uint64_t blocks = bytes.size() / geometry_.block_bytes;
  if (blocks == 0) return {};
  write(lbn, bytes);
  const std::uint64_t physical = physical_of(lbn + random() % blocks);
  std::vector<std::uint64_t> torn;
  spoil_physical(physical, torn_ == Torn::unreadable, random);
  for (std::uint64_t at = first_of(physical); at < end_of(physical); ++at) {
    torn.push_back(at);
    clean_.erase(at);
    dirty_.erase(at);
  }
  return torn;
}

std::vector<std::uint64_t> Contents::lose_cache(Random& random) {
  constexpr double kTornShare = 0.2, kNewShare = 0.4;
  std::vector<std::uint64_t> torn;
  clean_.clear();
  while (!dirty_.empty()) {
    const std::uint64_t physical = physical_of(dirty_.begin()->first);
    const double draw = std::uniform_real_distribution<>(0, 1)(random);
    if (draw < kTornShare) {
      spoil_physical(physical, torn_ == Torn::unreadable, random);
      for (std::uint64_t at = first_of(physical); at < end_of(physical); ++at) torn.push_back(at);
    } else if (draw < kTornShare + kNewShare) {
      destage_physical(physical);
    }
    dirty_.erase(dirty_.begin(), dirty_.lower_bound(end_of(physical)));
  }
  clean_.clear();
  return torn;
}

std::vector<std::uint64_t> Contents::spoil(std::uint64_t lbn, bool unreadable, Random& random) {
  const std::uint64_t physical = physical_of(lbn);
  spoil_physical(physical, unreadable, random);
  std::vector<std::uint64_t> spoilt;
  for (std::uint64_t at = first_of(physical); at < end_of(physical); ++at) {
    spoilt.push_back(at);
    clean_.erase(at);
    dirty_.erase(at);
  }
  return spoilt;
}

void Contents::spoil_below_cache(std::uint64_t lbn, Random& random) {
  const std::uint64_t physical = physical_of(lbn);
  for (std::uint64_t at = first_of(physical); at < end_of(physical); ++at) {
    Bytes right = read(at, 1, false);
    if (!right.empty()) keep_clean(at, std::move(right));
    dirty_.erase(at);
  }
  spoil_physical(physical, false, random);
}

std::vector<Difference> Contents::differences(bool media) const {
  std::vector<Difference> found;
  for (const auto& [lbn, block] : media_)
    if (media || (!dirty_.contains(lbn) && !clean_.contains(lbn)))
      found.push_back({lbn, block.unreadable});
  if (media) return found;
  const auto look = [&](std::uint64_t lbn, const Bytes& bytes) {
    if (bytes != at_first(lbn)) found.push_back({lbn, false});
  };
  for (const auto& [lbn, block] : dirty_) look(lbn, block.bytes);
  for (const auto& [lbn, bytes] : clean_) look(lbn, bytes);
  std::ranges::sort(found, {}, &Difference::lbn);
  return found;
}

Json Contents::to_json() const {
  Json json;
  json["seed"] = seed_;
  json["media"] = json["dirty"] = json["clean"] = Json::array();
  for (const auto& [lbn, block] : media_)
    json["media"].push_back({lbn, block.unreadable ? Json(nullptr) : Json(hex(block.bytes))});
  for (const auto& [lbn, block] : dirty_) json["dirty"].push_back({lbn, hex(block.bytes)});
  for (const auto& [lbn, bytes] : clean_) json["clean"].push_back({lbn, hex(bytes)});
  return json;
}

// A drive that was on all the while destages what waits sooner or later.
void Contents::from_json(const Json& json) {
  seed_ = json.at("seed");
  for (const Json& entry : json.at("media")) {
    const bool unreadable = entry.at(1).is_null();
    media_[entry.at(0)] = {unreadable, unreadable ? Bytes{} : unhex(entry.at(1))};
  }
  constexpr std::int64_t kApart_ns = 20'000'000;
  for (const Json& entry : json.at("dirty")) {
    const std::uint64_t lbn = entry.at(0);
    dirty_[lbn] = {unhex(entry.at(1)),
                   static_cast<std::int64_t>(mix(physical_of(lbn)) % 16) * kApart_ns};
  }
  first_due_ns_ = 0;
  for (const Json& entry : json.at("clean")) clean_[entry.at(0)] = unhex(entry.at(1));
}

}  // namespace trust
