// The external drive protocol, version 2, on two file descriptors.
#pragma once

#include "served.h"

namespace trust {

// Serves until the input ends. Throws what the drive throws, and std::runtime_error for a request
// that the protocol does not allow.
void serve(Served& drive, int input, int output);

// Waits until nobody is at the other end of `input` any more.
void wait_for_end(int input);

}  // namespace trust
