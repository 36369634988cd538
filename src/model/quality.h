// What a model is worth, in one word for each use, computed from its validity and its findings;
// docs/metrics.md, "Quality", has the rules and why they are so. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"

namespace platter::model {

// From best to worst.
enum class Quality : std::uint8_t { good, fair, unchecked, poor };

std::string_view name_of(Quality quality);

// `workload`: "random" or any other, as "mixed"; "random, within the run" too.
Quality quality_of_demerit(std::string_view workload, double percent);
// By a demerit's error (one standard error): good with the error added, poor with two taken off; of
// an error that nobody knows it is fair at most.
Quality quality_of_demerit(std::string_view workload, double percent,
                           std::optional<double> error_percent);
// Of media accesses of random requests in phase, so many of them: good where the 95 % interval of
// the share is within fair, poor where none of it is.
Quality quality_of_phase(double share, std::uint64_t requests);

// "random, within the run": by the few requests of the run itself, where a validation's is
// "random".
std::string within_the_run(std::string_view workload);
bool is_within_the_run(const Demerit& demerit);

struct Qualities {
  Quality random = Quality::unchecked;  // single requests, without a cache in between
  Quality mixed = Quality::unchecked;   // with the cache
  Quality places = Quality::unchecked;  // where blocks lie, and when they pass the heads
  Quality writes = Quality::unchecked;
  Quality queues = Quality::unchecked;
  Quality all = Quality::unchecked;  // the worst of the first three
  std::vector<std::string> because;  // what keeps it from being good, a few words each
};

Qualities qualities_of(const DriveModel& model);

// "fair: mixed load fair (cache-unexplained); ...; writes unchecked".
std::string in_words(const Qualities& qualities);

// What a characterization must find to have done what it announced, and did not: positions, places
// of blocks, the cache, or a check that it passes. Empty: it has all of that.
std::vector<std::string> what_it_lacks(const DriveModel& model);

}  // namespace platter::model
