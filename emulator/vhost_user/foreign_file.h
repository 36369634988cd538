// Files that others pass to us, of which every call may wait for ever, also close(2): those of file
// systems that are a program (FUSE), or another host.
#pragma once

#include <string>

namespace platter::emulator {

// The name that the kernel gives it: pipe:[1], anon_inode:[eventfd], or a path; "": it is none.
std::string name_of(int descriptor);

// An eventfd, a pipe without a path, or a Unix socket: the kernel alone is behind it.
bool is_kernels(int descriptor);

// Whether nothing that is done with it waits for a program, a device or another host: is_kernels(),
// memory, or a regular file of a local file system. It asks the kernel alone.
bool is_local(int descriptor);

// Closes it without waiting.
void close_apart(int descriptor);

}  // namespace platter::emulator
