// All processors at their highest clock, for as long as any run on this host wants it: the first
// run sets the governors, the last one puts them back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/governors.h"
#include "host/journal.h"
#include "host/runs.h"
#include "model/descriptor.h"

namespace platter::host {

// What became of the governors of a journal.
struct PutBack {
  std::vector<Governor> back{};
  std::vector<Governor> changed{};             // by somebody else meanwhile: as they are, and stay
  std::vector<std::string> failed{};           // sentences
  std::optional<std::string> journal_stays{};  // why, and what to do

  // What a person has to know of it.
  std::vector<std::string> troubles() const;
};

class FastProcessors {
 public:
  // Never fails: what could not be done is in troubles().
  explicit FastProcessors(const std::string& root = "");
  ~FastProcessors();
  FastProcessors(const FastProcessors&) = delete;
  FastProcessors& operator=(const FastProcessors&) = delete;

  // As they were before any run changed them; of what is fast now. Empty: nothing was set.
  const std::vector<Governor>& found() const { return found_; }
  bool all_fast() const { return all_fast_; }
  // Why not all of them are fast.
  const std::vector<std::string>& troubles() const { return troubles_; }

  // Where no other run goes on, they are put back now; what could not be.
  std::vector<std::string> end();

 private:
  void set_all();

  std::string root_;
  RunsFolder runs_;
  model::Descriptor member_;
  std::vector<Governor> found_;
  bool all_fast_ = false;
  std::vector<std::string> troubles_;
};

// What runs left that were killed. nullopt: nothing, or some run still goes on. Throws Error.
std::optional<PutBack> put_back_what_was_left(const std::string& root = "");
// Its journal is there, and no run goes on that would put it back.
std::optional<std::string> left_host_journal(const std::string& root = "");

}  // namespace platter::host
