#include "transport/kernel_stamps.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "model/quietly.h"
#include "transport/sysfs.h"

namespace platter::transport {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInstance = "platter-";
constexpr std::string_view kStart = ": scsi_dispatch_cmd_start: ",
                           kDone = ": scsi_dispatch_cmd_done: ";

// ---------------------------------------------------------------- the trace's text

struct UnitNumbers {
  std::string host, channel, id, lun;
};

std::optional<UnitNumbers> numbers_of(const std::string& unit) {
  std::array<std::string, 4> parts;
  std::size_t part = 0;
  for (const char c : unit) {
    if (c == ':') {
      if (++part == parts.size()) return std::nullopt;
    } else if (c >= '0' && c <= '9') {
      parts[part] += c;
    } else {
      return std::nullopt;
    }
  }
  for (const std::string& number : parts)
    if (number.empty()) return std::nullopt;
  return UnitNumbers{parts[0], parts[1], parts[2], parts[3]};
}

// "[CPU] flags seconds.microseconds", behind which the event's name begins.
std::optional<Nanoseconds> time_at_end_of(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  const std::size_t begin = text.find_last_of(' ') + 1;  // npos + 1 is 0
  const std::string_view time = text.substr(begin);
  const std::size_t point = time.find('.');
  if (point == time.npos || time.size() - point - 1 != kDigits) return std::nullopt;
  Nanoseconds seconds = 0, microseconds = 0;
  const auto read = [](std::string_view digits, Nanoseconds& number) {
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, number);
    return error == std::errc() && rest == end && number >= 0;
  };
  constexpr Nanoseconds kLatest_s = 1'000'000'000;
  if (!read(time.substr(0, point), seconds) || seconds > kLatest_s ||
      !read(time.substr(point + 1), microseconds))
    return std::nullopt;
  return seconds * kSecond + microseconds * kMicrosecond;
}

// ---------------------------------------------------------------- tracefs

bool write_to(const fs::path& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  return file.get() >= 0 &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

fs::path event(const fs::path& folder, const char* name) {
  return folder / "events/scsi" / (std::string("scsi_dispatch_cmd_") + name);
}

std::optional<fs::path> tracing(const std::string& root) {
  for (const char* const place : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    const fs::path folder = root + place;
    if (present(folder / "instances") && present(event(folder, "start")) &&
        present(event(folder, "done")))
      return folder;
  }
  return std::nullopt;
}

// One of our own number is of an earlier process that had it.
bool may_be_in_use(const fs::path& instance) {
  const std::string name = instance.filename().string();
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kInstance.size(), end, pid);
  if (error != std::errc() || rest != end || pid <= 0) return true;  // none of ours
  return pid != ::getpid() && (::kill(pid, 0) == 0 || errno != ESRCH);
}

void remove_what_was_left(const fs::path& instances, const InstanceFolders& folders) {
  for (const fs::path& instance : entries(instances))
    if (instance.filename().string().starts_with(kInstance) && !may_be_in_use(instance))
      folders.remove(instance);
}

class EventsOn final : public scsi::Stamping {
 public:
  EventsOn(const fs::path& instance, const std::string& unit) : instance_(instance), unit_(unit) {}
  ~EventsOn() override {
    model::quietly([this] { turn("0"); });
  }

  bool begin() {
    return write_to(instance_ / "trace", "") && turn("1");  // what was in it is gone
  }
  std::vector<scsi::Stamp> stamps() override {
    std::ifstream trace(instance_ / "trace");
    const std::string text{std::istreambuf_iterator<char>(trace), std::istreambuf_iterator<char>()};
    return stamps_in(text, unit_);
  }

 private:
  bool turn(const char* on) {
    const bool start = write_to(event(instance_, "start") / "enable", on);
    return write_to(event(instance_, "done") / "enable", on) && start;
  }

  fs::path instance_;
  std::string unit_;
};

}  // namespace

const InstanceFolders kTracefs{
    [](const fs::path& folder) { return ::mkdir(folder.c_str(), 0700) == 0; },
    [](const fs::path& folder) { return ::rmdir(folder.c_str()) == 0; }};

std::vector<scsi::Stamp> stamps_in(std::string_view trace, const std::string& unit) {
  const auto numbers = numbers_of(unit);
  if (!numbers) return {};
  const std::string prefix = fmt::format("host_no={} channel={} id={} lun={} ", numbers->host,
                                         numbers->channel, numbers->id, numbers->lun);
  std::vector<scsi::Stamp> stamps;
  constexpr Nanoseconds kNotStarted = -1;
  Nanoseconds started_ns = kNotStarted;
  while (!trace.empty()) {
    const std::size_t end = std::min(trace.find('\n'), trace.size());
    const std::string_view line = trace.substr(0, end);
    trace.remove_prefix(std::min(end + 1, trace.size()));
    if (line.starts_with("CPU:") && line.find("LOST") != line.npos) started_ns = kNotStarted;
    // A process may be called whatever it likes, but for so long a name.
    const std::size_t start = line.find(kStart), done = line.find(kDone),
                      name = std::min(start, done);
    if (name == line.npos) continue;
    const std::string_view fields = line.substr(name + (name == start ? kStart : kDone).size());
    if (!fields.starts_with(prefix) || fields.find("cmnd=(TEST_UNIT_READY ") == fields.npos)
      continue;
    const auto time_ns = time_at_end_of(line.substr(0, name));
    if (name == done && started_ns != kNotStarted && time_ns)
      stamps.push_back({started_ns, *time_ns});
    // The adapter may turn a command away, which is then handed over again.
    started_ns = name == start ? time_ns.value_or(kNotStarted) : kNotStarted;
  }
  return stamps;
}

std::unique_ptr<KernelStamps> KernelStamps::of(const std::string& unit, const std::string& root,
                                               const InstanceFolders& folders) {
  const auto folder = tracing(root);
  if (!folder || !numbers_of(unit)) return nullptr;
  remove_what_was_left(*folder / "instances", folders);
  const fs::path instance = *folder / "instances" / fmt::format("{}{}", kInstance, ::getpid());
  if (!folders.make(instance)) return nullptr;
  std::unique_ptr<KernelStamps> stamps(new KernelStamps(instance, unit, folders));
  return stamps->prepare() ? std::move(stamps) : nullptr;
}

KernelStamps::~KernelStamps() {
  held_ = Descriptor();
  model::quietly([this] { folders_.remove(instance_); });
}

bool KernelStamps::prepare() {
  held_ = Descriptor(::open((instance_ / "trace_marker").c_str(), O_WRONLY | O_CLOEXEC));
  const auto unit = numbers_of(unit_);
  const std::string filter = fmt::format(
      "host_no=={} && channel=={} && id=={} && lun=={} && "
      "opcode==0",
      unit->host, unit->channel, unit->id, unit->lun);
  constexpr const char* kBuffer_kb = "256";  // of each processor; 200 commands take 30
  return held_.get() >= 0 && write_to(instance_ / "trace_clock", "mono_raw") &&  // HostClock's
         write_to(instance_ / "buffer_size_kb", kBuffer_kb) &&
         write_to(event(instance_, "start") / "filter", filter) &&
         write_to(event(instance_, "done") / "filter", filter);
}

std::unique_ptr<scsi::Stamping> KernelStamps::stamp() {
  auto on = std::make_unique<EventsOn>(instance_, unit_);
  return on->begin() ? std::move(on) : nullptr;
}

}  // namespace platter::transport
