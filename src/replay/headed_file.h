// A file whose first line is known only when all others are written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/file.h"

namespace platter::replay {

// Compressed if the name ends in .gz or .zst. Throws Error(output).
class HeadedFile {
 public:
  // `room`: bytes that a line leaves the head in a file that is written as it is; the rest is
  // filled with blanks.
  HeadedFile(const std::string& path, std::size_t room);
  ~HeadedFile();

  void write(std::string_view content);
  // `head`: without its line feed.
  void finish(const std::string& head);

 private:
  model::FileWriter file_;
  std::string path_;
  std::size_t room_;
  // Where there is no going back to the beginning, in a pipe or under compression, the rest waits.
  struct Rest;
  std::unique_ptr<Rest> rest_;
};

}  // namespace platter::replay
