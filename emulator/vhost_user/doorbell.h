// The descriptors by which a guest and a server wake each other. They are the guest's as well, who
// may do with them what he likes at any time: fill them, close the other end, make them block. So a
// flag like O_NONBLOCK, which both share, is worth nothing; a guest must never make us wait.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

#include "emulator/vhost_user/owned_descriptor.h"
#include "emulator/vhost_user/patience.h"

namespace platter::emulator {

// Wakes the other side: 8 bytes, the number 1. One that is full, or whose other end is closed, has
// nobody who could be woken. Takes 20 ms at most: false if it has, which only happens to who fills
// it between our look and our write.
bool ring(int descriptor, Patience& patience);

// What wakes the server: descriptors of guests, each under a number of the server's. None of an
// eventfd's is ever read: a new kick is seen by its coming (EPOLLET), so that no descriptor that
// stays readable, and none whose other end is closed, keeps the server awake.
class Doorbells {
 public:
  Doorbells();
  Doorbells(const Doorbells&) = delete;
  Doorbells& operator=(const Doorbells&) = delete;

  // Readable when there is something for wait_for().
  int descriptor() const { return epoll_.get(); }
  struct Rung {
    std::uint64_t number;
    std::uint32_t events;  // of EPOLLIN and its kin
  };
  // Those that have something now, some of them; it does not wait.
  std::span<const Rung> rung();

  bool add(int descriptor, std::uint64_t number, std::uint32_t events);
  void change(int descriptor, std::uint64_t number, std::uint32_t events);
  void remove(int descriptor) noexcept;

 private:
  OwnedDescriptor epoll_;
  std::array<Rung, 64> rung_{};
};

// A guest's kick, watched as long as it lives. It has to be taken back before it is closed: the
// guest has the same open file, so that closing ours would not do it.
class Kick {
 public:
  Kick() = default;
  // `doorbells`, which outlives it, may be null: nobody watches.
  Kick(OwnedDescriptor descriptor, Doorbells* doorbells, std::uint64_t number);
  Kick(Kick&& other) noexcept;
  Kick& operator=(Kick&& other) noexcept;
  ~Kick();

  bool is_watched() const { return doorbells_ != nullptr; }
  // What a pipe or a socket holds is taken out, so that there is room for the next kick.
  void drain(Patience& patience) const;

 private:
  OwnedDescriptor descriptor_{};
  Doorbells* doorbells_ = nullptr;
  bool holds_bytes_ = false;
};

}  // namespace platter::emulator
