#include "emulator/scsi/block_request.h"

#include "scsi/bytes.h"

namespace platter::emulator {
namespace {

using episodes::Kind;

// SBC-3 clause 5.1.
constexpr bool is_flush(std::uint8_t opcode) { return opcode == 0x35 || opcode == 0x91; }

constexpr bool only_reads(std::uint8_t opcode) {
  const std::uint8_t form = opcode & 0x1f;  // the group before it tells the CDB's length
  return form == 0x08 || form == 0x0f;      // READ, VERIFY
}

}  // namespace

// The group of the opcode tells where LBN and blocks stand (SPC-4 clause 4.3.5.1).
std::optional<BlockRequest> block_request_of(const scsi::Command& command) {
  const std::uint8_t opcode = command.opcode();
  if (is_flush(opcode)) return BlockRequest{Kind::flush};
  if (!moves_blocks(opcode)) return std::nullopt;
  const Kind kind = only_reads(opcode) ? Kind::read : Kind::write;
  const std::uint8_t* const cdb = command.cdb.data();
  constexpr int kSix = 0, kTwelve = 5, kSixteen = 4;
  switch (opcode >> 5) {
    case kSix:
      return BlockRequest{kind, scsi::get_be(cdb + 1, 3) & 0x1fffff, cdb[4] == 0 ? 256u : cdb[4]};
    case kTwelve:
      return BlockRequest{kind, scsi::get_be32(cdb + 2), scsi::get_be32(cdb + 6)};
    case kSixteen:
      return BlockRequest{kind, scsi::get_be(cdb + 2, 8), scsi::get_be32(cdb + 10)};
    default:
      return BlockRequest{kind, scsi::get_be32(cdb + 2), scsi::get_be16(cdb + 7)};
  }
}

}  // namespace platter::emulator
