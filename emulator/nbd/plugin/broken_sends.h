// nbdkit before 1.33.11 (Debian 12 has 1.32.5) ends itself, by an assertion, where a client breaks
// its connection off while several of its answers wait to be sent: one thread finds the connection
// broken, and the next one that there is none. Here that costs only that connection: the thread
// stops for good, and what the connection's threads hold of data is given back.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace platter::emulator {

// nbdkit's memory for the data of one request, of which nobody needs anything any more.
void give_back(const void* data, std::size_t bytes);

// The threads that serve one client. nbdkit makes them for it, and they serve no other.
class ClientThreads {
 public:
  ClientThreads() = default;
  ClientThreads(const ClientThreads&) = delete;
  ClientThreads& operator=(const ClientThreads&) = delete;

  // While it lives, the calling thread is within the plugin, with those data of nbdkit's.
  class Within {
   public:
    Within(ClientThreads& threads, const void* data, std::size_t bytes);
    ~Within();
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
  };

 private:
  friend void stop_instead_of_abort(int);
  struct Held {
    std::atomic<const void*> data{nullptr};
    std::atomic<std::size_t> bytes{0};
  };
  static constexpr std::size_t kMost = 64;  // more threads than that hold what they hold

  std::atomic<std::size_t> threads_{0};
  std::array<Held, kMost> held_{};
};

// From now on.
void survive_broken_sends();

}  // namespace platter::emulator
