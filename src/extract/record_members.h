// Which payloads a file of raw samples has, and which members each of them: docs/samples.md.
#pragma once

#include <functional>
#include <string>

#include "samples/file.h"

namespace platter::extract {

// The payload, or each of its members ("timing.lbn"), that this version does not have.
void find_unknown_members(const samples::Line& line,
                          const std::function<void(const std::string& member)>& found);

}  // namespace platter::extract
