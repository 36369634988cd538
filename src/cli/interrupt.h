// SIGINT, SIGTERM and SIGHUP as a question that long work asks between commands, so that it ends in
// order: settings restored, nothing half-written.
#pragma once

#include <string>

namespace platter::cli {

void catch_interrupts();
// The same for work that writes a file and sends no commands: waiting for its input ends as well.
void catch_interrupts_while_reading();
bool interrupted();
// Throws Error(interrupted) that says that this file was not written.
void stop_if_interrupted(const std::string& output);

}  // namespace platter::cli
