// A fleet, and a drive's history, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "fleet/changes.h"
#include "fleet/figures.h"
#include "fleet/outliers.h"
#include "report/fleet_found.h"

namespace platter::fleet {

// One version of a drive against the one before it.
struct Step {
  std::string from, to;
  Changes changes;
};

// A summary, what was left out and why, a table of the drives, then each outlier with its reasons.
std::string fleet_as_text(const Fleet& fleet, std::span<const LeftOut> left_out);
std::string history_as_text(const std::vector<Step>& steps, std::span<const LeftOut> left_out);

// Its sentences, each alone and without a line end: how much was looked at, a product and how far
// it was compared, an outlier's reason, a difference that the figures do not tell apart.
std::string summary_of(const Fleet& fleet);
std::string heading_of(const Group& group);
std::string words_of(const Group& group, const Finding& finding);
std::string unresolved_words(const Group& group, const Finding& finding);

// Members of the schemas platter-fleet and platter-fleet-history.
nlohmann::ordered_json fleet_as_json(const Fleet& fleet, std::span<const LeftOut> left_out);
nlohmann::ordered_json history_as_json(const std::vector<Step>& steps,
                                       std::span<const LeftOut> left_out);

std::size_t outliers_in(const Fleet& fleet);
std::size_t changed_in(const std::vector<Step>& steps);  // figures, facts too

// What stands out, for the HTML report of several drives: the same as platter fleet tells.
// By the numbers of these drives. Throws Error(interrupted) if asked to stop.
report::FleetFound found_among(std::span<const Drive> drives);

}  // namespace platter::fleet
