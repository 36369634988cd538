// Tables in Markdown of what the program knows, for its pages.
#pragma once

#include <string>

namespace platter::jobs {

// docs/findings.md, from model/finding_kinds.h.
std::string finding_table();

// docs/characterize.md, which replies tell who a drive is: the claim, who may make it, what is done
// where they disagree.
std::string claims_printed();

// docs/sense.md, what platter says about what a drive answered: sense, what it is of, what to do.
// Rows of one advice are one line.
std::string advice_table();

// docs/safety.md, every SCSI command that the program can send, from the table in src/scsi:
// command, the bits of the CDB that may be set, class, when.
std::string command_list();

}  // namespace platter::jobs
