// Standard output whose reader does not read, or reads late.
#include "emulator/pace/report_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "catch.h"

using namespace platter::emulator;

namespace {

// A pipe in the place of standard output, as long as this lives.
class Output {
 public:
  Output() {
    REQUIRE(pipe(ends_.data()) == 0);
    REQUIRE(fcntl(ends_[1], F_SETPIPE_SZ, 4096) >= 4096);
    REQUIRE(dup2(ends_[1], STDOUT_FILENO) == STDOUT_FILENO);
  }
  ~Output() {
    give_back();
    for (const int each : {ends_[0], ends_[1], before_}) close(each);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void give_back() const { dup2(before_, STDOUT_FILENO); }
  void fill() const {
    const std::string bytes(4096, 'x');
    REQUIRE(write(ends_[1], bytes.data(), bytes.size()) == 4096);
  }
  std::string read_some() const {
    std::array<char, 4096> bytes{};
    const ssize_t got = read(ends_[0], bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

 private:
  std::array<int, 2> ends_{};
  int before_ = dup(STDOUT_FILENO);
};

double seconds_of(const auto& action) {
  const auto begun = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

// holds: emulators.md: Notices and reports that nobody
TEST_CASE("reports: one that nobody reads holds up neither who writes it nor the end") {
  const Output output;
  std::fputs("printed, and not written yet\n", stdout);
  output.fill();
  double write_s = 0, end_s = 0;
  {
    ReportWriter reports;
    write_s = seconds_of([&] {
      for (int i = 0; i < 100; ++i) reports.write(std::string(100'000, 'r'));
    });
    end_s = seconds_of([&] { reports.finish(); });
  }
  output.give_back();
  CHECK(write_s < 0.4);  // less than the patience of an end
  CHECK(end_s < 1);
  CHECK(output.read_some() == std::string(4096, 'x'));
}

TEST_CASE("reports: one that is read late is read whole") {
  const Output output;
  output.fill();
  const std::string report(100'000, 'r');
  std::string read;
  std::thread reader;
  {
    ReportWriter reports;
    reports.write(report);
    reader = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      while (read.size() < 4096 + report.size()) read += output.read_some();
    });
    reports.finish();
  }
  reader.join();
  output.give_back();
  CHECK(read == std::string(4096, 'x') + report);
}
