// The drive: a virtual drive keeps the time and answers what has nothing to do with data; contents,
// failures and what survives them are in here.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "contents.h"
#include "faults.h"
#include "served.h"
#include "virtual_drive/virtual_device.h"

namespace trust {

enum class Obeys : std::uint8_t { yes, refuses, lies };

// How the drive was built. Kept with what it holds.
struct Build {
  std::string drive = "small";  // a name of small_drives.h, or what follows virtual:
  std::uint64_t seed = 1;
  std::optional<std::string> serial;  // not there: the model's
  bool has_serial = true;
  Torn torn = Torn::unreadable;
  Obeys synchronize = Obeys::yes;
  Obeys forced_reads = Obeys::yes, forced_writes = Obeys::yes;
  bool verifies = true;
  bool descriptor_sense = false;
  std::uint32_t lowest_aligned = 0;
  std::optional<bool> write_cache;  // as the user set it; the saved value is the other one, perhaps

  Json to_json() const;
  static Build from_json(const Json& json);
};

using Page = std::vector<std::uint8_t>;
using Pages = std::map<std::uint16_t, Page>;  // by code | subpage << 8

struct State {
  Build build;
  std::uint64_t starts = 0, power_losses = 0;
  bool powered = false;  // it was on when its program ended
  Json contents, other;  // of the drive, and of the one that took its place
  Pages at_first, saved, current;

  Json to_json() const;
  static State from_json(const Json& json);
};

// Lines of JSON, each there before the next command.
class Log {
 public:
  Log() = default;
  explicit Log(const std::string& path) : file_(path, std::ios::app) {}
  void line(const Json& json) {
    if (file_.is_open()) file_ << json.dump() << "\n" << std::flush;
  }

 private:
  std::ofstream file_;
};

// Thrown through the server: the program ends, with the state that the drive is in then.
struct PowerLost {};
struct Vanished {};
struct Hung {};

class AttackedDrive final : public Served {
 public:
  AttackedDrive(State& state, std::vector<Fault> faults, Log& log, int host);
  ~AttackedDrive() override;

  std::int64_t now_ns() override;
  void advance_to(std::int64_t time_ns) override;
  void submit(const platter::scsi::Command& command, std::uint32_t tag) override;
  std::optional<Done> reap() override;
  std::optional<Done> reap_until(std::int64_t time_ns) override;
  void reset() override;

  // The power goes, whatever is under way.
  void lose_power();
  // What the program leaves for its next start.
  void save();

  const Contents& contents() const { return *contents_; }
  const Pages& pages() const { return pages_; }

 private:
  struct InFlight;
  struct Deferred;

  void power_up();
  Pages all_pages();
  void set_pages(const Pages& pages);
  platter::scsi::Completion execute(const platter::scsi::Command& command);
  void drain();
  bool write_cache() const;
  bool read_cache() const;
  Nature nature_of(const platter::scsi::Command& command) const;
  void decide(InFlight& flight);
  void act(Kind kind, InFlight& flight);
  void act_later(Kind kind);
  platter::scsi::Command forwarded(const InFlight& flight) const;
  Done finish(platter::scsi::Completion completion);
  void finish_read(InFlight& flight, platter::scsi::Completion& completion);
  void finish_write(InFlight& flight, platter::scsi::Completion& completion);
  void finish_sync(InFlight& flight);
  void finish_verify(InFlight& flight, platter::scsi::Completion& completion);
  void finish_select(const InFlight& flight);
  void change_what_is_told(const InFlight& flight, platter::scsi::Completion& completion) const;
  Bytes sense(std::uint8_t key, std::uint8_t asc, std::uint8_t ascq,
              std::optional<std::uint64_t> lbn = {}, bool is_deferred = false,
              std::optional<bool> descriptor = {}) const;
  void forget_settings();
  void report(const char* event, std::uint64_t lbn, std::uint64_t blocks,
              Json more = Json::object());
  void log_torn(const std::vector<std::uint64_t>& blocks);
  void kill_host(int signal);

  State& state_;
  std::vector<Fault> faults_;
  Log& log_;
  int host_;
  std::unique_ptr<platter::virtual_drive::VirtualDevice> device_;
  std::unique_ptr<Contents> contents_, other_;
  std::mt19937_64 random_;
  Pages pages_;
  std::map<std::uint32_t, InFlight> flights_;
  std::map<std::uint64_t, std::uint32_t> longest_;  // blocks of the longest write from an LBN on
  std::vector<Bytes> attentions_;                   // sense data that wait for the next command
  std::unique_ptr<Deferred> deferred_;
  std::vector<Kind> later_;         // once nothing is outstanding
  std::optional<Bytes> unfetched_;  // sense for REQUEST SENSE
  bool protected_ = false, spun_down_ = false, replaced_ = false;
  std::map<Class, std::uint64_t> counts_;
};

}  // namespace trust
