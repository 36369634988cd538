// `exec:COMMAND`: any program as a drive, by the external drive protocol, version 2. Time is the
// drive's own, as carried in its messages; the host's clock only ends the wait for a dead program.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scsi/device.h"
#include "transport/process.h"

namespace platter::transport {

struct ExecLimits {
  std::chrono::milliseconds hello{60'000};   // host time until the program has started
  std::chrono::milliseconds reply{600'000};  // host time until a request is answered
};

class ExecDevice final : public scsi::Device {
 public:
  // `command` is what follows "exec:". Throws Error: usage (words), no_device (cannot be started),
  // protocol (it does not greet as it should).
  explicit ExecDevice(const std::string& command, ExecLimits limits = {});

  const std::string& name() const override { return name_; }
  scsi::Clock& clock() override { return clock_; }
  std::uint32_t max_outstanding() const override { return 256; }
  std::uint32_t max_transfer_bytes() const override;  // of the protocol's 16 MiB

  // Refuses (Kind::refused) what exceeds the protocol's 16 MiB, a duplicate tag, a CDB length that
  // the protocol lacks.
  scsi::Expected<void> submit(const scsi::Command& command, std::uint32_t tag) override;
  scsi::Expected<std::optional<scsi::Completion>> reap() override;
  scsi::Expected<std::optional<scsi::Completion>> reap_until(Nanoseconds deadline_ns) override;
  scsi::Expected<void> reset() override;

 private:
  class VirtualClock final : public scsi::Clock {
   public:
    Nanoseconds now_ns() override { return now; }
    void sleep_until_ns(Nanoseconds deadline_ns) override { reach(deadline_ns); }
    void reach(Nanoseconds time_ns) { now = time_ns > now ? time_ns : now; }
    Nanoseconds now = 0;
  };

  enum class Kind : std::uint8_t { command = 0, wait = 1, reset = 2, advance = 3 };

  // What a reply is checked against.
  struct Outstanding {
    std::string_view what;  // name of the command
    scsi::Direction direction;
    std::uint32_t transfer_length;
    Nanoseconds issued_ns;
    bool keep_data;
  };

  struct Reply {
    bool none = false;  // status FFh
    scsi::Completion completion;
  };

  void greet();
  void encode(Kind kind, Nanoseconds issue_ns, std::uint32_t tag, const scsi::Command* command);
  scsi::Expected<void> flush(bool more);
  scsi::Expected<Reply> exchange(Kind kind, Nanoseconds issue_ns, std::uint32_t tag = 0);
  scsi::Expected<Reply> receive(Kind kind, Nanoseconds issue_ns, std::uint32_t tag);
  scsi::Expected<Reply> parse(Kind kind, Nanoseconds issue_ns, std::uint32_t tag,
                              std::vector<std::uint8_t>& body);
  scsi::Expected<void> advance(Nanoseconds time_ns);
  scsi::Completion next_arrived();
  tl::unexpected<scsi::TransportError> fail(scsi::TransportError::Kind kind, std::string sentence);
  tl::unexpected<scsi::TransportError> malformed(std::string_view what, std::string_view field,
                                                 const std::string& why);

  std::string name_;
  ExecLimits limits_;
  Process process_;
  VirtualClock clock_;
  Nanoseconds reported_ns_ = 0;  // the latest time that the drive has reported
  Nanoseconds last_issue_ns_ = 0;
  std::unordered_map<std::uint32_t, Outstanding> outstanding_;  // sent, or about to be
  std::vector<std::uint8_t> unsent_;  // the last submitted request: what follows decides `more`
  std::string_view last_command_ = "the hello";  // the last one sent, for sentences
  std::deque<scsi::Completion> arrived_;         // completed while time advanced, not yet reaped
  std::vector<std::uint8_t> body_;
  std::optional<scsi::TransportError> broken_;  // after a failure there is no way to go on
};

}  // namespace platter::transport
