// Commands to a block or bsg device, which know no interface but an ioctl that waits: a thread for
// each command under way.
#pragma once

#include <memory>
#include <vector>

#include "transport/flight.h"

namespace platter::transport {

class ThreadsOfIoctl final : public Carrier {
 public:
  ThreadsOfIoctl(int fd, SgVersion version, std::size_t most, Arrivals& arrivals);
  ~ThreadsOfIoctl() override;
  void prepare(std::size_t flights) override;
  // Returns when the thread has stamped the command and is about to enter the kernel. So nothing
  // waits in here, and they reach the drive in the order of their sending but for a thread that
  // loses its processor just then.
  int send(Flight& flight) override;

 private:
  class Lane;
  int require_lane(std::size_t number);

  int fd_;
  SgVersion version_;
  Arrivals& arrivals_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // by the flight's number
};

}  // namespace platter::transport
