// Commands to /dev/sgN by the sg driver's asynchronous interface: write() hands one over, and
// read() takes its answer. The caller itself gives a command to the kernel, so they reach the drive
// in the order of their sending; one thread waits for all answers, and stamps each when it comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "model/descriptor.h"
#include "transport/flight.h"
#include "transport/host_clock.h"

namespace platter::transport {

class AsynchronousSg final : public Carrier {
 public:
  // Opens the node, non-blocking; throws std::system_error. Each flight has a descriptor of its
  // own, opened when so many are first under way: so an answer tells by its descriptor whose it is,
  // each command has the buffer that the driver reserves for an open file, and none takes more
  // commands than it may (SG_MAX_QUEUE, 16).
  using Open = std::function<model::Descriptor()>;
  AsynchronousSg(Open open, std::size_t most, Arrivals& arrivals);
  ~AsynchronousSg() override;
  void prepare(std::size_t flights) override;
  int send(Flight& flight) override;

 private:
  int require_node(std::size_t number);
  void watch_for(int fd, std::uint32_t events, std::size_t number);
  void watch();
  void take(std::size_t number, Nanoseconds time_ns);

  HostClock clock_;
  Open open_;
  std::vector<model::Descriptor> nodes_;
  std::vector<std::atomic<Flight*>> flights_;  // those under way, by number
  Arrivals& arrivals_;
  model::Descriptor end_, watched_;  // an event that ends the thread, and all that it waits for
  std::thread thread_;
};

}  // namespace platter::transport
