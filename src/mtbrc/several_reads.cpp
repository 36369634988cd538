#include "mtbrc/several_reads.h"

namespace platter::mtbrc {

scsi::Command read_without_data(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                                scsi::CacheBits bits) {
  auto command = scsi::shortest_read(lbn, blocks, block_bytes, bits);
  command.keep_data = false;
  return command;
}

bool came_whole(const scsi::Completion& done) {
  return done.status == scsi::Status::good && done.residual == 0;
}

std::optional<std::array<scsi::Completion, 2>> read_both(scsi::Device& device,
                                                         const scsi::Command& first,
                                                         const scsi::Command& second) {
  constexpr std::uint32_t kFirst = 1, kSecond = 2;
  std::array<scsi::Completion, 2> both;
  try {
    value_of(device.submit(first, kFirst));
    value_of(device.submit(second, kSecond));
    for (std::size_t i = 0; i < both.size(); ++i) {
      auto done = value_of(device.reap());
      if (!done) return std::nullopt;
      both[done->tag == kSecond ? 1 : 0] = std::move(*done);
    }
  } catch (...) {
    scsi::drain(device, both.size());
    throw;
  }
  return both;
}

}  // namespace platter::mtbrc
