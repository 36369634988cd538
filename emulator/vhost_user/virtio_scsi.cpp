#include "emulator/vhost_user/virtio_scsi.h"

#include "scsi/device.h"

namespace platter::emulator::virtio {
namespace {

constexpr std::size_t kCommandBytes = 19 + kCdbBytes;  // LUN, tag, attribute, priority, CRN, CDB
constexpr std::size_t kTaskBytes = 24, kEventsBytes = 16;
constexpr std::uint32_t kTaskManagement = 0;

template <typename Number>
Number number_at(const std::uint8_t* from) {
  Number number = 0;
  std::memcpy(&number, from, sizeof number);
  return number;
}

template <typename Number>
void put(std::uint8_t* to, Number number) {
  std::memcpy(to, &number, sizeof number);
}

// SPC-4 clause 4.3.5.1: the group code tells the length; of what the standard leaves open, one that
// fits.
std::uint8_t cdb_length(std::uint8_t opcode) {
  constexpr std::uint8_t kLengths[] = {6, 10, 10, 32, 16, 12, 16, 16};
  return kLengths[opcode >> 5];
}

scsi::Attribute attribute_of(std::uint8_t task_attribute) {
  constexpr std::uint8_t kOrdered = 1, kHead = 2;
  const std::uint8_t kind = task_attribute & 0x07;
  return kind == kOrdered ? scsi::Attribute::ordered
         : kind == kHead  ? scsi::Attribute::head_of_queue
                          : scsi::Attribute::simple;
}

}  // namespace

// The first level has a form of its own, in the second LUNs may stand with the flat addressing
// method.
std::optional<Address> address_of(std::span<const std::uint8_t, 8> lun) {
  const std::uint8_t method = lun[2] >> 6;
  if (lun[0] != 1 || method > 1) return std::nullopt;
  return Address{lun[1], static_cast<std::uint16_t>((lun[2] & 0x3f) << 8 | lun[3])};
}

std::optional<CommandRequest> read_command(const Chain& chain, scsi::Command& command) {
  const std::uint64_t readable = bytes_of(chain.readable), writable = bytes_of(chain.writable);
  if (readable < kCommandBytes || writable < kAnswerBytes) return std::nullopt;
  std::array<std::uint8_t, kCommandBytes> head{};
  copy_from(chain.readable, 0, head);
  CommandRequest request;
  request.address = address_of(std::span(head).first<8>());
  request.guest_tag = number_at<std::uint64_t>(&head[8]);

  const std::uint64_t out = readable - kCommandBytes, in = writable - kAnswerBytes;
  command.cdb_length = 0;
  command.data.clear();
  if ((out > 0 && in > 0) || out > kMostTransferBytes || in > kMostTransferBytes) return request;
  command.cdb_length = cdb_length(head[19]);
  command.cdb.fill(0);
  std::copy_n(head.begin() + 19, command.cdb_length, command.cdb.begin());
  command.attribute = attribute_of(head[16]);
  command.direction = out > 0  ? scsi::Direction::to_device
                      : in > 0 ? scsi::Direction::from_device
                               : scsi::Direction::none;
  command.transfer_length = static_cast<std::uint32_t>(out + in);
  return request;
}

void read_data(const Chain& chain, scsi::Command& command) {
  if (command.direction != scsi::Direction::to_device) return;
  command.data.resize(command.transfer_length);
  copy_from(chain.readable, kCommandBytes, command.data);
}

std::size_t write_data(const Chain& chain, std::span<const std::uint8_t> data) {
  copy_to(chain.writable, kAnswerBytes, data);
  return data.size();
}

std::uint32_t write_answer(const Chain& chain, const scsi::Completion& completion,
                           std::size_t ahead) {
  std::array<std::uint8_t, kAnswerBytes> head{};
  const std::size_t sense = std::min<std::size_t>(completion.sense.size(), kSenseBytes);
  put(&head[0], static_cast<std::uint32_t>(sense));
  put(&head[4], completion.residual);
  head[10] = static_cast<std::uint8_t>(completion.status);
  head[11] = static_cast<std::uint8_t>(Response::ok);
  std::copy_n(completion.sense.begin(), sense, head.begin() + 12);
  copy_to(chain.writable, 0, head);
  if (completion.data.size() != ahead) write_data(chain, completion.data);
  return static_cast<std::uint32_t>(kAnswerBytes + completion.data.size());
}

std::uint32_t write_refusal(const Chain& chain, Response response) {
  std::array<std::uint8_t, kAnswerBytes> head{};
  head[11] = static_cast<std::uint8_t>(response);
  copy_to(chain.writable, 0, head);
  return kAnswerBytes;
}

std::optional<ControlRequest> read_control(const Chain& chain) {
  const std::uint64_t readable = bytes_of(chain.readable);
  std::array<std::uint8_t, kTaskBytes> bytes{};
  if (readable < 4 || bytes_of(chain.writable) < 1) return std::nullopt;
  copy_from(chain.readable, 0, bytes);
  ControlRequest request;
  request.manages_task = number_at<std::uint32_t>(bytes.data()) == kTaskManagement;
  if (readable < (request.manages_task ? kTaskBytes : kEventsBytes)) return std::nullopt;
  request.task = static_cast<Task>(number_at<std::uint32_t>(&bytes[4]));
  request.address = address_of(std::span(bytes).subspan<8, 8>());
  request.guest_tag = number_at<std::uint64_t>(&bytes[16]);
  return request;
}

// Of events: which of them will come, then the response.
std::uint32_t write_control_answer(const Chain& chain, const ControlRequest& request,
                                   Response response) {
  std::array<std::uint8_t, 5> bytes{};
  const std::size_t size = request.manages_task ? 1 : bytes.size();
  bytes[size - 1] = static_cast<std::uint8_t>(response);
  copy_to(chain.writable, 0, std::span(bytes).first(size));
  return static_cast<std::uint32_t>(size);
}

std::array<std::uint8_t, 36> configuration(unsigned drives) {
  std::array<std::uint8_t, 36> bytes{};
  constexpr std::uint32_t kCommandQueues = 1, kSegments = 126, kSectors = 0xffff, kEventBytes = 16;
  constexpr std::uint32_t kCommandsPerDrive = 64;
  put(&bytes[0], kCommandQueues);
  put(&bytes[4], kSegments);
  put(&bytes[8], kSectors);
  put(&bytes[12], kCommandsPerDrive);
  put(&bytes[16], kEventBytes);
  put(&bytes[20], kSenseBytes);
  put(&bytes[24], kCdbBytes);
  put(&bytes[28], std::uint16_t{0});                        // channels beyond the first
  put(&bytes[30], static_cast<std::uint16_t>(drives - 1));  // the last target
  put(&bytes[32], std::uint32_t{0});                        // the last LUN
  return bytes;
}

}  // namespace platter::emulator::virtio
