// Which drive an identity is of.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::identity {

// By what a measurement tells its drive without telling the drive's serial number. The same for the
// same drive, other ones for others: of vendor, product, serial number and size.
// Empty for a drive without a serial number, which nobody can tell from others of its kind.
std::string drive_mark(const model::Identity& identity);

// By what a drive says of itself: vendor, product, serial number, the size that it states and its
// block length. Of drives without a serial number: of one kind.
bool same_drive(const model::Identity& a, const model::Identity& b);

// Whether that tells this very drive from others of its kind.
bool can_be_told(const model::Identity& identity);

// For sentences: "ATA ST8000NM0055 of 15628053168 blocks with serial number ZA1", "... with no
// serial number".
std::string in_words(const model::Identity& identity);

}  // namespace platter::identity
