// Where a validate trace's think times belong. DiskSim reads each as the pause behind its request;
// some recorders wrote the one in front of it, and then a replay issues every request at another
// time than the recorded host did.
#pragma once

#include <memory>

#include "trace/stream.h"

namespace platter::trace {

// The same requests, each think time taken as the pause in front of its request: that in front of
// the first is dropped, behind the last there is none.
std::unique_ptr<Reader> think_times_in_front(std::unique_ptr<Reader> trace);

}  // namespace platter::trace
