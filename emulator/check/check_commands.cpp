#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>

#include "emulator/check/log_checker.h"
#include "emulator/scsi/block_request.h"
#include "emulator/scsi/command_log.h"
#include "scsi/device.h"
#include "virtual_drive/target.h"

namespace platter::emulator {
namespace {

using virtual_drive::Target;

constexpr std::uint32_t kMiscompare = 0x0e1d00;

class CommandChecker : public LogChecker {
 public:
  CommandChecker(LogReader& log, const nlohmann::json& told, const std::vector<LoggedDrive>& drives)
      : LogChecker(log, drives), failed_(drives.size(), false) {
    for (std::size_t i = 0; i < drives.size(); ++i) add_target(drives[i], told[i]);
  }

 private:
  void add_target(const LoggedDrive& drive, const nlohmann::json& told) {
    if (!drive.model) log_.bad("a log of commands needs model files, and a table is given");
    model::DriveModel model = *drive.model;
    if (model.imperfections) model.imperfections->seed = told.at("seed").get<std::uint64_t>();
    Target& target = targets_.emplace_back(model);
    if (target.zones().empty()) return;
    if (told.at("write_cache_loss").get<bool>()) target.lose_cache();
    const auto& zones = told.at("zones");
    if (zones.size() != target.zones().zones().size()) log_.bad("it is of other zones");
    for (std::size_t i = 0; i < zones.size(); ++i)
      if (!target.zones().restore(
              i, {zones[i].at(1).get<std::uint64_t>(), zones[i].at(0).get<std::uint8_t>()}))
        log_.bad("no zone is so");
  }

  void check_line() override {
    const auto [drive, kind] = read_head(targets_.size());
    if (kind == 'e') return check_episode(drive);
    Target& target = targets_[drive];
    switch (kind) {
      case 'c':
        submit(target, drive);
        break;
      case 't':
        take(drive);
        break;
      case 'n': {
        const Nanoseconds now_ns = log_.time();
        if (target.take(now_ns))
          differs(fmt::format("nothing was due at {} ns, and the target has something", now_ns));
        break;
      }
      case 'a': {
        const std::uint32_t tag = read_tag();
        target.abort(tag, log_.time());
        episodes_.gone(drive, tag);
        break;
      }
      case 'r':
        target.reset(log_.time());
        episodes_.all_gone(drive);
        break;
      case 'p':
        target.power_cycle(log_.time());
        episodes_.all_gone(drive);
        break;
      case 'x':  // from here on contents tell what comes
        failed_[drive] = true;
        log_.number();
        break;
      case 'd':  // when the host had it is not the target's to say
        log_.number();
        log_.number();
        break;
      default:
        log_.bad("no line is of such a kind");
    }
    log_.end();
    target.next_due();  // the emulator looks after each question
  }

  std::vector<std::uint8_t> bytes() {
    const std::string_view digits = log_.word();
    if (digits == "-") return {};
    if (digits.size() % 2 != 0) log_.bad("half a byte is missing");
    const auto value = [&](char digit) {
      if (digit >= '0' && digit <= '9') return digit - '0';
      if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
      log_.bad("something is no hexadecimal digit");
    };
    std::vector<std::uint8_t> found;
    for (std::size_t i = 0; i < digits.size(); i += 2)
      found.push_back(static_cast<std::uint8_t>(16 * value(digits[i]) + value(digits[i + 1])));
    return found;
  }

  void submit(Target& target, std::size_t drive) {
    const std::uint32_t tag = read_tag();
    if (target.holds(tag)) log_.bad("that tag is outstanding");
    const Nanoseconds issued_ns = log_.time();
    scsi::Command command;
    command.attribute = static_cast<scsi::Attribute>(log_.number(0, 2, "no attribute is such"));
    command.direction = static_cast<scsi::Direction>(log_.number(0, 2, "no direction is such"));
    command.transfer_length =
        static_cast<std::uint32_t>(log_.number(0, kMost32, "no transfer is so large"));
    const std::vector<std::uint8_t> cdb = bytes();
    if (cdb.empty() || cdb.size() > command.cdb.size()) log_.bad("no CDB is of such a length");
    std::ranges::copy(cdb, command.cdb.begin());
    command.cdb_length = static_cast<std::uint8_t>(cdb.size());
    command.data = bytes();
    command.keep_data = !moves_blocks(command.opcode());
    const auto blocks = block_request_of(command);
    if (blocks) will_pass(blocks->blocks);
    target.submit(command, tag, issued_ns);
    if (blocks) episodes_.came(drive, tag, blocks->kind, blocks->lbn, blocks->blocks, issued_ns);
  }

  void take(std::size_t drive) {
    const std::uint32_t tag = read_tag();
    const Nanoseconds completed_ns = log_.time();
    const std::int64_t status = log_.number(), residual = log_.number(), sense = log_.number();
    const auto done = targets_[drive].take(completed_ns);
    episodes_.answered(drive, tag, completed_ns);
    if (failed_[drive]) {
      ++found_.left_out;
      return;
    }
    ++found_.completions;
    if (!done) {
      differs(fmt::format("tag {} at {} ns, and the target has none", tag, completed_ns));
      return;
    }
    // Whether blocks differ only the contents tell, and the time is that of reading them.
    const bool same_status = sense == kMiscompare ||
                             (static_cast<int>(done->status) == status &&
                              done->residual == residual && sense_number(*done) == sense);
    if (done->tag != tag || done->completed_ns != completed_ns || !same_status)
      differs(
          fmt::format("tag {} at {} ns with status {:02X}h, sense {:06X}h, residual {}, and the "
                      "target says tag {} at {} ns with {:02X}h, {:06X}h, {}",
                      tag, completed_ns, status, sense, residual, done->tag, done->completed_ns,
                      static_cast<int>(done->status), sense_number(*done), done->residual));
  }

  std::deque<Target> targets_{};
  std::vector<bool> failed_;
};

}  // namespace

CheckedLog check_commands(LogReader& log, const nlohmann::json& told,
                          const std::vector<LoggedDrive>& drives) {
  return CommandChecker(log, told, drives).check();
}

}  // namespace platter::emulator
