// Which published model is meant for a drive that is attached. The drive is asked by others: here
// is only what it said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/drive_model.h"
#include "registry/entry.h"
#include "registry/store.h"

namespace platter::registry {

struct AttachedDrive {
  model::Identity identity;
  double rpm = 0;  // as it says; 0: it does not say
};

// How near a model is, nearest first. Two drives of one product and firmware still differ: adaptive
// zoning gives each its own zones.
enum class Closeness : std::uint8_t {
  same_drive,     // by vendor, product and serial number, or the stand-in of this registry
  same_firmware,  // by vendor, product and revision
  same_product,
  nearest,  // by capacity, rotational speed and block size alone
};

const char* name_of(Closeness closeness);  // "same drive", ...

struct Match {
  Entry entry;
  Closeness closeness = Closeness::nearest;
  double distance = 0;  // of nearest: see distance_between()
};

// How far a model's figures are from a drive's: doublings of the capacity, plus tenths of the
// rotational speed, which shapes each response time; infinite where the block size is another one.
double distance_between(const AttachedDrive& drive, const Entry& entry);

// The best entries, best first. Between equally near ones the latest version of each drive, then
// a characterized drive, then the newest date and the highest version decide. Entries that only
// figures connect are left out where one is connected by its product.
std::vector<Match> match(const AttachedDrive& drive, const std::vector<std::string>& identities,
                         const std::vector<Entry>& entries, std::size_t most);

// Throws Error(bad_input) where a model of a hidden serial number may be this drive's and nobody
// can tell, for the key of the stand-ins is gone or damaged.
void require_recognizable(const Store& store, const model::Identity& identity,
                          const std::vector<Match>& matches);

// The same among all that the registry knows.
std::vector<Match> match(const Store& store, const AttachedDrive& drive, std::size_t most);

}  // namespace platter::registry
