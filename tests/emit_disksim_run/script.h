// A folder with a program of a few lines in it.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace platter::emit_disksim_run::testing {

class Scripts {
 public:
  Scripts() {
    std::string pattern = (std::filesystem::temp_directory_path() / "disksim-run-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(folder());
  }
  ~Scripts() { std::filesystem::remove_all(path_); }
  Scripts(const Scripts&) = delete;
  Scripts& operator=(const Scripts&) = delete;

  // The path of a program that does this, in the words of sh.
  std::string program(const std::string& lines) const {
    const std::string path = path_ + "/program";
    std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
    ::chmod(path.c_str(), 0700);
    return path;
  }
  // The one that programs are run in.
  std::string folder() const { return path_ + "/folder"; }
  std::string file(const std::string& name) const { return folder() + "/" + name; }
  std::string content(const std::string& name) const {
    std::ifstream file_stream(file(name));
    return {std::istreambuf_iterator<char>(file_stream), {}};
  }

 private:
  std::string path_;
};

}  // namespace platter::emit_disksim_run::testing
