// Linux' block events as the kernel's tracer prints them (Documentation/trace/events.rst,
// include/trace/events/block.h): the file `trace`, trace-cmd report, perf script.
#include <optional>
#include <utility>

#include "trace/block_event_lines.h"
#include "trace/clock_times.h"
#include "trace/formats.h"

namespace platter::trace {
namespace {

class FtraceReader final : public BlockEventLines {
 public:
  using BlockEventLines::BlockEventLines;

 private:
  bool has_remarks_of_its_own() const override { return true; }
  // task [cpu] flags time: block_rq_issue: MAJOR,MINOR FLAGS [bytes (command)] sector + sectors ...
  bool parse(const Line& line, Record&) override {
    if (line[0].starts_with('#')) return remark(line);
    const std::size_t count = std::min<std::size_t>(line.count(), Line::kMost);
    std::size_t name = 1;
    while (name < count && !action_of(line[name])) ++name;
    if (name >= count) return !lost(line) && form(line, "other events");
    BlockEvent event;
    event.action = *action_of(line[name]);
    const std::size_t device = name + 1, flags = name + 2;
    if (flags >= count) line.fail(line.end(), "the event ends before its device and operation");
    std::string_view time = line[name - 1];
    if (time.ends_with(':')) time.remove_suffix(1);
    const std::optional<Nanoseconds> time_ns = times_.since_first(time, kSecond);
    if (!time_ns || *time_ns < 0)
      line.fail(name - 1, fmt::format("the time \"{}\" is no number of seconds behind that of the "
                                      "first event",
                                      shown(time)));
    const std::string_view operation = line[flags];
    const bool issued = event.action == BlockEvent::Action::issue;
    if (const char* what = other_than_data(line, flags))
      return pass_over(line, flags, what, issued);
    std::size_t plus = flags + 1;
    while (plus + 1 < count && line[plus] != "+") ++plus;
    if (plus + 1 >= count || plus == flags + 1)
      line.fail(line.end(), "the event has no \"SECTOR + SECTORS\"");
    if (line[plus + 1] == "0") {
      const bool flush = operation.find('F') != std::string_view::npos;
      return pass_over(line, flags, flush ? "flushes" : "requests of no sectors", issued);
    }
    event.time_ns = *time_ns;
    event.device = device_of_linux(line, device);
    event.write = operation.find('W') != std::string_view::npos;
    return add(line, event, {name - 1, plus - 1, plus + 1});
  }

  // perf puts "block:" in front. A request arrives in the block layer as a bio or is inserted.
  static std::optional<BlockEvent::Action> action_of(std::string_view name) {
    using Action = BlockEvent::Action;
    if (name.starts_with("block:")) name.remove_prefix(6);
    if (name == "block_rq_issue:") return Action::issue;
    if (name == "block_rq_complete:") return Action::complete;
    if (name == "block_rq_requeue:") return Action::requeue;
    if (name == "block_bio_queue:") return Action::queue;
    return std::nullopt;
  }

  // "# entries-in-buffer/entries-written: 100/142   #P:4": the others were written over.
  bool remark(const Line& line) {
    for (std::size_t i = 0; i + 1 < std::min<std::size_t>(line.count(), Line::kMost); ++i) {
      if (line[i] != "entries-in-buffer/entries-written:") continue;
      Scan scan(line[i + 1]);
      std::uint64_t kept = 0, written = 0;
      if (scan.number(kept) && scan.take('/') && scan.number(written) && written > kept)
        skips_.lose(written - kept, line.place(i));
    }
    return form(line, "remarks");
  }

  ClockTimes times_;
};

}  // namespace

const FormatRow kFtrace = {
    .format = Format::ftrace,
    .name = "ftrace",
    .reader = [](std::vector<Input> inputs,
                 const Reading& reading) -> std::unique_ptr<RecordReader> {
      return std::make_unique<FtraceReader>(std::move(inputs.front()), reading.queued);
    },
    .begins =
        [](const Beginning& beginning) {
          const std::string_view head = beginning.head;
          return head.starts_with("# tracer:") || head.find(" block_rq_") != head.npos ||
                 head.find("block:block_rq_") != head.npos;
        },
};

}  // namespace platter::trace
