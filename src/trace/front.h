// What stands in front of all readers: compressed bytes expanded, archives of files named, the
// marks and the widths of characters taken away, so that a reader has plain bytes or text in UTF-8.
#pragma once

#include <memory>
#include <string>

#include "trace/bytes.h"

namespace platter::trace {

// gzip, zstd, bzip2, xz and lz4 are seen by their content. A byte order mark of UTF-8 is passed
// over; UTF-16, of either order, with a mark or without, becomes UTF-8. Throws Error(bad_input) for
// an archive of files (tar, zip, 7z, rar), and what decompressed() does.
std::unique_ptr<ByteSource> plain_bytes(std::unique_ptr<ByteSource> bytes, const std::string& name);

}  // namespace platter::trace
