// SIGINT, SIGTERM and SIGHUP. What uses no drive ends at once, without its temporary files. What
// does is asked to stop (model/interruption.h) and ends in order: settings restored, nothing
// half-written.
#pragma once

namespace platter::jobs {

// Throws Error(interrupted) where somebody has asked to stop before.
void end_at_once_on_signals();
// From here on they ask. A second one, a moment later, ends at once: the safety journal is there
// for it.
void catch_interrupts();
bool interrupted();

}  // namespace platter::jobs
