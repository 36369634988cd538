// What is told on standard streams holds nobody up, whoever reads it or does not.
#pragma once

#include "model/descriptor.h"

namespace platter::emulator {

// An own opening of this standard stream, if it is a pipe or a terminal, that does not wait for
// room; the others who have it write to it as before. No descriptor: it is neither, or may not be
// opened anew.
model::Descriptor opened_without_waiting(int stream);

// Notices that nobody reads, in a pipe or on a terminal, are dropped from now on.
void drop_unread_notices();

}  // namespace platter::emulator
