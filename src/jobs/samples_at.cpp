#include "jobs/samples_at.h"

#include <fstream>

#include "model/error.h"
#include "model/file.h"

namespace platter::jobs {

extract::KeptRecord samples_at(const std::string& path) {
  if (!model::is_file(path))
    throw Error(ExitStatus::bad_input, path +
                                           ": is no file, or is not there; give the raw samples "
                                           "that platter characterize kept");
  std::ifstream file(path);
  if (!file) throw Error(ExitStatus::permission, path + ": may not be read");
  return extract::read_record(file, path);
}

}  // namespace platter::jobs
