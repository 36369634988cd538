// A virtual drive behind `exec:`: served_drive MODEL.json [OPTIONS]. Whatever the host says is done
// by the drive of that model.
//
//   --solid-state        VPD page B1h says that it does not rotate
//   --log FILE           gets the opcode of each command, in hex
//   --time FILE          gets the drive's seconds and commands, a line each time it ends
//   --account FILE       gets what it was asked and its own processor time, a line of JSON
//   --turned-for NS      it was switched on so long before its time 0: its platter's phase is
//   another
//   --at SECONDS WHAT    from then on: kill (the host's program), interrupt (it), vanish
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/json.h"
#include "scsi/bytes.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;

namespace {

struct Options {
  std::string model, log, time, account, what;
  bool solid_state = false;
  Nanoseconds turned_for = 0;
  std::optional<double> at_s;
};

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--solid-state")
      options.solid_state = true;
    else if (word == "--log" && i + 1 < count)
      options.log = words[++i];
    else if (word == "--time" && i + 1 < count)
      options.time = words[++i];
    else if (word == "--account" && i + 1 < count)
      options.account = words[++i];
    else if (word == "--turned-for" && i + 1 < count)
      options.turned_for = std::stoll(words[++i]);
    else if (word == "--at" && i + 2 < count)
      options.at_s = std::stod(words[++i]), options.what = words[++i];
    else
      options.model = word;
  }
  return options;
}

template <class T>
T get(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);  // the protocol's byte order is the host's, in these
                                             // tests
  return value;
}

template <class T>
void put(std::vector<std::uint8_t>& out, T value) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

struct Request {
  Nanoseconds issue_ns = 0;
  std::uint32_t tag = 0;
  std::uint8_t kind = 0;
  bool more = false;
  scsi::Command command;
};

bool hear(Request& request) {
  std::array<std::uint8_t, 4> length{};
  if (std::fread(length.data(), 1, 4, stdin) != 4) return false;
  std::vector<std::uint8_t> body(get<std::uint32_t>(length.data()));
  if (body.size() < 22 || std::fread(body.data(), 1, body.size(), stdin) != body.size())
    return false;
  request.issue_ns = static_cast<Nanoseconds>(get<std::uint64_t>(&body[0]));
  request.tag = get<std::uint32_t>(&body[8]);
  request.kind = body[12];
  request.more = body[13] != 0;
  scsi::Command& command = request.command = {};
  command.attribute = static_cast<scsi::Attribute>(body[15]);
  command.direction = static_cast<scsi::Direction>(body[16]);
  command.cdb_length = body[17];
  command.transfer_length = get<std::uint32_t>(&body[18]);
  std::copy_n(body.begin() + 22, command.cdb_length, command.cdb.begin());
  command.data.assign(body.begin() + 22 + command.cdb_length, body.end());
  return true;
}

void say(const scsi::Completion& done) {
  std::vector<std::uint8_t> out;
  put(out, static_cast<std::uint32_t>(24 + done.sense.size() + done.data.size()));
  put(out, static_cast<std::uint64_t>(done.completed_ns));
  put(out, done.tag);
  put(out, static_cast<std::uint8_t>(done.status));
  put(out, static_cast<std::uint8_t>(done.sense.size()));
  put(out, std::uint16_t{0});
  put(out, done.residual);
  put(out, static_cast<std::uint32_t>(done.data.size()));
  out.insert(out.end(), done.sense.begin(), done.sense.end());
  out.insert(out.end(), done.data.begin(), done.data.end());
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
}

scsi::Completion nothing(Nanoseconds at_ns, std::uint8_t status) {
  scsi::Completion none;
  none.completed_ns = at_ns;
  none.status = static_cast<scsi::Status>(status);
  return none;
}

// What a host asked of the drive, and what it left on it.
struct Account {
  std::uint64_t commands = 0, reads = 0, writes = 0, blocks_written = 0, translations = 0;
  std::set<std::uint64_t> changed;  // blocks that do not hold what they held at the start

  void note(const scsi::Command& command) {
    const auto& cdb = command.cdb;
    ++commands;
    if (cdb[0] == 0x08 || cdb[0] == 0x28) ++reads;
    if (cdb[0] == 0x1C && ((cdb[1] & 1) == 0 || cdb[2] == 0x40)) ++translations;
    if (cdb[0] == 0x0A) wrote(scsi::get_be(&cdb[1], 3) & 0x1FFFFF, command.data);
    if (cdb[0] == 0x2A || cdb[0] == 0x2E) wrote(scsi::get_be(&cdb[2], 4), command.data);
  }

 private:
  // At the start a block holds its own number, and zeros.
  void wrote(std::uint64_t lbn, const std::vector<std::uint8_t>& data) {
    constexpr std::size_t kBlock = 512;
    ++writes;
    for (std::size_t at = 0; at + kBlock <= data.size(); at += kBlock, ++lbn) {
      ++blocks_written;
      const auto* block = &data[at];
      const bool same = scsi::get_be(block, 8) == lbn &&
                        std::all_of(block + 8, block + kBlock, [](auto byte) { return byte == 0; });
      if (same)
        changed.erase(lbn);
      else
        changed.insert(lbn);
    }
  }
};

constexpr std::uint8_t kNone = 0xFF;
constexpr std::uint8_t kCharacteristics = 0xB1;

// False: the drive is gone.
bool fails(const std::string& what) {
  if (what == "kill") ::kill(::getppid(), SIGKILL);
  if (what == "interrupt") ::kill(::getppid(), SIGINT);
  return what == "interrupt";
}

}  // namespace

int main(int count, char** words) {
  Options options = options_of(count, words);
  virtual_drive::VirtualDevice device(model::load_model(options.model));
  std::ofstream log(options.log);
  const Nanoseconds turned_for = options.turned_for;
  device.clock().sleep_until_ns(turned_for);
  Account account;
  std::fwrite("SCSIDRV2", 1, 8, stdout);
  std::fflush(stdout);
  const auto answer = [&](std::optional<scsi::Completion> done) {
    if (!done) return say(nothing(device.clock().now_ns() - turned_for, kNone));
    done->completed_ns -= turned_for;
    const bool characteristics = done->data.size() > 5 && done->data[1] == kCharacteristics;
    if (options.solid_state && characteristics) done->data[4] = 0, done->data[5] = 1;
    say(*done);
  };
  for (Request request; hear(request);) {
    request.issue_ns += turned_for;
    if (request.kind == 0) {
      account.note(request.command);
      const auto time_s = static_cast<double>(request.issue_ns - turned_for) * 1e-9;
      if (options.at_s && time_s >= *options.at_s) {
        options.at_s.reset();
        if (!fails(options.what)) break;
      }
      device.clock().sleep_until_ns(request.issue_ns);
      if (log.is_open()) log << fmt::format("{:02x}", request.command.cdb[0]) << std::endl;
      if (!device.submit(request.command, request.tag)) return 1;
      if (!request.more) answer(*device.reap());
    } else if (request.kind == 1) {
      answer(*device.reap());
    } else if (request.kind == 3) {
      answer(*device.reap_until(request.issue_ns));
    } else {
      if (!device.reset()) return 1;
      scsi::Completion done = nothing(
          std::max(request.issue_ns, device.clock().now_ns()) - turned_for, 0);
      done.tag = request.tag;
      say(done);
    }
  }
  const double seconds = static_cast<double>(device.clock().now_ns() - turned_for) * 1e-9;
  if (!options.time.empty())
    std::ofstream(options.time, std::ios::app) << fmt::format("{} {}\n", seconds, account.commands);
  if (!options.account.empty())
    std::ofstream(options.account, std::ios::app) << fmt::format(
        R"({{"drive_s": {}, "commands": {}, "reads": {}, "writes": {}, "blocks_written": {}, )"
        R"("blocks_changed": {}, "translations": {}, "processor_s": {}}})"
        "\n",
        seconds, account.commands, account.reads, account.writes, account.blocks_written,
        account.changed.size(), account.translations,
        static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
}
