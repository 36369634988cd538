// Reports on standard output, which nobody has to read: in a pipe or on a terminal they wait in a
// thread of their own, and hold up neither the drives nor the end.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "model/descriptor.h"

namespace platter::emulator {

class ReportWriter {
 public:
  // To what is standard output now.
  ReportWriter();
  ~ReportWriter();
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;

  // Returns at once. One that waits behind another that nobody reads is dropped for this one.
  void write(std::string report);
  // Waits for half a second at most, and tells on standard error what was not read by then.
  void finish() noexcept;

 private:
  void run();
  bool write_all(std::string_view report);

  model::Descriptor file_, stop_;
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::optional<std::string> next_{};
  bool busy_ = false, ends_ = false;
  int error_ = 0;         // of the first that could not be written
  std::thread thread_{};  // from the first report on: behind a fork of whoever serves
};

}  // namespace platter::emulator
