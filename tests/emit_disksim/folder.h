// A folder of its own for one test, with files written into it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "model/file.h"

namespace platter::emit_disksim {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "platter-disksim-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    model::write_file((path_ / name).string(), content);
    return (path_ / name).string();
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace platter::emit_disksim
