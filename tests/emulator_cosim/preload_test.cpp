// What is preloaded into the guest's kernel, on a ptrace(2) that is played.
#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include "catch.h"
#include "emulator/cosim/preload/chance.h"
#include "emulator/cosim/preload/extended_state.h"
#include "emulator/cosim/preload/tracing.h"

namespace {

// Processes with a large extended state, as AMX makes it: a host that takes it whole or not at all.
struct Host {
  static constexpr std::size_t kStateBytes = 11008;
  std::map<pid_t, std::vector<std::uint8_t>> states{};
  int reads = 0, writes = 0;
  user_regs_struct registers{};
  int fault_code = SI_KERNEL;
  std::uint64_t code = 0;
  std::vector<std::pair<long, std::uintptr_t>> others{};  // request, data
};
Host host;

std::vector<std::uint8_t>& state_of(pid_t pid) {
  auto& state = host.states[pid];
  if (state.empty())
    for (std::size_t i = 0; i < Host::kStateBytes; ++i)
      state.push_back(static_cast<std::uint8_t>(i * 7 + static_cast<std::size_t>(pid)));
  return state;
}

long refuse(int error) {
  errno = error;
  return -1;
}

long registers_of_state(long request, pid_t pid, iovec& piece) {
  auto& state = state_of(pid);
  if (request == PTRACE_GETREGSET) {
    ++host.reads;
    piece.iov_len = std::min(piece.iov_len, state.size());
    std::memcpy(piece.iov_base, state.data(), piece.iov_len);
    return 0;
  }
  ++host.writes;
  if (piece.iov_len != state.size()) return refuse(EFAULT);
  std::memcpy(state.data(), piece.iov_base, state.size());
  return 0;
}

constexpr pid_t kOne = 11, kOther = 12, kGone = 99;
constexpr std::size_t kKernelsBytes = 2696;

std::vector<std::uint8_t> read_as_kernel(pid_t pid) {
  std::vector<std::uint8_t> bytes(kKernelsBytes);
  iovec piece{bytes.data(), bytes.size()};
  REQUIRE(tracing_ptrace(PTRACE_GETREGSET, pid, reinterpret_cast<void*>(NT_X86_XSTATE), &piece) >=
          0);
  REQUIRE(piece.iov_len == kKernelsBytes);
  return bytes;
}

long write_as_kernel(pid_t pid, std::vector<std::uint8_t> bytes) {
  iovec piece{bytes.data(), bytes.size()};
  return tracing_ptrace(PTRACE_SETREGSET, pid, reinterpret_cast<void*>(NT_X86_XSTATE), &piece);
}

}  // namespace

extern "C" long tracing_host_ptrace(long request, pid_t pid, void*, void* data) {
  if (pid == kGone) return refuse(ESRCH);
  switch (request) {
    case PTRACE_GETREGSET:
    case PTRACE_SETREGSET:
      return registers_of_state(request, pid, *static_cast<iovec*>(data));
    case PTRACE_GETSIGINFO:
      static_cast<siginfo_t*>(data)->si_code = host.fault_code;
      return 0;
    case PTRACE_GETREGS:
      *static_cast<user_regs_struct*>(data) = host.registers;
      return 0;
    case PTRACE_SETREGS:
      host.registers = *static_cast<user_regs_struct*>(data);
      return 0;
    case PTRACE_PEEKTEXT:
      std::memcpy(data, &host.code, sizeof host.code);
      return 0;
    default:
      host.others.emplace_back(request, reinterpret_cast<std::uintptr_t>(data));
      return 0;
  }
}

TEST_CASE("A seed's chance is SplitMix64, in pieces of any size") {
  chance_begin(1234567);
  std::uint64_t words[5]{};
  chance_fill(words, sizeof words);
  CHECK(words[0] == 6457827717110365317U);
  CHECK(words[1] == 3203168211198807973U);
  CHECK(words[2] == 9817491932198370423U);
  CHECK(words[3] == 4593380528125082431U);
  CHECK(words[4] == 16408922859458223821U);
  chance_begin(1234567);
  std::array<std::uint8_t, 11> bytes{};
  chance_fill(bytes.data(), bytes.size());
  CHECK(std::memcmp(bytes.data(), words, bytes.size()) == 0);
}

TEST_CASE("A kernel with a small buffer changes its part of a large state, and nothing else") {
  host = {};
  extended_state_forget();
  auto bytes = read_as_kernel(kOne);
  const auto before = state_of(kOne);
  CHECK(std::equal(bytes.begin(), bytes.end(), before.begin()));
  bytes[0] ^= 1;
  bytes[kKernelsBytes - 1] ^= 1;
  CHECK(write_as_kernel(kOne, bytes) == 0);
  auto expected = before;
  expected[0] ^= 1;
  expected[kKernelsBytes - 1] ^= 1;
  CHECK(state_of(kOne) == expected);
}

TEST_CASE("A state that was read and not changed is not written, until its process runs") {
  host = {};
  extended_state_forget();
  const auto bytes = read_as_kernel(kOne);
  CHECK(write_as_kernel(kOne, bytes) == 0);
  CHECK(host.writes == 0);
  tracing_ptrace(PTRACE_SYSEMU, kOne, nullptr, nullptr);
  state_of(kOne)[100] ^= 1;  // by the process
  CHECK(write_as_kernel(kOne, bytes) == 0);
  CHECK(host.writes == 1);
  CHECK(std::equal(bytes.begin(), bytes.end(), state_of(kOne).begin()));
}

TEST_CASE("Processes' states are kept apart") {
  host = {};
  extended_state_forget();
  const auto one = read_as_kernel(kOne);
  const auto tail_of_other = std::vector(state_of(kOther).begin() + kKernelsBytes,
                                         state_of(kOther).end());
  CHECK(write_as_kernel(kOther, one) == 0);
  CHECK(std::equal(one.begin(), one.end(), state_of(kOther).begin()));
  CHECK(std::equal(tail_of_other.begin(), tail_of_other.end(),
                   state_of(kOther).begin() + kKernelsBytes));
  CHECK(read_as_kernel(kOne) == one);
}

TEST_CASE("A process that is gone is told of") {
  host = {};
  CHECK(write_as_kernel(kGone, std::vector<std::uint8_t>(kKernelsBytes)) == -1);
  CHECK(errno == ESRCH);
}

TEST_CASE("Readings of the time-stamp counter are answered, and the program runs on behind them") {
  host = {};
  constexpr std::uint64_t kStamp = 0x0123'4567'89ab'cdef;
  tracing_ptrace(PTRACE_SYSEMU, kOne, nullptr, nullptr);
  host.others.clear();
  host.registers.rip = 1000;
  host.registers.rcx = 77;
  SECTION("RDTSC") {
    host.code = 0xff'310f;
    REQUIRE(tracing_answered_time_stamp(kOne, kStamp));
    CHECK(host.registers.rip == 1002);
    CHECK(host.registers.rcx == 77);
  }
  SECTION("RDTSCP") {
    host.code = 0xff'f901'0f;
    REQUIRE(tracing_answered_time_stamp(kOne, kStamp));
    CHECK(host.registers.rip == 1003);
    CHECK(host.registers.rcx == 0);
  }
  CHECK(host.registers.rax == 0x89ab'cdef);
  CHECK(host.registers.rdx == 0x0123'4567);
  CHECK(host.others.empty());
  CHECK(tracing_resumed(kOne));
  CHECK(host.others == std::vector<std::pair<long, std::uintptr_t>>{{PTRACE_SYSEMU, 0}});
}

TEST_CASE("Bytes that a program's calls moved are counted once") {
  host = {};
  tracing_moved_bytes();
  const auto call = [](pid_t pid, long number, long result) {
    host.registers.orig_rax = static_cast<unsigned long long>(number);
    user_regs_struct seen{};
    tracing_ptrace(PTRACE_GETREGS, pid, nullptr, &seen);
    seen.rax = static_cast<unsigned long long>(result);
    return seen;
  };
  auto answer = call(kOne, SYS_read, 4096);
  CHECK(tracing_moved_bytes() == 0);
  tracing_ptrace(PTRACE_SETREGS, kOne, nullptr, &answer);
  tracing_ptrace(PTRACE_SETREGS, kOne, nullptr, &answer);
  CHECK(tracing_moved_bytes() == 4096);
  CHECK(tracing_moved_bytes() == 0);
  answer = call(kOne, SYS_write, -EIO);
  tracing_ptrace(PTRACE_SETREGS, kOne, nullptr, &answer);
  answer = call(kOne, SYS_mmap, 1 << 20);
  tracing_ptrace(PTRACE_SETREGS, kOne, nullptr, &answer);
  answer = call(kOne, SYS_pwrite64, 512);
  tracing_ptrace(PTRACE_SETREGS, kOther, nullptr, &answer);
  CHECK(tracing_moved_bytes() == 0);
}

TEST_CASE("An errand of the kernel's in a program's memory is no program that runs") {
  host = {};
  tracing_ptrace(PTRACE_SYSEMU, kOne, nullptr, nullptr);
  CHECK(tracing_runs_program());
  tracing_ptrace(PTRACE_CONT, kOne, nullptr, nullptr);
  CHECK_FALSE(tracing_runs_program());
}

TEST_CASE("Other faults are the program's own") {
  host = {};
  host.registers.rip = 1000;
  SECTION("another instruction") { host.code = 0xf4; }
  SECTION("a page that is not there") {
    host.code = 0x310f;
    host.fault_code = SEGV_MAPERR;
  }
  CHECK_FALSE(tracing_answered_time_stamp(kOne, 1));
  CHECK(host.registers.rip == 1000);
  CHECK(host.others.empty());
}

TEST_CASE("A program ends with the kernel that traces it") {
  host = {};
  constexpr long kOldSetOptions = 21;
  tracing_ptrace(kOldSetOptions, kOne, nullptr, reinterpret_cast<void*>(PTRACE_O_TRACESYSGOOD));
  CHECK(host.others == std::vector<std::pair<long, std::uintptr_t>>{
                           {PTRACE_SETOPTIONS, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL}});
}
