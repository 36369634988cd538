#include "scsi/device.h"

namespace platter::scsi {

Error as_error(const TransportError& error) {
  const auto status = [&] {
    switch (error.kind) {
      case TransportError::Kind::gone:
        return ExitStatus::no_device;
      case TransportError::Kind::permission:
        return ExitStatus::permission;
      case TransportError::Kind::protocol:
        return ExitStatus::protocol;
      case TransportError::Kind::refused:
        return ExitStatus::refused;
      case TransportError::Kind::timeout:
      case TransportError::Kind::io:
        return ExitStatus::drive_error;
    }
    return ExitStatus::internal;
  }();
  return Error(status, error.sentence);
}

Expected<Completion> Device::execute(const Command& command) {
  if (auto sent = submit_alone(command, 1); !sent) return tl::unexpected(sent.error());
  auto done = reap();
  if (!done) return tl::unexpected(done.error());
  if (!*done)
    return tl::unexpected(TransportError{TransportError::Kind::protocol,
                                         name() + " has lost a command that it had accepted"});
  return std::move(**done);
}

void drain(Device& device, std::size_t outstanding) {
  for (; outstanding > 0; --outstanding)
    if (const auto done = device.reap(); done && !*done) return;
}

}  // namespace platter::scsi
