#include "emulator/nbd/plugin/broken_sends.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace platter::emulator {
namespace {

// Of a thread of nbdkit's that serves a client.
thread_local ClientThreads* client = nullptr;
thread_local std::size_t number = 0;  // among the client's
thread_local bool is_within = false;

}  // namespace

void give_back(const void* data, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (begin >= end) return;
  constexpr int kOfLockedMemory = 24;  // MADV_DONTNEED_LOCKED, which came with Linux 5.18
  if (madvise(reinterpret_cast<void*>(begin), end - begin, kOfLockedMemory) != 0)
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

ClientThreads::Within::Within(ClientThreads& threads, const void* data, std::size_t bytes) {
  is_within = true;
  if (client != &threads) {
    client = &threads;
    number = threads.threads_++;
  }
  if (number >= kMost) return;
  threads.held_[number].bytes = 0;
  threads.held_[number].data = data;
  threads.held_[number].bytes = bytes;
}

ClientThreads::Within::~Within() { is_within = false; }

// Of SIGABRT. An abort of our own goes its way.
void stop_instead_of_abort(int) {
  if (client == nullptr || is_within) return;
  for (const ClientThreads::Held& each : client->held_) give_back(each.data, each.bytes);
  for (;;) pause();
}

void survive_broken_sends() {
  struct sigaction action {};
  action.sa_handler = stop_instead_of_abort;
  sigaction(SIGABRT, &action, nullptr);
}

}  // namespace platter::emulator
