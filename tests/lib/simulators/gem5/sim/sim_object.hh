#pragma once
#include <string>
#include <vector>
#include "base/types.hh"
#define PARAMS(type) using Params = type##Params
namespace gem5 {
struct CheckpointOut {
  std::vector<uint8_t> state;
};
using CheckpointIn = CheckpointOut;
struct SimObjectParams {
  std::string name;
};
class SimObject {
 public:
  explicit SimObject(const SimObjectParams &p) : name_(p.name) {}
  virtual ~SimObject() = default;
  std::string name() const { return name_; }
  virtual void serialize(CheckpointOut &cp) const = 0;
  virtual void unserialize(CheckpointIn &cp) = 0;

 private:
  std::string name_;
};
}  // namespace gem5
