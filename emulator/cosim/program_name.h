// What a program of the guest is called, which is a process of the host without a name of its own.
#pragma once

#include <sys/types.h>

#include <string>

namespace platter::emulator {

// The file that it executes, as execve(2) was given it: the last string of its stack. Its process
// was the kernel's before, and has that one's stack too: `kernel`, as that was given to execve, is
// passed over. Empty where nothing is there to be read.
std::string program_name(pid_t process, const std::string& kernel);

}  // namespace platter::emulator
