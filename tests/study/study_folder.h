// A folder with a study, its model and its trace, and what the command line would give with them.
#pragma once

#include <filesystem>
#include <string>

#include "model/file.h"
#include "model/leftovers.h"
#include "study/points.h"

namespace platter::study {

class StudyFolder {
 public:
  StudyFolder() : holder_(model::temporary_name("platter-study-test")) {
    write("a.trace", "0.0 0 10 8 1\n5.0 0 99 8 0\n9.5 0 500 8 1\n");
  }
  ~StudyFolder() {
    for (const auto& entry : std::filesystem::directory_iterator(holder_.path()))
      std::filesystem::remove_all(entry.path());
  }

  std::string path(const std::string& name) const { return holder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    model::write_file(path(name), text);
  }

  // A study of one model and this rest of its file.
  Study study(const std::string& rest = R"("traces": ["a.trace"])") const {
    write("study.json", R"({"schema": {"name": "platter-study", "version": "1.0"},)"
                        R"( "models": ["m.json"], )" +
                            rest + "}");
    return read_study(path("study.json"));
  }

  Points points(const Study& study, const Program& program = {"platter 1"},
                const std::string& digest = "sha256:1", bool counted = true) const {
    return points_of(
        study, program,
        [&](const ModelSpec&) {
          return Model{digest, {}};
        },
        path("results"), counted);
  }

 private:
  model::TemporaryFolder holder_;
};

}  // namespace platter::study
