// Which disk ATA PASS-THROUGH and VPD page 89h speak of: the one that READ reads, or another one.
#pragma once

#include <string>
#include <vector>

#include "identity/who.h"

namespace platter::identity {

// By all that speaks of one disk, and of two.
Reached reached_by(const Evidence& evidence);
// What the translation itself says of its disk (which must be there) is the SCSI side's word,
// unless it contradicts: a dock of several disks has such a page of one of them.
bool page_is_of_another(const Evidence& evidence);

// A number that tells a drive from others.
bool tells(const std::string& serial);
// Whether standard INQUIRY data have the disk's model, or its beginning.
bool names_model(const Evidence& evidence, const AtaDisk& disk);
// Whether VPD page 83h has the disk's world wide name, and that is one.
bool has_name_of(const std::vector<std::string>& designators, const AtaDisk& disk);

}  // namespace platter::identity
