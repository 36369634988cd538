#include "emulator/check/check_log.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "engine/engine.h"
#include "model/error.h"

namespace platter::emulator {
namespace {

using engine::Engine;

constexpr int kMostNumbers = 5;
// The bits of platter_request's flags (lib/platter.h).
constexpr std::int64_t kWrite = 1, kForceUnitAccess = 2;

class Checker {
 public:
  Checker(std::istream& log, const std::string& name, const std::vector<LoggedDrive>& drives)
      : log_(log), name_(name) {
    read_head(drives);
  }

  CheckedLog check() {
    while (next_line()) check_line();
    return found_;
  }

 private:
  // `drive` `kind` and numbers, as RequestLog writes them.
  struct Line {
    Engine* engine;
    char kind;
    std::array<std::int64_t, kMostNumbers> numbers;
  };

  [[noreturn]] void bad(const std::string& what) const {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}:{}: {}; give the log of an emulation of these models", name_,
                            line_number_, what));
  }

  bool next_line() {
    if (!std::getline(log_, text_) || log_.eof()) return false;
    ++line_number_;
    return true;
  }

  void read_head(const std::vector<LoggedDrive>& drives) {
    if (!next_line()) {
      line_number_ = 1;
      bad("there is no first line that says what the log is of");
    }
    const auto head = nlohmann::json::parse(text_, nullptr, false);
    try {
      if (head.at("schema").at("name") != "platter-emulation-log" ||
          head.at("requests") != "blocks")
        bad("this is no log of requests by block");
      const auto& told = head.at("drives");
      if (told.size() != drives.size())
        bad(fmt::format("the log is of {} drives, and {} models are given", told.size(),
                        drives.size()));
      for (std::size_t i = 0; i < drives.size(); ++i) add_engine(drives[i], told[i]);
    } catch (const nlohmann::json::exception&) {
      bad("this is no log of platter emulate");
    }
  }

  void add_engine(const LoggedDrive& drive, const nlohmann::json& told) {
    if (told.at("model_sha256") != drive.model_sha256)
      bad("the log is of another model: the SHA-256 is not the same");
    const auto scheduler = told.at("scheduler").get<std::uint8_t>();
    const auto depth = told.at("depth").get<std::uint32_t>();
    const auto ageing = told.at("ageing").get<double>();
    if (scheduler > static_cast<int>(engine::Scheduler::sptf) || depth > engine::kMaxOutstanding ||
        !(ageing >= 0 && ageing <= 1e6))
      bad("no drive has such a queue");
    blocks_.push_back(drive.blocks);
    engines_.emplace_back(drive.tables);
    engines_.back().set_queue({static_cast<engine::Scheduler>(scheduler), depth, ageing});
  }

  std::int64_t number(std::string_view& rest) const {
    if (rest.empty() || rest.front() != ' ') bad("there are too few numbers");
    rest.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) bad("something is no number");
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  }

  Line parsed() {
    std::size_t drive = 0;
    const char* const begin = text_.data();
    const char* const end = begin + text_.size();
    const auto [after, error] = std::from_chars(begin, end, drive);
    if (error != std::errc{} || drive >= engines_.size() || end - after < 2 || *after != ' ')
      bad("it does not begin with the number of a drive");
    drive_ = drive;
    Line line{&engines_[drive], after[1], {}};
    const int numbers = line.kind == 's' ? 5 : 2;
    std::string_view rest(after + 2, static_cast<std::size_t>(end - after - 2));
    for (int i = 0; i < numbers; ++i) line.numbers.at(i) = number(rest);
    if (!rest.empty()) bad("there is more than there should be");
    return line;
  }

  void check_line() {
    const Line line = parsed();
    switch (line.kind) {
      case 's':
        return submit(line);
      case 't':
        return take(line);
      case 'f':
        return synchronize(line);
      case 'd':  // when the host had it is not the engine's to say
        return;
      default:
        bad("no line is of such a kind");
    }
  }

  void submit(const Line& line) const {
    const auto [tag, lbn, blocks, flags, arrival_ns] = line.numbers;
    const auto capacity = static_cast<std::int64_t>(blocks_[drive_]);
    if (tag < 0 || tag > UINT32_MAX || lbn < 0 || blocks < 1 || blocks > UINT32_MAX ||
        lbn >= capacity || blocks > capacity - lbn || flags < 0 ||
        flags > (kWrite | kForceUnitAccess))
      bad("the drive has no such blocks");
    engine::Request request;
    request.tag = static_cast<std::uint32_t>(tag);
    request.lbn = static_cast<std::uint64_t>(lbn);
    request.blocks = static_cast<std::uint32_t>(blocks);
    request.write = (flags & kWrite) != 0;
    request.force_unit_access = (flags & kForceUnitAccess) != 0;
    if (!line.engine->submit(request, time(arrival_ns))) bad("the drive's queue would be full");
    line.engine->next_completion_time();  // the emulator looks after each change
  }

  void take(const Line& line) {
    ++found_.completions;
    const auto done = line.engine->next_completion();
    if (!done) bad("nothing is outstanding");
    line.engine->next_completion_time();
    if (done->tag != line.numbers[0] || done->completion_ns != line.numbers[1])
      differs(fmt::format("tag {} at {} ns, and the engine says tag {} at {} ns", line.numbers[0],
                          line.numbers[1], done->tag, done->completion_ns));
  }

  void synchronize(const Line& line) {
    ++found_.flushes;
    const Nanoseconds done_ns = line.engine->synchronize(time(line.numbers[0]));
    line.engine->next_completion_time();
    if (done_ns != line.numbers[1])
      differs(fmt::format("a flush was done at {} ns, and the engine says {} ns", line.numbers[1],
                          done_ns));
  }

  // What the engine's arithmetic has room for.
  Nanoseconds time(std::int64_t ns) const {
    constexpr std::int64_t kLimit = std::int64_t{1} << 61;
    if (ns > kLimit || ns < -kLimit) bad("a time is not from this world");
    return ns;
  }

  void differs(const std::string& what) {
    if (found_.differ++ == 0)
      found_.first_difference = fmt::format("{}:{}: {}", name_, line_number_, what);
  }

  std::istream& log_;
  const std::string& name_;
  std::vector<Engine> engines_{};
  std::vector<std::uint64_t> blocks_{};
  std::string text_{};
  std::uint64_t line_number_ = 0;
  std::size_t drive_ = 0;
  CheckedLog found_{};
};

}  // namespace

CheckedLog check_log(std::istream& log, const std::string& name,
                     const std::vector<LoggedDrive>& drives) {
  return Checker(log, name, drives).check();
}

}  // namespace platter::emulator
