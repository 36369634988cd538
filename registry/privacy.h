// A drive's serial number says whose drive it is. --hide-serial keeps it out of what is published,
// and still lets this registry recognize the drive.
#pragma once

#include <string>
#include <string_view>

#include "model/drive_model.h"
#include "registry/store.h"

namespace platter::registry {

// The canonical text of a model in which a stand-in takes the place of the serial number: in the
// identity, and in every text of the model if the number has at least 4 letters. The stand-in is
// an HMAC of vendor, product and serial number under a key that stays in this registry, so that
// nobody else can find the number by trial. Needs the lock of the registry.
std::string without_serial(const std::string& canonical_model, const Store& store);

// The stand-in under which this registry has published the drive, or would; empty where it has
// never made one (there is no key), and for a drive without a serial number. Reads only.
std::string known_stand_in(const Store& store, const model::Identity& identity);

// Throws Error(refused) if a file that goes along with the model has the serial number in it.
void require_without_serial(std::string_view content, const std::string& serial,
                            const std::string& path);

}  // namespace platter::registry
