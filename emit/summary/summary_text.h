// A drive's summary with the texts for simulators, for people and for programs.
#pragma once

#include <string>

#include "emit/summary/drive_summary.h"

namespace platter::emit_summary {

std::string summary_json(const DriveSummary& drive);
std::string summary_in_words(const DriveSummary& drive);

}  // namespace platter::emit_summary
