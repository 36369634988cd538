// gzip, zstd, bzip2, xz and lz4, read and written as a stream.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trace/bytes.h"

namespace platter::trace {

// What the bytes are if their beginning tells of no compression, else what is compressed in them. A
// truncated or damaged archive is an Error(bad_input) when the reading gets there.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> bytes,
                                         const std::string& name);

// What the bytes that begin so are compressed with; nullptr: with nothing that is read here.
const char* compression_of(std::string_view beginning);

// What is compressed in a file that begins so, or the beginning itself: at most so many bytes, and
// as many as are undamaged.
std::string expanded_beginning(const std::string& beginning, std::size_t most);

// Whether it ends in .gz, .zst, .bz2, .xz or .lz4.
bool is_compressed_name(const std::string& name);
// Throws Error(usage) for a name that promises what is not written: .zip, .tar, .7z, ...
void require_written_name(const std::string& name);
// As is_compressed_name() says of the name, or not; throws what require_written_name() does.
std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> bytes, const std::string& name);

}  // namespace platter::trace
