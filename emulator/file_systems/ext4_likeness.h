// Whether a block of ext4 may be metadata, by its bytes alone. No block of a kind that is listed
// here is missed; data that look like one are taken for it.
#pragma once

#include <cstdint>

#include "emulator/file_systems/bytes.h"

namespace platter::emulator {

// A block of a directory, of its index too: entries that lead to each other and to the end.
bool like_directory(Bytes block);
// A block of an inode's tree of extents.
bool like_extents(Bytes block);
// A block of extended attributes.
bool like_attributes(Bytes block);
// The target of a symbolic link that is too long for its inode: text, then zeros; or one that is
// encrypted: a length, so many bytes, then zeros.
bool like_link(Bytes block);
// A block of block numbers, as ext2 and ext3 have them and an inode for growing has: each is 0 or
// one of `blocks`, none is there twice.
bool like_block_numbers(Bytes block, std::uint64_t blocks);
// Magic numbers of blocks that are looked for by name besides: quota files, multiple mount
// protection, orphan files.
bool has_known_magic(Bytes block);

bool may_be_metadata(Bytes block, std::uint64_t blocks);

}  // namespace platter::emulator
