// A whole file in memory, at a multiple of 8. It is read, not mapped: what others do to the file
// meanwhile changes nothing that was looked at, and ends no program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace platter::emit_table {

class WholeFile {
 public:
  // Throws Error(bad_input) for what is missing, empty, no regular file or gets shorter while it is
  // read, Error(permission) for what may not be read.
  // `kind`, `advice`: of a file in sentences, and what to do for want of one.
  explicit WholeFile(const std::string& path, const char* kind = "table",
                     const char* advice = "write one with platter emit table");

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)).first(size_); }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace platter::emit_table
