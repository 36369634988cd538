// The contents of a drive as real ones keep them: media of physical blocks, in front of them a
// cache that is lost with the power. Only blocks that differ from the pattern they began with take
// room.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace trust {

using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

struct Geometry {
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 512;
  std::uint32_t per_physical = 1;    // logical blocks of a physical one
  std::uint32_t lowest_aligned = 0;  // the first LBN that begins a physical block
};

enum class Torn : std::uint8_t { unreadable, garbage };

struct Difference {
  std::uint64_t lbn = 0;
  bool unreadable = false;
};

class Contents {
 public:
  using Random = std::mt19937_64;

  Contents(Geometry geometry, std::uint64_t seed, Torn torn);

  const Geometry& geometry() const { return geometry_; }

  // What a host gets: of the cache where it holds the block, unless the media are asked. Shorter
  // than asked where a block cannot be read.
  Bytes read(std::uint64_t lbn, std::uint32_t blocks, bool from_media) const;
  // The first block that the media cannot give; nullopt: all can be read.
  std::optional<std::uint64_t> first_unreadable(std::uint64_t lbn, std::uint32_t blocks) const;

  // Onto the media, in whole.
  void write(std::uint64_t lbn, std::span<const std::uint8_t> bytes);
  // Into the cache; goes to the media when `destage` says so.
  void write_cached(std::uint64_t lbn, std::span<const std::uint8_t> bytes, std::int64_t due_ns);
  // What is due until then, and what exceeds the room.
  void destage(std::int64_t now_ns, Random& random);
  void flush(std::uint64_t lbn, std::uint64_t blocks);
  void flush() { flush(0, geometry_.blocks); }
  void forget_clean() { clean_.clear(); }

  // A write that the power, or a failure, cut off: of its physical blocks some are old, some new,
  // and one at least is torn. Gives the blocks that were torn.
  std::vector<std::uint64_t> tear(std::uint64_t lbn, std::span<const std::uint8_t> bytes,
                                  Random& random);
  // One physical block of a write is lost as it is torn, the rest arrives.
  std::vector<std::uint64_t> tear_one(std::uint64_t lbn, std::span<const std::uint8_t> bytes,
                                      Random& random);
  // Of what waits in the cache each physical block may get to the media, or be torn; the rest is
  // gone.
  std::vector<std::uint64_t> lose_cache(Random& random);
  // The physical block of `lbn` is spoilt, whatever was written. Gives its blocks.
  std::vector<std::uint64_t> spoil(std::uint64_t lbn, bool unreadable, Random& random);
  // The same with wrong bytes on the media, where the cache still holds the right ones.
  void spoil_below_cache(std::uint64_t lbn, Random& random);

  std::size_t dirty() const { return dirty_.size(); }
  // Any of the blocks there that wait in the cache.
  std::optional<std::uint64_t> any_dirty(std::uint64_t lbn, std::uint64_t blocks,
                                         Random& random) const;

  // Against the pattern: of the media alone, or as a host sees it.
  std::vector<Difference> differences(bool media) const;

  Json to_json() const;
  void from_json(const Json& json);

 private:
  struct Block {
    bool unreadable = false;
    Bytes bytes;
  };
  struct Waiting {
    Bytes bytes;
    std::int64_t due_ns = 0;
  };

  Bytes at_first(std::uint64_t lbn) const;
  std::uint64_t physical_of(std::uint64_t lbn) const;
  std::uint64_t first_of(std::uint64_t physical) const;
  std::uint64_t end_of(std::uint64_t physical) const;
  void set(std::uint64_t lbn, std::span<const std::uint8_t> bytes);
  void spoil_physical(std::uint64_t physical, bool unreadable, Random& random);
  void destage_physical(std::uint64_t physical);
  void keep_clean(std::uint64_t lbn, Bytes bytes);

  Geometry geometry_;
  std::uint64_t seed_;
  Torn torn_;
  std::map<std::uint64_t, Block> media_;    // what differs from the pattern
  std::map<std::uint64_t, Waiting> dirty_;  // not on the media yet
  std::int64_t first_due_ns_ = 0;           // nothing of these is due before
  std::map<std::uint64_t, Bytes> clean_;  // what reads find though it is on the media, or should be
};

}  // namespace trust
