#include "emulator/contents/generated_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace platter::emulator {
namespace {

constexpr std::size_t kLine = 64, kDigits = 16, kNumberAt = 28;
using Line = std::array<char, kLine>;

Line line_of(std::uint64_t page) {
  Line line;
  std::memcpy(line.data(), "platter dropped data: page 0x0123456789abcdef of 4096 bytes    \n",
              kLine);
  for (std::size_t i = 0; i < kDigits; ++i)
    line[kNumberAt + 1 + i] = "0123456789abcdef"[page >> (4 * (kDigits - 1 - i)) & 0xF];
  return line;
}

}  // namespace

void generate(std::uint64_t page, std::uint64_t from, std::span<std::uint8_t> to) {
  const Line line = line_of(page);
  for (std::size_t done = 0; done < to.size();) {
    const std::size_t in = (from + done) % kLine;
    const std::size_t part = std::min(kLine - in, to.size() - done);
    std::memcpy(to.data() + done, line.data() + in, part);
    done += part;
  }
}

}  // namespace platter::emulator
