// By what a measurement tells which drive it is of, without telling the drive's serial number.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::model {

// The same for the same drive, other ones for others: of vendor, product, serial number and size.
// Empty for a drive without a serial number, which nobody can tell from others of its kind.
std::string drive_mark(const Identity& identity);

}  // namespace platter::model
