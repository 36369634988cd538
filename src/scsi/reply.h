// What came back of a command: how many of the bytes that were asked for, and whether all was
// clean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "scsi/device.h"
#include "scsi/sense.h"

namespace platter::scsi {

// The data of a reply. Whoever uses them says whether all must be there.
class Reply {
 public:
  Reply() = default;
  Reply(const Command& command, Completion& completion);  // whose data it takes

  // Bytes that were asked for, or given.
  std::uint32_t asked() const { return asked_; }
  // Bytes, as the path counts them; the data of a command with keep_data = false count, too.
  std::uint32_t came() const { return came_; }
  // All that was asked for: so data blocks come, and IDENTIFY DEVICE.
  bool is_whole() const { return came_ == asked_; }
  // nullopt: not all of it came.
  std::optional<Bytes> whole() const;
  std::optional<std::vector<std::uint8_t>> take_whole();
  // Parameter data say how long they are, and are shorter than the room for them: whoever decodes
  // them holds that length against these bytes.
  Bytes as_far_as_it_came() const { return data_; }

 private:
  std::uint32_t asked_ = 0, came_ = 0;
  std::vector<std::uint8_t> data_;
};

// Of the bytes that a command asked for, or gave, those that were not moved: 0 where all were. A
// READ that comes short with GOOD holds fewer blocks than it was to.
std::uint32_t bytes_short(const Command& command, const Completion& completion);

// How a command that was carried out went.
enum class Cleanness : std::uint8_t {
  clean,
  recovered,  // by the drive's own retries or correction (sense key 1h): later than it need be
  warned,     // the drive says something of its own state: failure predicted (5Dh), warning (0Bh)
};

// By the sense data that came with it, whatever its status.
Cleanness cleanness_of(const std::optional<Sense>& sense);
// For the words of a warning's sense data.
const char* advice_on_warning(std::string_view words);
// Carried out by the drive's own retries: its time is no measure of what it was asked for.
bool is_late(const Completion& completion);

}  // namespace platter::scsi
