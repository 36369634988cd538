#include "emulator/ublk/ring.h"

#include <linux/time_types.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "emulator/pace/real_time.h"

namespace platter::emulator::ublk {
namespace {

constexpr std::size_t kCommandBytes = 128;
constexpr int kBoth = PROT_READ | PROT_WRITE;

int made(unsigned entries, io_uring_params& params) {
  params.flags = IORING_SETUP_SQE128;
  const long file = ::syscall(SYS_io_uring_setup, entries, &params);
  constexpr std::uint32_t kNeeded = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_EXT_ARG;
  if (file >= 0 && (params.features & kNeeded) == kNeeded) return static_cast<int>(file);
  throw Error(ExitStatus::missing_program,
              fmt::format("this process has no io_uring ({}), and platter emulate --ublk needs it: "
                          "Linux 6.0 or later, and sysctl kernel.io_uring_disabled=0",
                          file < 0 ? std::strerror(errno) : "an old one"));
}

std::size_t queues_bytes(const io_uring_params& params) {
  return std::max(params.sq_off.array + params.sq_entries * sizeof(std::uint32_t),
                  params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe));
}

}  // namespace

Ring::Ring(unsigned entries)
    : file_(made(entries, params_)),
      queues_(queues_bytes(params_), kBoth, file_.get(), IORING_OFF_SQ_RING),
      commands_(params_.sq_entries * kCommandBytes, kBoth, file_.get(), IORING_OFF_SQES),
      tail_(queues_.at<std::uint32_t>(params_.sq_off.tail)),
      answers_head_(queues_.at<std::uint32_t>(params_.cq_off.head)),
      answers_tail_(queues_.at<std::uint32_t>(params_.cq_off.tail)),
      answers_(queues_.at<io_uring_cqe>(params_.cq_off.cqes)) {
  auto* const order = queues_.at<std::uint32_t>(params_.sq_off.array);
  for (std::uint32_t i = 0; i < params_.sq_entries; ++i) order[i] = i;
}

io_uring_sqe& Ring::next() {
  if (filled_ - *tail_ == params_.sq_entries) enter(host_now_ns());
  auto* const command =
      commands_.at<io_uring_sqe>((filled_++ & (params_.sq_entries - 1)) * kCommandBytes);
  std::memset(command, 0, kCommandBytes);
  return *command;
}

// The kernel takes all that it is given: commands wait in the device, not here.
void Ring::enter(std::optional<Nanoseconds> until_host_ns) {
  const std::uint32_t sent = filled_ - *tail_;
  std::atomic_ref(*tail_).store(filled_, std::memory_order_release);
  const Nanoseconds left_ns = until_host_ns
                                  ? std::max<Nanoseconds>(*until_host_ns - host_now_ns(), 0)
                                  : 0;
  __kernel_timespec patience{left_ns / kSecond, left_ns % kSecond};
  io_uring_getevents_arg until{};
  until.ts = reinterpret_cast<std::uint64_t>(until_host_ns ? &patience : nullptr);
  const unsigned least = until_host_ns && left_ns == 0 ? 0 : 1;
  ::syscall(SYS_io_uring_enter, file_.get(), sent, least,
            IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &until, sizeof until);
}

std::optional<Ring::Answer> Ring::take() {
  const std::uint32_t head = *answers_head_;
  if (head == std::atomic_ref(*answers_tail_).load(std::memory_order_acquire)) return std::nullopt;
  const io_uring_cqe& answer = answers_[head & (params_.cq_entries - 1)];
  const Answer taken{answer.user_data, answer.res};
  std::atomic_ref(*answers_head_).store(head + 1, std::memory_order_release);
  return taken;
}

}  // namespace platter::emulator::ublk
