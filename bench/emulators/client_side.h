// What clients that time an emulated drive have in common.
#pragma once

#include <fmt/core.h>
#include <sched.h>
#include <sys/prctl.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace platter::bench {

inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Wakes without slack; `fifo`: before ordinary processes. false: this host does not let it.
inline bool wake_at_once(bool fifo) {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  sched_param priority{};
  priority.sched_priority = 50;
  return !fifo || sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

// A line each; "": nobody asked for them. false: they cannot be written.
inline bool write_latencies(const std::string& path,
                            const std::vector<std::int64_t>& latencies_ns) {
  if (path.empty()) return true;
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  for (const std::int64_t ns : latencies_ns) fmt::print(file, "{}\n", ns);
  return std::fclose(file) == 0;
}

}  // namespace platter::bench
