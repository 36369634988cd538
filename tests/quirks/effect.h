// What a rule makes of a command and of its reply.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "scsi/device.h"

namespace quirks {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;

struct Effect {
  // On the command that the drive behind gets.
  std::optional<std::uint32_t> short_read;  // a READ of more blocks reads these alone
  bool as_test_unit_ready = false;          // it gets TEST UNIT READY in its place
  bool exit = false;                        // the drive is gone

  // On the data of the reply, in this order.
  std::optional<Bytes> data;  // GOOD with these, whatever the drive said
  std::optional<std::uint32_t> cut;
  bool half = false;
  Bytes append;
  std::vector<std::pair<std::size_t, Bytes>> poke;
  bool pad = false;  // zeros up to the transfer length: a bridge that tells no residue

  // On how it ends. An error has no data, unless keep_data.
  std::optional<Bytes> sense;  // CHECK CONDITION with these bytes, perhaps none
  std::optional<std::uint8_t> status;
  bool keep_data = false;                 // and what the drive refuses stays refused
  std::optional<std::uint32_t> residual;  // another one than the data have
  platter::Nanoseconds delay_ns = 0;

  platter::scsi::Command forwarded(const platter::scsi::Command& command) const;
  void change(const platter::scsi::Command& command, platter::scsi::Completion& reply) const;

 private:
  void change_data(const platter::scsi::Command& command, Bytes& bytes) const;
};

// Takes its members out of `json`. Throws std::invalid_argument with a sentence.
Effect take_effect(Json& json);

// "05 24 00" or "052400". Throws std::invalid_argument.
Bytes bytes_of(const std::string& hex);

}  // namespace quirks
