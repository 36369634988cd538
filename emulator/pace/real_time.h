// What the host gives a server that has to answer in time: SCHED_FIFO, so that no other program is
// run before it, memory that stays in memory, processors that stay awake, and timers without slack.
#pragma once

#include <string>
#include <vector>

namespace platter::emulator {

// Locks this process's memory, keeps idle processors polling until it ends, and tries SCHED_FIFO on
// the calling thread only to see if it is allowed. One sentence for each thing that the host
// refuses; none: all is given.
std::vector<std::string> ask_for_real_time();

// The calling thread is scheduled first in, first out, if the host allows it, and its sleeps end
// without slack in any case.
void run_in_real_time();
// Only the slack goes.
void run_without_slack();

}  // namespace platter::emulator
