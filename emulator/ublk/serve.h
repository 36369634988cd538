// What a drive does about a request of the kernel's.
#pragma once

#include "emulator/blocks/served_drive.h"
#include "emulator/ublk/commands.h"

namespace platter::emulator::ublk {

// As ServedDrive's: 0, an errno, or kByCourier.
int serve(ServedDrive& drive, const Request& request, const Connection& who, Courier& courier);

}  // namespace platter::emulator::ublk
