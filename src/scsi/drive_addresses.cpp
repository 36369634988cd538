// Where blocks lie by the drive's own word: address translation, and the lists of defects.

#include "scsi/drive_link.h"

namespace platter::scsi {
namespace {

constexpr std::uint8_t kLbnOutOfRange = 0x21;  // ASC
constexpr std::uint8_t kSequenceError = 0x2C;  // ASC

// Of a command that the drive does not have in whatever words: INVALID COMMAND.
std::uint8_t code_of(const Answer& answer) {
  return answer.illegal() ? answer.sense->asc : kInvalidOpcode;
}

}  // namespace

// SEND DIAGNOSTIC and RECEIVE DIAGNOSTIC RESULTS belong together: a reset in between makes the
// drive forget the question, so both are sent again. So they are where what comes is no answer to
// this question.
std::optional<std::vector<std::uint8_t>> DriveLink::translated(const Command& send,
                                                               AddressFormat from,
                                                               AddressFormat to) {
  int mixed_up = 0;
  for (int attempt = 0; attempt < kMaxUnitAttentions; ++attempt) {
    const auto sent = may(send);
    ++translations;
    if (sent.not_supported) {
      refusal = code_of(sent);
      return std::nullopt;
    }
    const auto attentions = unit_attentions;
    auto received = may(receive_translation());
    if (unit_attentions != attentions) continue;
    const bool forgotten = received.illegal() && received.sense->asc == kSequenceError;
    if (received.not_supported && !forgotten) {
      refusal = code_of(received);
      return std::nullopt;
    }
    const Bytes page = received.reply.as_far_as_it_came();
    if (!forgotten && is_translation(page, from, to))
      return std::vector<std::uint8_t>(page.begin(), page.end());
    if (++mixed_up >= kMaxAborts) {
      refusal = 0;
      return std::nullopt;
    }
  }
  throw Error(ExitStatus::drive_error,
              name + " is reset again and again during address translation; find out by what");
}

std::optional<Translation> DriveLink::translate(std::uint64_t lbn, AddressFormat block,
                                                AddressFormat place) {
  const auto reply = translated(translate_block(lbn, block, place), block, place);
  return reply ? decode_translation(*reply) : std::nullopt;
}

std::optional<Translation> DriveAddresses::translate(std::uint64_t lbn) {
  auto& d = link_;
  if (d.translates_not) return std::nullopt;
  const bool is_long = lbn >= kTenByteBlocks;
  if (d.block_format)
    return d.translate(lbn, is_long ? AddressFormat::long_block : *d.block_format, *d.place_format);
  for (const auto place : {AddressFormat::physical_sector, AddressFormat::bytes_from_index}) {
    for (const auto block : {AddressFormat::block, AddressFormat::long_block}) {
      if (is_long && block == AddressFormat::block) continue;
      if (auto found = d.translate(lbn, block, place)) {
        d.block_format = block;
        d.place_format = place;
        return found;
      }
      if (d.refusal == kLbnOutOfRange) return std::nullopt;
      d.translates_not = d.refusal == kInvalidOpcode;
      if (d.translates_not) return std::nullopt;
    }
  }
  d.translates_not = true;
  return std::nullopt;
}

bool DriveAddresses::translates() {
  if (!link_.block_format) translate(0);
  return !link_.translates_not;
}

std::optional<PlaceContent> DriveAddresses::translate_back(const PhysicalAddress& place) {
  if (place.cylinder >= 1U << 24 || place.head > 0xFF) return std::nullopt;
  const auto from = link_.place_format.value_or(AddressFormat::physical_sector);
  const auto to = link_.known().blocks > kTenByteBlocks
                      ? AddressFormat::long_block
                      : link_.block_format.value_or(AddressFormat::block);
  const auto reply = link_.translated(translate_place(place, from, to), from, to);
  auto content = reply ? decode_translation_back(*reply) : std::nullopt;
  if (content && content->lbn && *content->lbn >= link_.known().blocks) content->lbn.reset();
  return content;
}

std::optional<PhysicalAddress> DriveAddresses::sector_at(const PhysicalAddress& bytes_from_index) {
  constexpr auto kFrom = AddressFormat::bytes_from_index, kTo = AddressFormat::physical_sector;
  if (bytes_from_index.cylinder >= 1U << 24 || bytes_from_index.head > 0xFF) return std::nullopt;
  const auto reply = link_.translated(translate_place(bytes_from_index, kFrom, kTo), kFrom, kTo);
  const auto found = reply ? decode_translation(*reply) : std::nullopt;
  return found ? std::optional<PhysicalAddress>(found->places.front()) : std::nullopt;
}

std::optional<PhysicalAddress> DriveAddresses::bytes_from_index(std::uint64_t lbn) {
  const auto block = lbn >= kTenByteBlocks ? AddressFormat::long_block
                                           : link_.block_format.value_or(AddressFormat::block);
  const auto found = link_.translate(lbn, block, AddressFormat::bytes_from_index);
  return found ? std::optional<PhysicalAddress>(found->places.front()) : std::nullopt;
}

std::optional<std::vector<std::uint8_t>> DriveLink::defect_data(const Command& command) {
  const auto reply = reply_to(command);
  if (!reply) return std::nullopt;
  const Bytes data = reply->as_far_as_it_came();
  return std::vector<std::uint8_t>(data.begin(), data.end());
}

std::optional<DefectList> DriveLink::defects(bool primary, bool grown, AddressFormat format) {
  constexpr std::uint32_t kLongestShortList = 0xFFFF - 4;
  // The header first: it says how long the list is.
  const auto header = defect_data(read_defect_data_10(primary, grown, format, 4));
  const auto bytes = header ? defect_list_bytes_10(*header) : std::nullopt;
  if (bytes && *bytes + 8 <= kLongestShortList) {
    const auto reply = defect_data(
        read_defect_data_10(primary, grown, format, static_cast<std::uint16_t>(4 + *bytes)));
    return reply ? decode_defects_10(*reply) : std::nullopt;
  }
  const auto long_header = defect_data(read_defect_data_12(primary, grown, format, 8));
  const auto long_bytes = long_header ? defect_list_bytes_12(*long_header) : std::nullopt;
  constexpr std::uint32_t kMost = 8U << 20;  // a million defects: nothing honest is longer
  if (!long_bytes || *long_bytes > kMost) return std::nullopt;
  const auto reply = defect_data(read_defect_data_12(primary, grown, format, 8 + *long_bytes));
  return reply ? decode_defects_12(*reply) : std::nullopt;
}

std::optional<DefectList> DriveAddresses::defects(bool primary, bool grown) {
  const auto wanted = link_.place_format.value_or(AddressFormat::physical_sector);
  const auto other = wanted == AddressFormat::physical_sector ? AddressFormat::bytes_from_index
                                                              : AddressFormat::physical_sector;
  auto list = link_.defects(primary, grown, wanted);
  if (list && list->format == wanted) return list;
  auto in_other_format = link_.defects(primary, grown, other);
  return in_other_format ? in_other_format : list;
}

}  // namespace platter::scsi
