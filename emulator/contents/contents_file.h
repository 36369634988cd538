// Contents in memory, or in a sparse file that outlives the emulator. Pages of zeros are never
// stored, so that an 8 TB drive costs what was written to it.
#pragma once

#include <string>

#include "emulator/contents/contents.h"

namespace platter::emulator {

class ContentsFile : public Contents {
 public:
  // In memory, all zeros. Throws Error(output) where the host has no such memory.
  explicit ContentsFile(std::uint64_t bytes);
  // In a file, which is made if there is none, and locked: an emulator in another process is
  // refused. `more_bytes` of it lie behind the contents, for the caller. Throws Error(refused)
  // where another one has it, Error(bad_input) where it is no regular file or not of that size,
  // Error(permission), Error(output).
  ContentsFile(const std::string& path, std::uint64_t bytes, std::uint64_t more_bytes = 0);
  ~ContentsFile() override;

  int read(std::uint64_t offset, std::span<std::uint8_t> to) const override;
  int write(std::uint64_t offset, std::span<const std::uint8_t> from) override;
  int discard(std::uint64_t offset, std::uint64_t bytes) override;
  // What was written is on the file's own disk.
  int flush() override;

  int descriptor() const { return file_; }
  std::uint64_t bytes() const override { return bytes_; }
  std::uint64_t stored_bytes() const override;

 private:
  bool holds(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= bytes_ && bytes <= bytes_ - offset;
  }

  int file_ = -1;
  std::uint64_t bytes_;
};

}  // namespace platter::emulator
