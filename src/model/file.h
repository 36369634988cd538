// Files, read as a whole and written as a whole or piece by piece: a reader gets everything or a
// sentence that says why not, a writer leaves either the complete new file or what was there
// before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace platter::model {

// No file that platter reads as a whole is larger: models, tables, parameter sets, journals,
// entries of a registry. Traces and results are read as streams and have no limit.
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;

// Throws Error(bad_input) for what is missing, larger, or no file (a folder, a pipe, a device:
// nothing is waited for), Error(permission) for what may not be read.
std::string read_file(const std::string& path);

// Whether it is there and a file: no folder, pipe, socket or device.
bool is_file(const std::string& path);

// Written to a temporary file in the same folder, synchronized, then renamed over `path`. Throws
// Error(output); then nothing of it is left.
void write_file(const std::string& path, std::string_view content);

// The same piece by piece, for what is longer than one would hold in memory: without commit()
// nothing is left.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();

  void write(std::string_view content);
  // In place of the first bytes of what was written; not where is_stream().
  void rewrite_beginning(std::string_view content);
  void commit();
  // A pipe, /dev/stdout: what is written is gone, nothing is to be renamed.
  bool is_stream() const;

 private:
  class Target;
  std::unique_ptr<Target> target_;
};

// A file that is to be of use wherever its writing ends, also by a loss of power: it is there under
// its name from the beginning, grows, and is locked (flock) meanwhile. Throws Error(output).
class GrowingFile {
 public:
  // Begins with this, whole at once, in place of what lies there.
  GrowingFile(const std::string& path, std::string_view beginning);
  ~GrowingFile();

  // All of it, or nothing: what was written of it before an error is cut off again.
  void append(std::string_view content);
  // Without waiting: what was appended is on its way to stable storage.
  void begin_to_synchronize();
  void synchronize();
  // Gets another name, over what lies there as write_file() would replace it.
  void become(const std::string& path);
  // Why it cannot be removed, and what to do.
  [[nodiscard]] std::optional<std::string> remove();
  const std::string& path() const { return path_; }
  std::uint64_t lines() const { return lines_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  std::uint64_t lines_ = 0;
};

// What write_file() would write to as it is, and not replace: a pipe, a terminal, /dev/stdout.
// Throws Error(output, refused) for folders and devices.
bool is_stream(const std::string& path);

// Throws the Error(output) that write_file() would throw for this path, as far as that can be known
// without writing to it: for what runs long before it has something to write.
void require_writable(const std::string& path);

// What write_file() would replace must from now on stay as it is until it does; else the new
// content is kept beside it, Error(refused). False: this run writes to it already.
bool claim_output(const std::string& path);

// The file that write_file() would replace, if one with content is there. Throws Error(output,
// refused) for folders and devices.
std::optional<std::string> file_behind(const std::string& path);

// At most so many bytes; none of what cannot be read. Does not make it an input (model/claims.h).
std::string beginning_of(const std::string& path, std::size_t bytes);

}  // namespace platter::model
