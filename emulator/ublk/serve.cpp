#include "emulator/ublk/serve.h"

#include <cerrno>

namespace platter::emulator::ublk {

int serve(ServedDrive& drive, const Request& request, const Connection& who, Courier& courier) {
  const Nanoseconds came = request.came_host_ns;
  switch (request.kind) {
    case UBLK_IO_OP_READ:
      return drive.read(request.offset, request.data, came, who, &courier);
    case UBLK_IO_OP_WRITE:
      return drive.write(request.offset, request.data, request.through, came, who, &courier);
    case UBLK_IO_OP_FLUSH:
      return drive.flush(came, who, &courier);
    case UBLK_IO_OP_DISCARD:
      return drive.trim(request.offset, request.bytes);
    case UBLK_IO_OP_WRITE_ZEROES:
      return drive.zero(request.offset, request.bytes, request.through, came, who, &courier);
    default:
      return EOPNOTSUPP;
  }
}

}  // namespace platter::emulator::ublk
