// What validate() throws: which member of a model cannot be so, and why not.
#pragma once

#include <string>
#include <utility>

#include "model/error.h"

namespace platter::model {

class InvalidModel : public Error {
 public:
  InvalidModel(const std::string& origin, std::string path, std::string fault)
      : Error(ExitStatus::bad_input, origin + ": " + path + " " + fault),
        path_(std::move(path)),
        fault_(std::move(fault)) {}
  const std::string& path() const { return path_; }  // in the model's JSON
  const std::string& fault() const {
    return fault_;
  }  // continues a sentence that begins with the path

 private:
  std::string path_, fault_;
};

}  // namespace platter::model
