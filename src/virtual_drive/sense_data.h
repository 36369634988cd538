// What the target answers a failed command with: sense keys and codes (SPC-4 clauses 4.5.6 and D.2)
// and the fixed format of sense data (SPC-4 clause 4.5.3), which drives of every age send.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scsi/device.h"

namespace platter::virtual_drive {

// Sense key, additional sense code and its qualifier, written 5/24/00 in the field.
struct SenseCode {
  std::uint8_t key = 0, asc = 0, ascq = 0;
  bool operator==(const SenseCode&) const = default;
};

constexpr SenseCode kNoSense{0x0, 0x00, 0x00};
// Low power condition on: of each condition (model/power.h) by its timer, by a command.
constexpr SenseCode kRests[5][2] = {{{0x0, 0x5e, 0x01}, {0x0, 0x5e, 0x03}},
                                    {{0x0, 0x5e, 0x05}, {0x0, 0x5e, 0x06}},
                                    {{0x0, 0x5e, 0x07}, {0x0, 0x5e, 0x08}},
                                    {{0x0, 0x5e, 0x09}, {0x0, 0x5e, 0x0a}},
                                    {{0x0, 0x5e, 0x02}, {0x0, 0x5e, 0x04}}};
constexpr SenseCode kIdleByCommand{0x0, 0x5e, 0x03};
constexpr SenseCode kStandbyByCommand{0x0, 0x5e, 0x04};
constexpr SenseCode kDefectListNotFound{0x1, 0x1c, 0x00};
constexpr SenseCode kBecomingReady{0x2, 0x04, 0x01};
constexpr SenseCode kStartNeeded{0x2, 0x04, 0x02};
constexpr SenseCode kUnrecoveredReadError{0x3, 0x11, 0x00};
constexpr SenseCode kInternalTargetFailure{0x4, 0x44, 0x00};
constexpr SenseCode kParameterListLengthError{0x5, 0x1a, 0x00};
constexpr SenseCode kInvalidOpcode{0x5, 0x20, 0x00};
constexpr SenseCode kLbnOutOfRange{0x5, 0x21, 0x00};
constexpr SenseCode kInvalidFieldInCdb{0x5, 0x24, 0x00};
constexpr SenseCode kLogicalUnitNotSupported{0x5, 0x25, 0x00};
constexpr SenseCode kInvalidFieldInParameters{0x5, 0x26, 0x00};
constexpr SenseCode kCommandSequenceError{0x5, 0x2c, 0x00};
constexpr SenseCode kSavingNotSupported{0x5, 0x39, 0x00};
constexpr SenseCode kPowerOnOrReset{0x6, 0x29, 0x00};
constexpr SenseCode kInquiryDataChanged{0x6, 0x3f, 0x03};
constexpr SenseCode kSoftwareWriteProtected{0x7, 0x27, 0x02};
constexpr SenseCode kDataPhaseError{0xb, 0x4b, 0x00};
constexpr SenseCode kMiscompare{0xe, 0x1d, 0x00};

// Which byte of the CDB or of the parameter list was wrong (SPC-4 clause 4.5.2.4.2).
struct FieldPointer {
  bool in_cdb = true;
  std::uint16_t byte = 0;
};

// 18 bytes. `information` is the LBN that the code speaks of; it is left out (VALID = 0) when it
// does not fit the 32 bits of the format.
std::vector<std::uint8_t> fixed_sense(SenseCode code,
                                      std::optional<std::uint64_t> information = std::nullopt,
                                      std::optional<FieldPointer> field = std::nullopt);

// Status, sense and data of one command, as they leave the target.
struct Reply {
  scsi::Status status = scsi::Status::good;
  std::vector<std::uint8_t> sense;
  std::vector<std::uint8_t> data;
  std::uint64_t taken = 0;  // bytes that the target took from the host
  std::uint64_t given = 0;  // bytes that it gives besides `data`, of which the host wants only the
                            // time
};

Reply check_condition(SenseCode code);
Reply invalid_cdb_field(std::uint16_t byte);
Reply invalid_parameter(std::uint16_t byte);
Reply out_of_range(std::uint64_t lbn);
Reply miscompare(std::uint64_t lbn);

// GOOD with `data` cut to the allocation length of the CDB (SPC-4 clause 4.2.5.6).
Reply good(std::vector<std::uint8_t> data, std::uint64_t allocation_length);

}  // namespace platter::virtual_drive
