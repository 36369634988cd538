// A file system as a drive sees it, which is told page by page what is written: which pages hold
// what the file system needs to find its files (metadata), and which hold what is in the files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/file_systems/bytes.h"
#include "emulator/file_systems/reading_limit.h"

namespace platter::emulator {

inline constexpr std::uint64_t kPage = 4096;

// What a page holds that is being written. Whoever is not sure never says data: a page too many
// costs memory, a page too few a file system.
enum class Verdict : std::uint8_t {
  data,
  unknown,   // nothing says that it is metadata; may be dropped when many others came after it
  perhaps,   // it may be metadata by its bytes; kept until something says whose it is
  metadata,  // kept
};

// The drive around a file system, by offsets from the beginning of the file system. What its
// pages hold is what was last written there, or what a guest made of it.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  // false: some of that was dropped, or lies past the end.
  virtual bool read(std::uint64_t at, std::span<std::uint8_t> to) const = 0;
  virtual std::uint64_t bytes() const = 0;
  // A clock that goes on with every page that is written.
  virtual std::uint64_t now() const = 0;
  // What waits of pages that lie there wholly and were written before that time: it is data, and
  // dropped.
  virtual void data(std::uint64_t at, std::uint64_t bytes, std::uint64_t before) = 0;
  // The same, said by a page that may have been on its way when they were written, and so know
  // nothing of them: they are dropped when it says so again.
  virtual void data_it_seems(std::uint64_t at, std::uint64_t bytes, std::uint64_t said_by) = 0;
  // Of all pages that are there in part: it is to be kept.
  virtual void metadata(std::uint64_t at, std::uint64_t bytes) = 0;
  // Nobody needs these bytes any more, whatever they are.
  virtual void drop(std::uint64_t at, std::uint64_t bytes) = 0;

  // What is made of what is read is counted with it.
  ReadingLimit& limit() const { return limit_; }

 private:
  mutable ReadingLimit limit_{};
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // For people, of one line; with the reason where nothing of it is dropped.
  virtual std::string name() const = 0;
  // What tells it from another one that was made in its place.
  virtual std::string identity() const = 0;
  // A page that is about to be written, whole, and not all zeros.
  virtual Verdict classify(std::uint64_t at, Bytes page) = 0;
  // A page was written and kept, be it that it waits.
  virtual void written(std::uint64_t at, Bytes page) = 0;
};

// Where, from its beginning on, a superblock says what is there.
inline constexpr std::uint64_t kSuperblockPages[] = {0, 64 * 1024};

// The file system that begins where `around` does; nullptr: there is none that is known. It reads
// all that it has to know of before, at any time of a file system's life.
std::unique_ptr<FileSystem> file_system_in(Surroundings& around,
                                           const std::vector<std::string>& kept_names);
// Its identity, without making it; empty: there is none.
std::string identity_in(const Surroundings& around);

}  // namespace platter::emulator
