// gzip and zstd, read and written as a stream.
#pragma once

#include <memory>
#include <string>

#include "trace/bytes.h"

namespace platter::trace {

// What the bytes are if their beginning tells of no compression, else what is compressed in them. A
// truncated or damaged archive is an Error(bad_input) when the reading gets there.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> bytes,
                                         const std::string& name);

// Compressed as the end of the name says: .gz, .zst, or not.
std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> bytes, const std::string& name);

}  // namespace platter::trace
