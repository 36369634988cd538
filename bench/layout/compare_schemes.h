// Whether a scheme of sparing in words names the units of the true one.
#pragma once

#include <string>

namespace platter::bench {

// Sectors or tracks, and of what; how many, and whether it is a guess, is not compared. What lies
// behind the last block of a drive of one zone may be called that zone's or the disk's.
bool same_units(const std::string& truth, const std::string& found, bool one_zone);

}  // namespace platter::bench
