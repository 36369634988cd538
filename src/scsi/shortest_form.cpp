#include "scsi/shortest_form.h"

#include <utility>

namespace platter::scsi {
namespace {

bool fits_ten_bytes(std::uint64_t lbn, std::uint32_t blocks) {
  return blocks <= 0xFFFF && lbn < kTenByteBlocks && blocks <= kTenByteBlocks - lbn;
}

}  // namespace

Command shortest_read(std::uint64_t lbn, std::uint32_t blocks, std::uint32_t block_bytes,
                      CacheBits bits) {
  return fits_ten_bytes(lbn, blocks) ? read_10(lbn, blocks, block_bytes, bits)
                                     : read_16(lbn, blocks, block_bytes, bits);
}

Command shortest_write(std::uint64_t lbn, std::uint32_t blocks, std::vector<std::uint8_t> data,
                       CacheBits bits) {
  return fits_ten_bytes(lbn, blocks) ? write_10(lbn, blocks, std::move(data), bits)
                                     : write_16(lbn, blocks, std::move(data), bits);
}

Command shortest_verify(std::uint64_t lbn, std::uint32_t blocks) {
  return fits_ten_bytes(lbn, blocks) ? verify_10(lbn, blocks) : verify_16(lbn, blocks);
}

}  // namespace platter::scsi
