// Every SCSI command that the program can send, as docs/safety.md has them.
#pragma once

#include <string>

namespace platter::jobs {

// A table in Markdown, from the one in src/scsi: command, the bits of the CDB that may be set,
// class, when.
std::string command_list();

}  // namespace platter::jobs
