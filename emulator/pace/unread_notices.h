// Notices on standard error that nobody reads.
#pragma once

namespace platter::emulator {

// Standard error of this process, where it is a pipe or a terminal, drops from now on what has no
// room, in place of waiting for a reader. So clients that make many errors stop nobody. The others
// who have the same pipe or terminal write to it as before.
void drop_unread_notices();

}  // namespace platter::emulator
