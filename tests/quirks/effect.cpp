#include "effect.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "scsi/bytes.h"
#include "scsi/command_table.h"

namespace quirks {
namespace {

using platter::scsi::Command;
using platter::scsi::Completion;
using platter::scsi::Direction;
using platter::scsi::Status;

constexpr std::size_t kMostSense = 252;  // of the external drive protocol

Json taken(Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return nullptr;
  Json value = *found;
  json.erase(found);
  return value;
}

template <class T>
void take(Json& json, const char* name, std::optional<T>& into) {
  const Json value = taken(json, name);
  if (!value.is_null()) into = value.get<T>();
}

void take(Json& json, const char* name, bool& into) {
  const Json value = taken(json, name);
  if (!value.is_null()) into = value.get<bool>();
}

void take_hex(Json& json, const char* name, std::optional<Bytes>& into) {
  const Json value = taken(json, name);
  if (!value.is_null()) into = bytes_of(value.get<std::string>());
}

// SPC-4, 4.5.2 (descriptor format), 4.5.3 (fixed format).
Bytes sense_of(const Bytes& code, bool descriptor) {
  if (code.size() != 3)
    throw std::invalid_argument("\"sense\" is three bytes: key, additional sense code, qualifier");
  if (descriptor) return {0x72, code[0], code[1], code[2], 0, 0, 0, 0};
  return {0x70, 0, code[0], 0, 0, 0, 0, 10, 0, 0, 0, 0, code[1], code[2], 0, 0, 0, 0};
}

void take_end(Json& json, Effect& effect) {
  std::optional<Bytes> code;
  bool descriptor = false, none = false;
  take_hex(json, "sense", code);
  take(json, "descriptor_sense", descriptor);
  take(json, "no_sense", none);
  take_hex(json, "raw_sense", effect.sense);
  if (code) effect.sense = sense_of(*code, descriptor);
  if (none) effect.sense.emplace();
  if (effect.sense && effect.sense->size() > kMostSense)
    throw std::invalid_argument("sense data have at most 252 bytes");
  take(json, "status", effect.status);
  take(json, "keep_data", effect.keep_data);
  take(json, "residual", effect.residual);
}

}  // namespace

Bytes bytes_of(const std::string& hex) {
  Bytes bytes;
  int digits = 0, value = 0;
  for (const char c : hex) {
    if (c == ' ') continue;
    const auto digit = std::string("0123456789abcdef").find(static_cast<char>(std::tolower(c)));
    if (digit == std::string::npos) break;
    value = value << 4 | static_cast<int>(digit);
    if (++digits % 2 == 0) bytes.push_back(static_cast<std::uint8_t>(value));
  }
  const auto meant = std::ranges::count_if(hex, [](char c) { return c != ' '; });
  if (digits != meant || digits % 2 != 0)
    throw std::invalid_argument(fmt::format("'{}' is no row of bytes in hex", hex));
  return bytes;
}

Effect take_effect(Json& json) {
  Effect effect;
  take(json, "short_read", effect.short_read);
  take(json, "as_tur", effect.as_test_unit_ready);
  take(json, "exit", effect.exit);
  take_hex(json, "data", effect.data);
  take(json, "cut", effect.cut);
  take(json, "half", effect.half);
  std::optional<Bytes> append;
  take_hex(json, "append", append);
  if (append) effect.append = *append;
  const Json poke = taken(json, "poke");
  for (const auto& [offset, bytes] : poke.items())
    effect.poke.emplace_back(std::stoul(offset), bytes_of(bytes.get<std::string>()));
  take(json, "pad", effect.pad);
  take_end(json, effect);
  std::optional<double> delay_ms;
  take(json, "delay_ms", delay_ms);
  effect.delay_ns = static_cast<platter::Nanoseconds>(delay_ms.value_or(0) *
                                                      static_cast<double>(platter::kMillisecond));
  return effect;
}

Command Effect::forwarded(const Command& command) const {
  Command other = command;
  if (as_test_unit_ready) {
    other.cdb = {platter::scsi::kTestUnitReady};
    other.cdb_length = 6;
    other.direction = Direction::none;
    other.transfer_length = 0;
    other.data.clear();
    return other;
  }
  const auto blocks = platter::scsi::addressed_blocks(command);
  if (!short_read || !blocks || *short_read >= blocks->blocks ||
      command.direction != Direction::from_device)
    return other;
  const auto block_bytes = static_cast<std::uint32_t>(command.transfer_length / blocks->blocks);
  if (command.cdb_length == 6)
    other.cdb[4] = static_cast<std::uint8_t>(*short_read);
  else if (command.cdb_length == 10)
    platter::scsi::put_be(&other.cdb[7], 2, *short_read);
  else
    platter::scsi::put_be(&other.cdb[10], 4, *short_read);
  other.transfer_length = *short_read * block_bytes;
  return other;
}

void Effect::change_data(const Command& command, Bytes& bytes) const {
  if (data) bytes = *data;
  if (cut) bytes.resize(std::min<std::size_t>(bytes.size(), *cut));
  if (half) bytes.resize(bytes.size() / 2);
  bytes.insert(bytes.end(), append.begin(), append.end());
  for (const auto& [offset, replaced] : poke) {
    if (bytes.size() < offset + replaced.size()) continue;
    std::ranges::copy(replaced, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  if (pad || bytes.size() > command.transfer_length) bytes.resize(command.transfer_length);
}

void Effect::change(const Command& command, Completion& reply) const {
  if (keep_data && reply.status != Status::good) return;
  const bool reads = command.direction == Direction::from_device;
  if (data) {
    reply.status = Status::good;
    reply.sense.clear();
  }
  if (reads && reply.status == Status::good) change_data(command, reply.data);
  if (sense) {
    reply.status = Status::check_condition;
    reply.sense = *sense;
  }
  if (status) reply.status = static_cast<Status>(*status);
  if ((sense || status) && !keep_data) reply.data.clear();
  reply.completed_ns += delay_ns;
  const std::size_t moved = reads ? reply.data.size() : command.transfer_length;
  reply.residual = residual.value_or(command.transfer_length -
                                     static_cast<std::uint32_t>(reads || !sense ? moved : 0));
}

}  // namespace quirks
