// What send() in this plugin finds: the client that this thread has served last is gone.
#pragma once

namespace platter::emulator {

void nobody_receives();

}  // namespace platter::emulator
