// Several drives in one report: two side by side, or a fleet with its outliers named.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/fleet_found.h"
#include "report/html_report.h"

namespace platter::report::html {

// The figures of each, what differs beyond its errors, the curves in one picture.
std::string side_by_side(const ReportedModel& a, const ReportedModel& b);

// The same figures of one: each one's name with its unit, and its value; "": not known.
std::vector<std::pair<std::string, std::string>> figures_of(const model::DriveModel& model);

// A row for each drive, and what stands out.
std::string fleet(std::span<const ReportedModel> models, const FleetFound& found);

}  // namespace platter::report::html
