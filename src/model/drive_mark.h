// Which drive an identity is of.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::model {

// By what a measurement tells its drive without telling the drive's serial number. The same for the
// same drive, other ones for others: of vendor, product, serial number and size.
// Empty for a drive without a serial number, which nobody can tell from others of its kind.
std::string drive_mark(const Identity& identity);

// By what a drive says of itself: vendor, product, serial number, size and block length.
bool same_drive(const Identity& a, const Identity& b);

}  // namespace platter::model
