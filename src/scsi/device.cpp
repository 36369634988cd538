#include "scsi/device.h"

namespace platter::scsi {

Expected<Completion> Device::execute(const Command& command) {
  if (auto sent = submit(command, 1); !sent) return tl::unexpected(sent.error());
  auto done = reap();
  if (!done) return tl::unexpected(done.error());
  if (!*done)
    return tl::unexpected(TransportError{TransportError::Kind::protocol,
                                         name() + " has lost a command that it had accepted"});
  return std::move(**done);
}

}  // namespace platter::scsi
