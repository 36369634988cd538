// The golden texts are of a Linux 6.1 (Debian's) with two disks, printed by its tracefs.
#include "transport/kernel_stamps.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>

#include "catch.h"
#include "machine.h"
#include "source_folder.h"

namespace platter::transport {
namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string golden(const std::string& name) {
  const std::string text = text_of(source_folder() + "/tests/golden/kernel_stamps/" + name);
  REQUIRE_FALSE(text.empty());
  return text;
}

std::string without(std::string text, const std::string& line_with) {
  const std::size_t at = text.find(line_with);
  REQUIRE(at != text.npos);
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.erase(begin, text.find('\n', at) + 1 - begin);
}

std::vector<Nanoseconds> microseconds(const std::vector<scsi::Stamp>& stamps) {
  std::vector<Nanoseconds> all;
  for (const scsi::Stamp& stamp : stamps) {
    CHECK(stamp.dispatched_ns % kMicrosecond == 0);
    all.push_back(stamp.dispatched_ns / kMicrosecond);
    all.push_back(stamp.returned_ns / kMicrosecond);
  }
  return all;
}

using Times = std::vector<Nanoseconds>;

// A machine's tracefs, of ordinary files. What the kernel does in it two functions do.
const char* const kEvents[] = {"start", "done"};

fs::path event(const fs::path& folder, const std::string& name) {
  return folder / "events/scsi" / ("scsi_dispatch_cmd_" + name);
}

bool make(const fs::path& instance) {
  if (!fs::create_directory(instance)) return false;
  for (const char* const file : {"trace", "trace_clock", "trace_marker", "buffer_size_kb"})
    std::ofstream(instance / file) << "as the kernel has it\n";
  for (const char* const name : kEvents) {
    fs::create_directories(event(instance, name));
    std::ofstream(event(instance, name) / "enable") << "0";
    std::ofstream(event(instance, name) / "filter") << "none\n";
  }
  return true;
}

bool remove(const fs::path& instance) { return fs::remove_all(instance) > 0; }

bool make_none(const fs::path&) { return false; }

bool make_without_filters(const fs::path& instance) {
  if (!make(instance)) return false;
  for (const char* const name : kEvents) fs::remove(event(instance, name) / "filter");
  return true;
}

class TracingMachine : public Machine {
 public:
  explicit TracingMachine(const std::string& place = "sys/kernel/tracing")
      : tracing_(fs::path(root()) / place) {
    fs::create_directories(tracing_ / "instances");
    for (const char* const name : kEvents) {
      fs::create_directories(event(tracing_, name));
      std::ofstream(event(tracing_, name) / "enable") << "0";
    }
    std::ofstream(tracing_ / "trace_clock") << "[local]";
  }
  fs::path tracing() const { return tracing_; }
  fs::path own() const {
    return tracing_ / "instances" / ("platter-" + std::to_string(::getpid()));
  }
  std::size_t instances() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(tracing_ / "instances"), fs::directory_iterator()));
  }

 private:
  fs::path tracing_;
};

// A process that is no more.
pid_t dead() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = 0;
  ::waitpid(child, &status, 0);
  return child;
}

}  // namespace

TEST_CASE("Of two drives' commands each unit's own are paired, whatever a process is called") {
  const std::string text = golden("two_drives.txt");
  CHECK(microseconds(stamps_in(text, "0:0:0:0")) ==
        Times{4480181, 4480363, 4536640, 4536821, 4575673, 4575822});
  CHECK(microseconds(stamps_in(text, "1:0:1:0")) == Times{4505818, 4505961, 4610759, 4610860});
  CHECK(stamps_in(text, "0:0:0:1").empty());
  CHECK(stamps_in(text, "10:0:0:0").empty());
  CHECK(stamps_in(text, "").empty());
  CHECK(stamps_in(text, "0:0:0").empty());
  CHECK(stamps_in(text, "0:0:0:0:0").empty());
  CHECK(stamps_in(text, "0:0:0:x").empty());
}

TEST_CASE("What is not paired in the trace, or has lost events between, tells nothing") {
  const std::string text = golden("lost_events.txt");
  CHECK(microseconds(stamps_in(text, "0:0:0:0")) ==
        Times{4680373, 4680409, 4683923, 4683961});  // not the first done, nor the last start
  const std::string across = without(without(text, "4.680409: "), "4.683923: ");
  REQUIRE(across.find("LOST") != across.npos);
  CHECK(stamps_in(across, "0:0:0:0").empty());
  // A command that the adapter turned away first is handed over twice.
  CHECK(microseconds(stamps_in(without(without(text, "4.680409: "), "LOST"), "0:0:0:0")) ==
        Times{4683923, 4683961});
}

TEST_CASE("Other commands, torn lines and times that are none are passed over") {
  const std::string text = golden("two_drives.txt");
  const std::string unit = "1:0:1:0";
  const auto with = [&](const std::string& a, const std::string& b) {
    return microseconds(stamps_in(std::regex_replace(text, std::regex(a), b), unit));
  };
  CHECK(with("TEST_UNIT_READY", "READ_10").empty());
  CHECK(with("4\\.505818", "4.5058189") == Times{4610759, 4610860});
  CHECK(with("4\\.505961", "-4.505961") == Times{4610759, 4610860});
  CHECK(with("4\\.505961", "99999999999999999999.505961") == Times{4610759, 4610860});
  for (std::size_t length = 0; length < text.size(); length += 7)
    CHECK(stamps_in(std::string_view(text).substr(0, length), unit).size() <= 2);
}

TEST_CASE("An instance of our own is made, set, and taken away; nothing else is touched") {
  const TracingMachine machine;
  {
    const auto stamps = KernelStamps::of("0:0:1:0", machine.root(), {make, remove});
    REQUIRE(stamps);
    CHECK(text_of(machine.own() / "trace_clock") == "mono_raw");
    for (const char* const name : kEvents) {
      CHECK(text_of(event(machine.own(), name) / "filter") ==
            "host_no==0 && channel==0 && id==1 && lun==0 && opcode==0");
      CHECK(text_of(event(machine.own(), name) / "enable") == "0");
    }
    {
      const auto stamping = stamps->stamp();
      REQUIRE(stamping);
      for (const char* const name : kEvents)
        CHECK(text_of(event(machine.own(), name) / "enable") == "1");
      CHECK(stamping->stamps().empty());  // what was in it before is gone
      std::string text = golden("two_drives.txt");
      std::ofstream(machine.own() / "trace")
          << std::regex_replace(text, std::regex("host_no=1 "), "host_no=0 ");
      CHECK(stamping->stamps().size() == 2);
    }
    for (const char* const name : kEvents)
      CHECK(text_of(event(machine.own(), name) / "enable") == "0");
  }
  CHECK(machine.instances() == 0);
  CHECK(text_of(machine.tracing() / "trace_clock") == "[local]");
  for (const char* const name : kEvents)
    CHECK(text_of(event(machine.tracing(), name) / "enable") == "0");
}

TEST_CASE("What a run left that was killed the next one takes away, and nothing else") {
  const TracingMachine machine("sys/kernel/debug/tracing");  // an older mount
  const fs::path instances = machine.tracing() / "instances";
  REQUIRE(make(instances / ("platter-" + std::to_string(dead()))));
  REQUIRE(make(machine.own()));  // a process that had our number
  const std::string alive = "platter-" + std::to_string(::getppid());
  for (const std::string& kept : {alive, std::string("platter-"), std::string("platter-7x"),
                                  std::string("platter-0"), std::string("somebody")})
    REQUIRE(make(instances / kept));
  REQUIRE(KernelStamps::of("0:0:0:0", machine.root(), {make, remove}));
  CHECK(machine.instances() == 5);
  CHECK(fs::exists(instances / alive));
}

TEST_CASE("Where there is no tracing, or no instance to be had, there are no stamps") {
  CHECK_FALSE(KernelStamps::of("0:0:0:0", Machine().root(), {make, remove}));
  const TracingMachine machine;
  CHECK_FALSE(KernelStamps::of("0:0:0:0", machine.root(), {make_none, remove}));
  CHECK_FALSE(KernelStamps::of("0:0:0:0", machine.root(), {make_without_filters, remove}));
  CHECK_FALSE(KernelStamps::of("", machine.root(), {make, remove}));
  CHECK(machine.instances() == 0);
}

}  // namespace platter::transport
