#include "transport/host_limits.h"

#include <algorithm>
#include <fstream>
#include <limits>

namespace platter::transport {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

// 0 where there is no such file, or no number in it.
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : 0;
}

}  // namespace

std::uint32_t most_transfer_bytes(const std::string& block, const std::string& root) {
  if (block.empty()) return 0;
  const std::string queue = root + "/sys/block/" + block + "/queue/";
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (const auto kib = number_in(queue + "max_hw_sectors_kb"); kib > 0)
    most = std::min(most, kib * 1024);
  if (const auto pages = number_in(queue + "max_segments"); pages > 0)
    most = std::min(most, pages * kPageBytes);
  return most == std::numeric_limits<std::uint32_t>::max() ? 0 : static_cast<std::uint32_t>(most);
}

std::optional<std::uint32_t> commands_dispatched(const std::string& unit, const std::string& root) {
  std::ifstream file(root + "/sys/class/scsi_device/" + unit + "/device/iorequest_cnt");
  std::uint32_t count = 0;
  if (!(file >> std::hex >> count)) return std::nullopt;
  return count;
}

}  // namespace platter::transport
