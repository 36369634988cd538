// Temporary files and folders that no end of the program leaves behind, not that by a signal
// either.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <list>
#include <optional>
#include <string>

namespace platter::model {

// A temporary file, or a folder that holds nothing else: as long as this lives, remove_leftovers()
// removes it.
class Leftover {
 public:
  explicit Leftover(std::string path);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::size_t slot_;
};

// A program that works on such files, as long as this lives: it is ended before they are removed.
class Helper {
 public:
  // `signal` ends it.
  explicit Helper(pid_t pid, int signal = SIGKILL);
  // With all of the process group that it leads.
  static Helper group(pid_t leader) { return Helper(-leader); }
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
};

// For a signal's handler that ends the program.
void remove_leftovers() noexcept;

// Signals that end the program wait as long as this lives: from making a file to naming it a
// leftover, and where several files make sense together only.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

// A folder of its own that goes away with this, and with the program.
// A pattern for a name in the folder of temporary files. Throws Error(output) where there is none.
std::string temporary_name(const std::string& name);

class TemporaryFolder {
 public:
  // `pattern` ends in XXXXXX. Where it cannot be made path() is empty, and errno says why.
  explicit TemporaryFolder(std::string pattern);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of a file that will lie in it.
  const std::string& file(const std::string& name);

 private:
  std::string path_;
  std::optional<Leftover> leftover_{};
  std::list<Leftover> files_{};
};

}  // namespace platter::model
