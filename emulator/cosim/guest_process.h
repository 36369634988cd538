// The guest's kernel as a child process: user-mode Linux in time-travel mode, with what is
// preloaded into it, and with the descriptors of guest_link.h. It ends with us, and leaves nothing
// behind.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/cosim/guest_link.h"
#include "emulator/vhost_user/message.h"
#include "model/leftovers.h"

namespace platter::emulator {

// Files of ours; a kernel of the user's or of ours.
struct GuestPrograms {
  std::string kernel{}, init{}, preload{};
};

struct GuestSettings {
  GuestPrograms programs{};
  std::string job{};  // job_file()
  unsigned memory_mb = 512;
  std::uint64_t seed = 1;
  std::uint64_t date_ns = 0;  // of its clock at the start, since the epoch
  bool counts_cpu = false;    // the page's cpu_ns
  std::uint64_t call_ns = 0;  // what a system call takes of its time, or a page fault
};

class GuestProcess {
 public:
  // Throws Error(output) where the host has no memory or folder for it, Error(internal).
  explicit GuestProcess(const GuestSettings& settings);
  // Ends it.
  ~GuestProcess();
  GuestProcess(const GuestProcess&) = delete;
  GuestProcess& operator=(const GuestProcess&) = delete;

  int calendar() const { return calendar_.get(); }
  int drives() const { return drives_.get(); }
  int output() const { return output_.get(); }    // process 1's records
  int console() const { return console_.get(); }  // what the kernel prints
  platter_cosim_page& page() { return *page_; }

  // Why runs may differ on this host; empty: they do not.
  const std::string& doubt() const { return doubt_; }
  // At once; end() has still to be called.
  void kill();
  // After its sockets are closed, or to close them: waits for its end.
  void end() noexcept;
  // What it took of the host's processors, once it has ended.
  double cpu_seconds() const { return cpu_seconds_; }

 private:
  void make_page();
  void start(const GuestSettings& settings);

  model::TemporaryFolder folder_;
  std::optional<model::Leftover> umid_leftover_{};
  model::Descriptor page_file_{}, calendar_{}, drives_{}, output_{}, console_{};
  platter_cosim_page* page_ = nullptr;
  pid_t pid_ = -1;
  std::optional<model::Helper> helper_{};
  std::string doubt_{};
  double cpu_seconds_ = 0;
};

}  // namespace platter::emulator
