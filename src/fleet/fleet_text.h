// A fleet, and a drive's history, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fleet/changes.h"
#include "fleet/outliers.h"

namespace platter::fleet {

// One version of a drive against the one before it.
struct Step {
  std::string from, to;
  Changes changes;
};

// A summary, a table of the drives, then each outlier with its reasons.
std::string fleet_as_text(const Fleet& fleet);
std::string history_as_text(const std::vector<Step>& steps);

// Members of the schema platter-fleet.
nlohmann::ordered_json fleet_as_json(const Fleet& fleet);
nlohmann::ordered_json history_as_json(const std::vector<Step>& steps);

std::size_t outliers_in(const Fleet& fleet);
std::size_t changed_in(const std::vector<Step>& steps);  // figures, facts too

}  // namespace platter::fleet
