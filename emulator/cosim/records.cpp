#include "emulator/cosim/records.h"

#include <cstring>

#include "emulator/cosim/guest/record.h"

namespace platter::emulator {
namespace {

constexpr std::uint32_t kMostBytes = 1 << 20;  // process 1 reads less at a time

}  // namespace

std::int32_t Record::number() const {
  std::int32_t value = 0;
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool RecordReader::feed(std::span<const char> piece,
                        const std::function<void(const Record&)>& take) {
  kept_.append(piece.begin(), piece.end());
  std::size_t done = 0;
  platter_cosim_record head{};
  while (kept_.size() - done >= sizeof head) {
    std::memcpy(&head, kept_.data() + done, sizeof head);
    if (head.kind < PLATTER_COSIM_STDOUT || head.kind > PLATTER_COSIM_NO_GUEST ||
        head.bytes > kMostBytes)
      return false;
    if (kept_.size() - done - sizeof head < head.bytes) break;
    take({head.kind, std::string_view(kept_).substr(done + sizeof head, head.bytes)});
    done += sizeof head + head.bytes;
  }
  kept_.erase(0, done);
  return true;
}

}  // namespace platter::emulator
