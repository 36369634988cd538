#include "fleet/reported.h"

#include "fleet/fleet_text.h"
#include "fleet/outliers.h"

namespace platter::fleet {

report::FleetFound found_among(std::span<const Drive> drives) {
  const Fleet fleet = side_by_side(drives, false);
  report::FleetFound found;
  found.remarks.push_back(summary_of(fleet));
  for (const Group& group : fleet.groups) {
    found.remarks.push_back(heading_of(group));
    for (const Finding& finding : group.findings)
      found.standouts.push_back(
          {.drive = static_cast<std::size_t>(group.drives[finding.drive] - drives.data()),
           .figure = group.figures[finding.figure].path,
           .words = words_of(group, finding)});
    for (const Finding& finding : group.unresolved)
      found.remarks.push_back(unresolved_words(group, finding));
  }
  return found;
}

}  // namespace platter::fleet
