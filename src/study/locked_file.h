// Files of a folder that several processes use: a lock ends with its process, whatever ended that.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/leftovers.h"

namespace platter::study {

// A small file that is made where there is none, and is this process's until this ends; others
// wait. Throws Error(output).
class LockedFile {
 public:
  explicit LockedFile(const std::string& path);
  // nullptr where it may not be written: in a folder that is only read.
  static std::unique_ptr<LockedFile> where_possible(const std::string& path);
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  std::string text() const;
  // Not whole at once: who reads it later must see whether it was cut off.
  void replace(const std::string& text);

 private:
  std::string path_;
  int descriptor_ = -1;
};

// The right to make one file, held by at most one process: a lock on the file under its unfinished
// name, which is written into and becomes the file. Where its process dies, the next one takes that
// name over; nobody has to tidy up first.
class Claim {
 public:
  // nullptr: somebody has it (only without `wait`).
  static std::unique_ptr<Claim> on(const std::string& path, bool wait);
  ~Claim();  // without commit() nothing is left
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // Whole for whoever reads it then. `durable`: a loss of power leaves it so, too, which costs a
  // flush of the disk; without it, one may leave some of it or zeros. Throws Error(output).
  void commit(const std::string& text, bool durable);

  static constexpr const char* kUnfinished = ".part";
  static std::string unfinished(const std::string& path) { return path + kUnfinished; }

 private:
  Claim(std::string path, int descriptor);

  std::string path_;
  int descriptor_;
  std::optional<model::Leftover> leftover_;
};

}  // namespace platter::study
