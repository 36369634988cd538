// The bytes of a trace, line by line or record by record, from one buffer: nothing is copied out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/bytes.h"

namespace platter::trace {

class Input {
 public:
  Input(std::unique_ptr<ByteSource> source, std::string name);

  const std::string& name() const { return name_; }

  // The next bytes, fewer than `bytes` at the end; they stay to be read.
  std::string_view peek(std::size_t bytes) {
    while (end_ - begin_ < bytes && fill()) continue;
    return {buffer_.data() + begin_, std::min(bytes, end_ - begin_)};
  }

  // The next line, without its end; false at the end. It is valid until the next call. Throws
  // Error(bad_input) for one longer than any of a trace.
  bool line(std::string_view& line);
  // What of the next lines is in the buffer already, and one of them passed over: so many bytes,
  // its end among them.
  std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void skip_line(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
    ++line_number_;
  }
  std::uint64_t line_number() const { return line_number_; }  // of the line read last, from 1

  // The next bytes, fewer than `bytes` at the end. Valid until the next call.
  std::string_view take(std::size_t bytes) {
    const std::string_view taken = peek(bytes);
    begin_ += taken.size();
    offset_ += taken.size();
    return taken;
  }
  std::uint64_t offset() const { return offset_; }  // of the next byte

 private:
  bool fill();  // false: the end

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_number_ = 0, offset_ = 0;
  bool ended_ = false;
};

}  // namespace platter::trace
