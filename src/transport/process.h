// A program whose standard input and output we hold; its standard error is ours. Reads and writes
// never deadlock: while we write, what the program says is taken in.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace platter::transport {

class Process {
 public:
  enum class Result { done, end_of_file, timeout };

  // Throws Error(no_device) if the program cannot be started.
  explicit Process(const std::vector<std::string>& words);
  // Closes its standard input, waits for it to end, and ends it if it does not.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Hands over all bytes. end_of_file: the program no longer reads.
  Result write(std::span<const std::uint8_t> bytes, std::chrono::milliseconds patience);
  // Fills `bytes`. `received` is how far it came, also when it did not get all.
  Result read(std::span<std::uint8_t> bytes, std::chrono::milliseconds patience,
              std::size_t& received);

  // For sentences, once it has ended or is about to: "it ended with status 3".
  std::string how_it_ended();

 private:
  bool take_in();  // one read of what is there; false at the end of file

  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::vector<std::uint8_t> inbox_;
  std::size_t taken_ = 0, filled_ = 0;  // inbox_[taken_, filled_) is not yet read
  bool reaped_ = false;
  int wait_status_ = 0;
};

// Splits a command line into words as a shell does, without a shell: quotes and backslashes only,
// no variables, no patterns, no redirection.
// Single quotes keep all as it is; in double quotes a backslash keeps its meaning only before
// \ " $ ` and a newline; elsewhere it quotes the next character. Throws Error(usage) for an open
// quote or a backslash at the end. (POSIX.1-2017, Shell Command Language, 2.2.)
std::vector<std::string> split_words(std::string_view line);

}  // namespace platter::transport
