// A log's lines on their way to its file. Who adds a line is in a hurry: it is copied, and a thread
// of ordinary priority writes it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace platter::emulator {

// A log's first line. `requests`: what its drives are asked in; `drives`: an object for each.
std::string log_head(std::string_view requests, int speed, const std::vector<std::string>& drives);

class LogWriter {
 public:
  // Creates the file, or empties it. Throws Error(output).
  explicit LogWriter(const std::string& path);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // A line without its end. Any thread. No allocation, no system call unless the disk under the
  // log is so slow that what was kept for it is full.
  void line(std::string_view text);
  // All lines so far are in the file. "" or a sentence: what could not be written, and why.
  std::string finish();

 private:
  void write_now(std::unique_lock<std::mutex>& lock);
  void run();

  std::string path_;
  int file_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string filling_, writing_;
  bool busy_ = false;  // writing_ is on its way
  bool ends_ = false;
  int error_ = 0;  // errno of the first write that failed
  std::thread writer_;
};

}  // namespace platter::emulator
