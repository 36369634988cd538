// What `platter restore` does with a journal: of a drive, or of this host.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace platter::jobs {

struct Restoration {
  std::vector<std::string> not_in_use{};
  std::string device{};     // "": the one that the journal names
  std::string host_root{};  // of another tree than this host's, for tests
  bool overwrite = false;   // also blocks that can be read and differ
  bool yes = false;         // the device is the journal's drive
  bool inspect = false;     // nothing is done; no drive is asked
};

// What became of one journal, in words and for programs.
struct PutRight {
  std::string schema{};
  std::string words{};
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::string doubt{};  // why this is no success, although it was done
};

// Throws Error: what reading a journal, opening a device and putting right throw.
PutRight restore_one(const Restoration& how, const std::string& journal);

}  // namespace platter::jobs
