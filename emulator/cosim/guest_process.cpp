#include "emulator/cosim/guest_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "emulator/cosim/guest/record.h"
#include "emulator/cosim/kernel.h"
#include "model/error.h"
#include "model/file.h"

namespace platter::emulator {
namespace {

constexpr const char *kInit = "init", *kJob = "job";
// The kernel makes a folder of this name, for its process's number.
constexpr const char* kName = "guest";
// What the kernel is started as ends all with this one (preload/session.h).
constexpr int kEnd = SIGTERM;

[[noreturn]] void cannot(ExitStatus status, const std::string& what) {
  throw Error(status, fmt::format("{}: {}", what, std::strerror(errno)));
}

struct Pair {
  model::Descriptor ours{}, guests{};
};

Pair socket_pair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    cannot(ExitStatus::internal, "no socket can be made for the guest");
  return {model::Descriptor(ends[0]), model::Descriptor(ends[1])};
}

Pair pipe_from_guest() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    cannot(ExitStatus::internal, "no pipe can be made for the guest");
  return {model::Descriptor(ends[0]), model::Descriptor(ends[1])};
}

std::uint64_t free_mb(const std::string& folder) {
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) != 0) return 0;
  return std::uint64_t{status.f_bavail} * status.f_frsize >> 20;
}

// The guest's memory is a file without a name, best of a file system in memory.
std::string folder_for_memory(unsigned memory_mb, const std::string& otherwise) {
  constexpr unsigned kSpare_mb = 64;
  for (const std::string& folder : {std::string("/dev/shm"), otherwise})
    if (free_mb(folder) >= memory_mb + kSpare_mb) return folder;
  throw Error(ExitStatus::output, fmt::format("neither /dev/shm nor {} has room for a guest's "
                                              "memory of {} MB; free some, set TMPDIR to "
                                              "another folder, or give --memory fewer",
                                              otherwise, memory_mb));
}

// The same in every run: the kernel mixes its command line into its chance. What differs it finds
// in the folder that it is started in.
std::vector<std::string> kernel_arguments(const GuestSettings& settings) {
  const std::string folder = "/proc/self/cwd/";
  return {settings.programs.kernel,
          fmt::format("mem={}M", settings.memory_mb),
          "rootfstype=hostfs",
          "rootflags=/",
          "root=none",
          "ro",
          "init=" + folder + kInit,
          PLATTER_COSIM_JOB "=" + folder + kJob,
          "quiet",
          "console=null",
          "con=null",
          "ssl=null",
          fmt::format("ssl0=null,fd:{}", static_cast<int>(PLATTER_COSIM_OUTPUT)),
          "uml_dir=./",
          std::string("umid=") + kName,
          std::string("time-travel=ext:") + PLATTER_COSIM_CALENDAR_NAME,
          std::string("virtio_uml.device=") + PLATTER_COSIM_DRIVES_NAME + ":8"};
}

// Words and variables as exec wants them, whole before the fork: behind it nothing may allocate.
class Strings {
 public:
  explicit Strings(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (std::string& each : strings_) pointers_.push_back(each.data());
    pointers_.push_back(nullptr);
  }
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_{};
};

struct Inherited {
  int from, to;
};

// Past the numbers that they are to get, then to these.
bool place(std::vector<Inherited>& descriptors) {
  constexpr int kPast = 16;
  for (Inherited& each : descriptors)
    if ((each.from = fcntl(each.from, F_DUPFD_CLOEXEC, kPast)) < 0) return false;
  for (const Inherited& each : descriptors)
    if (dup2(each.from, each.to) < 0) return false;
  return true;
}

// The kernel lays its memory behind its heap, and makes it as much larger as the heap begins behind
// the program (linux_main() in arch/um/kernel/um_arch.c). Hosts put the heap anywhere, so a guest's
// memory would have another size in every run, and what is written back when depends on it. What is
// executed by this thread in our life has its heap at the same place always.
class FixedAddresses {
 public:
  FixedAddresses()
      : before_(personality(kAsk)),
        fixed_(before_ >= 0 &&
               personality(static_cast<unsigned>(before_) | ADDR_NO_RANDOMIZE) >= 0) {}
  ~FixedAddresses() {
    if (fixed_) personality(static_cast<unsigned>(before_));
  }
  FixedAddresses(const FixedAddresses&) = delete;
  FixedAddresses& operator=(const FixedAddresses&) = delete;
  bool are_fixed() const { return fixed_; }

 private:
  static constexpr unsigned long kAsk = 0xffffffff;
  int before_;
  bool fixed_;
};

}  // namespace

GuestProcess::GuestProcess(const GuestSettings& settings)
    : folder_(model::temporary_name("platter-cosim")) {
  if (folder_.path().empty())
    cannot(ExitStatus::output,
           "no folder for the guest can be made; set TMPDIR to one that can be written");
  model::write_file(folder_.file(kJob), settings.job);
  if (symlink(settings.programs.init.c_str(), folder_.file(kInit).c_str()) != 0)
    cannot(ExitStatus::output, "no link can be made in " + folder_.path());
  umid_leftover_.emplace(folder_.path() + "/" + kName);
  folder_.file(std::string(kName) + "/pid");
  make_page();
  start(settings);
}

GuestProcess::~GuestProcess() {
  kill();
  end();
  if (page_ != nullptr) munmap(page_, sizeof *page_);
}

void GuestProcess::make_page() {
  page_file_ = model::Descriptor(memfd_create("platter-cosim", MFD_CLOEXEC));
  if (page_file_.get() < 0 || ftruncate(page_file_.get(), sizeof *page_) != 0)
    cannot(ExitStatus::output, "no memory can be shared with the guest");
  void* const page = mmap(nullptr, sizeof *page_, PROT_READ | PROT_WRITE, MAP_SHARED,
                          page_file_.get(), 0);
  if (page == MAP_FAILED) cannot(ExitStatus::output, "no memory can be shared with the guest");
  page_ = static_cast<platter_cosim_page*>(page);
}

void GuestProcess::start(const GuestSettings& settings) {
  Pair calendar = socket_pair(), drives = socket_pair(), output = pipe_from_guest(),
       console = pipe_from_guest();
  const model::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const model::Descriptor preload(open(settings.programs.preload.c_str(), O_RDONLY | O_CLOEXEC));
  if (preload.get() < 0)
    throw Error(ExitStatus::missing_program,
                fmt::format("{} cannot be read: {}; install platter again",
                            settings.programs.preload, std::strerror(errno)));
  constexpr int kPreload = PLATTER_COSIM_DRIVES + 1;  // by its number, since LD_PRELOAD takes a
                                                      // space for an end
  const Strings arguments(kernel_arguments(settings));
  const std::string memory = folder_for_memory(
      settings.memory_mb, std::filesystem::path(folder_.path()).parent_path().string());
  const Strings environment(
      {"PATH=/usr/bin:/bin", "TMPDIR=" + memory,
       fmt::format("LD_PRELOAD=/proc/self/fd/{}", kPreload),
       fmt::format(PLATTER_COSIM_SEED "={}", settings.seed),
       fmt::format(PLATTER_COSIM_DATE "={}", settings.date_ns),
       fmt::format(PLATTER_COSIM_CPU "={}", settings.counts_cpu ? 1 : 0),
       fmt::format(PLATTER_COSIM_DELAY "={}", delay_function_of(settings.programs.kernel)),
       fmt::format(PLATTER_COSIM_CALL "={}", settings.call_ns)});
  std::vector<Inherited> descriptors{{nothing.get(), STDIN_FILENO},
                                     {console.guests.get(), STDOUT_FILENO},
                                     {console.guests.get(), STDERR_FILENO},
                                     {calendar.guests.get(), PLATTER_COSIM_CALENDAR},
                                     {page_file_.get(), PLATTER_COSIM_PAGE},
                                     {output.guests.get(), PLATTER_COSIM_OUTPUT},
                                     {drives.guests.get(), PLATTER_COSIM_DRIVES},
                                     {preload.get(), kPreload}};
  const pid_t parent = getpid();
  const FixedAddresses addresses;
  if (!addresses.are_fixed())
    doubt_ =
        "the host does not let the guest's memory begin at a fixed place (personality(2)), so that "
        "runs may differ";
  const model::SignalsHeld held;
  pid_ = fork();
  if (pid_ < 0) cannot(ExitStatus::internal, "the guest cannot be started");
  if (pid_ == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    prctl(PR_SET_PDEATHSIG, kEnd);
    setpgid(0, 0);  // a terminal's signals are ours
    if (getppid() == parent && chdir(folder_.path().c_str()) == 0 && place(descriptors))
      execve(settings.programs.kernel.c_str(), arguments.data(), environment.data());
    _exit(127);
  }
  helper_.emplace(pid_, kEnd);
  calendar_ = std::move(calendar.ours);
  drives_ = std::move(drives.ours);
  output_ = std::move(output.ours);
  console_ = std::move(console.ours);
}

void GuestProcess::kill() {
  if (pid_ > 0) ::kill(pid_, kEnd);
}

void GuestProcess::end() noexcept {
  if (pid_ <= 0) return;
  calendar_ = model::Descriptor();
  drives_ = model::Descriptor();
  rusage used{};
  while (wait4(pid_, nullptr, 0, &used) < 0 && errno == EINTR) {
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  cpu_seconds_ = seconds(used.ru_utime) + seconds(used.ru_stime);
  helper_.reset();
  pid_ = -1;
}

}  // namespace platter::emulator
