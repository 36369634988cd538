// Where a trace's bytes come from and where they go: files, memory, compressed or not.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace platter::trace {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // At most `most` bytes, at least 1; 0: the end. Throws Error(bad_input).
  virtual std::size_t read(char* out, std::size_t most) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;  // throws Error(output)
  virtual void finish() = 0;
};

// As many of them as there are, up to `most`.
std::size_t read_whole(ByteSource& bytes, char* out, std::size_t most);

// "-" is the standard input. Throws Error(bad_input, permission).
std::unique_ptr<ByteSource> file_source(const std::string& path);
std::unique_ptr<ByteSource> memory_source(std::string bytes);
// The bytes of `rest` behind those that were already read of it.
std::unique_ptr<ByteSource> prefixed_source(std::string prefix, std::unique_ptr<ByteSource> rest);
std::unique_ptr<ByteSource> stream_source(std::istream& in, const std::string& name);

// A file that comes to be with finish(), or "-", the standard output; throws Error(output).
std::unique_ptr<ByteSink> file_sink(const std::string& path);
std::unique_ptr<ByteSink> string_sink(std::string& bytes);

}  // namespace platter::trace
