// What must hold in a DriveModel beyond the types of its fields. A model that passes can be
// compiled and walked without overflow, and its size bounds what that costs.
#pragma once

#include <string>
#include <utility>

#include "model/drive_model.h"
#include "model/error.h"

namespace platter::model {

constexpr int kDeepestLayout = 16;                            // levels of nested repeats
constexpr std::uint64_t kMostTracks = 24'000'000;             // twice those of a drive of 20 TB
constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 20;  // of all zones together
constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 44;  // 9 PB of 512-byte blocks
constexpr std::uint64_t kMostSkips = std::uint64_t{1} << 26;  // runs of slots: two a track
constexpr std::uint32_t kMostHeads = 1024;
constexpr std::uint32_t kMostCylinders = std::uint32_t{1} << 30;
constexpr std::uint32_t kMostSectors = std::uint32_t{1} << 20;  // of one track

// Throws Error(bad_input); the sentence begins with `origin` and the JSON path of the offending
// member.
void validate(const DriveModel& model, const std::string& origin);

// Slots of a layout, and its LBNs (the slots that no skip covers). The layout must be valid.
std::uint64_t count_slots(const Layout& layout);
// The first slot of each zone, and the end of the last.
std::vector<std::uint64_t> zone_starts(const Layout& layout);
std::uint64_t count_blocks(const Layout& layout);
std::uint64_t count_nodes(const Layout& layout);   // as held against kMostNodes
std::uint32_t cylinders_of(const Layout& layout);  // the highest cylinder's number and 1

// What validate() throws: which member of a model cannot be so, and why not.
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
