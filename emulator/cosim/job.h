// What the guest is to run, as process 1 reads it (guest/record.h).
#pragma once

#include <string>
#include <vector>

namespace platter::emulator {

struct Job {
  std::vector<std::string> command{};    // at least the program
  std::vector<std::string> variables{};  // NAME=VALUE
  std::string folder{};                  // in which it begins
  std::string input{};                   // a file of the host: its standard input
  bool merged_output = false;            // standard output and error are one
  std::vector<std::string> shares{};     // folders of the host that it may write, absolute
};

std::string job_file(const Job& job);

// Where programs of the system's administration lie, which few users have on PATH.
inline constexpr const char* kFoldersOfRoot[] = {"/usr/local/sbin", "/usr/sbin", "/sbin"};

// The caller's variables, for a guest in which the command is root: these programs are found.
std::vector<std::string> variables_for_root(char** environment);

}  // namespace platter::emulator
