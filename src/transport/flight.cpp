#include "transport/flight.h"

#include <scsi/sg_lib.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace platter::transport {

void PageBuffer::Free::operator()(std::uint8_t* allocation) const { std::free(allocation); }

void PageBuffer::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  constexpr std::uint32_t kToPages = 0;
  std::uint8_t* allocation = nullptr;
  data_ = sg_memalign(static_cast<std::uint32_t>(bytes), kToPages, &allocation, false);
  allocation_.reset(allocation);
  bytes_ = data_ ? bytes : 0;
  if (!data_) throw std::bad_alloc();
}

void Flight::load(const scsi::Command& what, std::uint32_t with_tag) {
  buffer.reserve(what.transfer_length);
  if (what.direction == scsi::Direction::to_device)
    std::copy(what.data.begin(), what.data.end(), buffer.data());
  command = {.cdb = what.cdb,
             .cdb_length = what.cdb_length,
             .direction = what.direction,
             .transfer_length = what.transfer_length,
             .data = {},
             .keep_data = what.keep_data,
             .attribute = what.attribute,
             .timeout_ns = what.timeout_ns};
  tag = with_tag;
  error = 0;
  answer = {};
  issued_ns = completed_ns = 0;
}

scsi::Expected<scsi::Completion> Flight::completion(const std::string& path) const {
  if (error != 0) return tl::unexpected(why_not_sent(path, command, error));
  const auto status = status_of(path, command, answer);
  if (!status) return tl::unexpected(status.error());
  scsi::Completion done;
  done.tag = tag;
  done.status = *status;
  if (done.status == scsi::Status::check_condition)
    done.sense.assign(sense.begin(),
                      sense.begin() + std::min<std::ptrdiff_t>(answer.sense_bytes, sense.size()));
  done.residual = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(answer.residual, 0, command.transfer_length));
  if (command.direction == scsi::Direction::from_device && command.keep_data)
    done.data.assign(buffer.data(), buffer.data() + (command.transfer_length - done.residual));
  done.issued_ns = issued_ns;
  done.completed_ns = completed_ns;
  return done;
}

}  // namespace platter::transport
