// The requests of a ublk device: one thread fetches them, holds the clock and answers, and for each
// that may be outstanding a thread does what is asked.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "emulator/blocks/connection.h"
#include "emulator/blocks/served_drive.h"
#include "emulator/ublk/commands.h"
#include "emulator/ublk/device.h"
#include "emulator/ublk/ring.h"

namespace platter::emulator::ublk {

class Queue {
 public:
  // 0, an errno, or kByCourier. Called by many threads.
  using Serve = std::function<int(const Request& request, Courier& courier)>;

  // Fetches from here on. `device` outlives it, and so does `drive`, whose clock it holds; nullptr:
  // all is told to couriers when it comes.
  Queue(const Device& device, std::uint32_t most_request_bytes, bool in_real_time,
        ServedDrive* drive, Serve serve);
  // Of a device that was stopped, or never started.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

 private:
  class Worker;
  // An answer that is to leave. Without `delivered` it is an error, or late anyway.
  struct Letter {
    Nanoseconds leaves_host_ns;
    std::uint16_t tag;
    int error;
    Courier::Delivered delivered;
    std::uint64_t request;  // of its tag: the how-manieth
  };

  void prepare_thread() const;
  void run();
  void listen();
  void post(Letter letter);
  void wake() noexcept;
  bool is_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }
  std::optional<Nanoseconds> wakes_host_ns() const;
  void hear();
  void deliver_what_is_due();

  const int device_;
  const bool in_real_time_;
  ServedDrive* const drive_;
  const Serve serve_;
  Ring ring_{2 * kDepth};
  model::Descriptor woken_;  // an eventfd, read through the ring
  std::uint64_t times_woken_ = 0;
  Mapping asked_;  // descriptions by tag, the kernel's
  std::vector<std::unique_ptr<Worker>> workers_{};
  std::vector<Letter> letters_{};
  std::mutex mutex_{};
  std::vector<Letter> posted_{};
  std::atomic<bool> ends_{false};
  std::thread thread_{};
};

// What a drive does about a request of the kernel's.
// As ServedDrive's: 0, an errno, or kByCourier.
int serve(ServedDrive& drive, const Request& request, const Connection& who, Courier& courier);

}  // namespace platter::emulator::ublk
