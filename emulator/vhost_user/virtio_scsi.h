// Requests and answers of a virtio SCSI host (virtio 1.1 section 5.6) as bytes in a guest's memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "emulator/vhost_user/pieces.h"
#include "emulator/vhost_user/virtqueue.h"
#include "scsi/device.h"

namespace platter::emulator::virtio {

// Queues by number: tasks to manage, events, then those of commands, of which a guest uses one for
// each of its processors, say.
constexpr unsigned kControlQueue = 0, kEventQueue = 1, kFirstCommandQueue = 2, kQueues = 18;

enum class Response : std::uint8_t {
  ok = 0,
  aborted = 2,
  bad_target = 3,
  reset = 4,
  failure = 9,
  function_succeeded = 10,
  function_rejected = 11,
  incorrect_lun = 12,
};

constexpr std::uint32_t kMostTransferBytes = 32U << 20;
constexpr std::uint32_t kSenseBytes = 96, kCdbBytes = 32;  // as the device says at first
constexpr std::size_t kAnswerBytes = 12 + kSenseBytes;

// Which drive: target and LUN (section 5.6.6.1). nullopt: no address of this form.
struct Address {
  std::uint8_t target;
  std::uint16_t lun;
};
std::optional<Address> address_of(std::span<const std::uint8_t, 8> lun);

struct CommandRequest {
  std::optional<Address> address{};
  std::uint64_t guest_tag = 0;  // by which the guest aborts it
};

// Reads a request of the command queue, but for its data. nullopt: the chain has no room for
// request and answer. A transfer that is too long, or goes both ways, leaves `command.cdb_length`
// 0.
std::optional<CommandRequest> read_command(const Chain& chain, scsi::Command& command);
// The data that go with it to the drive; the vector keeps its room.
void read_data(const Chain& chain, scsi::Command& command);

// An answer's data, ahead of it. How many bytes.
std::size_t write_data(const Chain& chain, std::span<const std::uint8_t> data);
// Writes the answer, but for its data where those are there, `ahead` bytes of them; returns how
// many bytes of the chain it has by then.
std::uint32_t write_answer(const Chain& chain, const scsi::Completion& completion,
                           std::size_t ahead = 0);
std::uint32_t write_refusal(const Chain& chain, Response response);

// A request of the control queue.
enum class Task : std::uint32_t {
  abort_task = 0,
  abort_task_set = 1,
  clear_aca = 2,
  clear_task_set = 3,
  i_t_nexus_reset = 4,
  logical_unit_reset = 5,
  query_task = 6,
  query_task_set = 7,
};
struct ControlRequest {
  bool manages_task = false;  // else: it asks for events, of which there are none
  Task task = Task::abort_task;
  std::optional<Address> address{};
  std::uint64_t guest_tag = 0;
};
// nullopt: the chain has no room for request and answer.
std::optional<ControlRequest> read_control(const Chain& chain);
std::uint32_t write_control_answer(const Chain& chain, const ControlRequest& request,
                                   Response response);

// What the guest reads of the device, `drives` of them at the targets 0, 1, ... (section 5.6.4).
std::array<std::uint8_t, 36> configuration(unsigned drives);

}  // namespace platter::emulator::virtio
