// SIGINT, SIGTERM and SIGHUP as a question that long work asks between commands, so that it ends in
// order: settings restored, nothing half-written.
#pragma once

namespace platter::cli {

void catch_interrupts();
bool interrupted();

}  // namespace platter::cli
