#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/check/log_checker.h"
#include "engine/engine.h"

namespace platter::emulator {
namespace {

using engine::Engine;

// The bits of platter_request's flags (lib/platter.h).
constexpr std::int64_t kWrite = 1, kForceUnitAccess = 2;

class BlockChecker : public LogChecker {
 public:
  BlockChecker(LogReader& log, const nlohmann::json& told, const std::vector<LoggedDrive>& drives)
      : LogChecker(log, drives) {
    for (std::size_t i = 0; i < drives.size(); ++i) add_engine(drives[i], told[i]);
  }

 private:
  void add_engine(const LoggedDrive& drive, const nlohmann::json& told) {
    const auto scheduler = told.at("scheduler").get<std::uint8_t>();
    const auto depth = told.at("depth").get<std::uint32_t>();
    const auto ageing = told.at("ageing").get<double>();
    if (scheduler > static_cast<int>(engine::Scheduler::sptf) || depth > engine::kMaxOutstanding ||
        !(ageing >= 0 && ageing <= 1e6))
      log_.bad("no drive has such a queue");
    blocks_.push_back(drive.blocks);
    engines_.emplace_back(drive.tables);
    engines_.back().set_queue({static_cast<engine::Scheduler>(scheduler), depth, ageing});
  }

  void check_line() override {
    const auto [drive, kind] = read_head(engines_.size());
    if (kind == 'e') return check_episode(drive);
    Engine& engine = engines_[drive];
    switch (kind) {
      case 's':
        submit(engine, drive);
        break;
      case 't':
        take(engine, drive);
        break;
      case 'f':
        synchronize(engine, drive);
        break;
      case 'a': {
        const std::uint32_t tag = read_tag();
        engine.cancel(tag, log_.time());
        episodes_.gone(drive, tag);
        break;
      }
      case 'p':
        engine.reset(log_.time());
        episodes_.all_gone(drive);
        break;
      case 'd':  // when the host had it is not the engine's to say
        log_.number();
        log_.number();
        break;
      default:
        log_.bad("no line is of such a kind");
    }
    log_.end();
    engine.next_completion_time();  // the emulator looks after each change
  }

  void submit(Engine& engine, std::size_t drive) {
    constexpr const char* kNoSuch = "the drive has no such blocks";
    const auto capacity = static_cast<std::int64_t>(blocks_[drive]);
    engine::Request request;
    request.tag = read_tag();
    const std::int64_t lbn = log_.number(0, capacity - 1, kNoSuch);
    request.lbn = static_cast<std::uint64_t>(lbn);
    request.blocks =
        static_cast<std::uint32_t>(log_.number(1, std::min(kMost32, capacity - lbn), kNoSuch));
    will_pass(request.blocks);
    const std::int64_t flags = log_.number(0, kWrite | kForceUnitAccess, kNoSuch);
    request.write = (flags & kWrite) != 0;
    request.force_unit_access = (flags & kForceUnitAccess) != 0;
    const Nanoseconds arrival_ns = log_.time();
    if (!engine.submit(request, arrival_ns)) log_.bad("the drive's queue would be full");
    episodes_.came(drive, request.tag, request.write ? episodes::Kind::write : episodes::Kind::read,
                   request.lbn, request.blocks, arrival_ns);
  }

  void take(Engine& engine, std::size_t drive) {
    ++found_.completions;
    const std::uint32_t tag = read_tag();
    const Nanoseconds completion_ns = log_.time();
    const auto done = engine.next_completion();
    if (!done) log_.bad("nothing is outstanding");
    if (done->tag != tag || done->completion_ns != completion_ns)
      differs(fmt::format("tag {} at {} ns, and the engine says tag {} at {} ns", tag,
                          completion_ns, done->tag, done->completion_ns));
    episodes_.answered(drive, tag, completion_ns);
  }

  void synchronize(Engine& engine, std::size_t drive) {
    ++found_.flushes;
    const Nanoseconds now_ns = log_.time(), told_ns = log_.time();
    const Nanoseconds done_ns = engine.synchronize(now_ns);
    if (done_ns != told_ns)
      differs(
          fmt::format("a flush was done at {} ns, and the engine says {} ns", told_ns, done_ns));
    episodes_.flushed(drive, now_ns, told_ns);
  }

  std::vector<Engine> engines_{};
  std::vector<std::uint64_t> blocks_{};
};

}  // namespace

CheckedLog check_blocks(LogReader& log, const nlohmann::json& told,
                        const std::vector<LoggedDrive>& drives) {
  return BlockChecker(log, told, drives).check();
}

}  // namespace platter::emulator
