// A whole file in memory, read-only, as long as the object lives.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace platter::emit_table {

class MappedFile {
 public:
  // Throws Error(bad_input) for what is missing, empty or no regular file, Error(permission) for
  // what may not be read.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {address_, size_}; }

 private:
  const std::byte* address_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace platter::emit_table
