// The process that platter's blktrace files name in each event, where a kernel names its own.
#pragma once

#include <cstdint>
#include <string_view>

namespace platter::trace {

constexpr std::uint32_t kBlktraceProcess = 0x74616c70;  // "plat"

// The bytes begin with an event of that process.
inline bool has_blktrace_process(std::string_view bytes) {
  constexpr std::size_t kAt = 32;
  return bytes.starts_with("\7tae") && bytes.substr(0, kAt + 4).ends_with("plat") &&
         bytes.size() >= kAt + 4;
}

}  // namespace platter::trace
