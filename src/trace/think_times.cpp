#include "trace/think_times.h"

#include <utility>

namespace platter::trace {
namespace {

// One request behind the trace that it reads.
class InFrontReader final : public Reader {
 public:
  explicit InFrontReader(std::unique_ptr<Reader> trace) : trace_(std::move(trace)) {}

  const Source& source() const override { return trace_->source(); }
  std::vector<Skipped> skipped() const override { return trace_->skipped(); }

  std::size_t read(std::span<Request> out) override {
    std::size_t given = 0;
    while (given == 0 && !out.empty()) {
      const std::size_t count = trace_->read(out);
      for (std::size_t i = 0; i < count; ++i) {
        Request next = out[i];
        std::swap(next, held_);
        next.think_ns = held_.think_ns;
        if (std::exchange(holds_, true)) out[given++] = next;
      }
      if (count > 0) continue;
      if (!std::exchange(holds_, false)) break;
      held_.think_ns = 0;
      out[given++] = held_;
    }
    return given;
  }

 private:
  std::unique_ptr<Reader> trace_;
  Request held_{};  // waits for the think time of the one behind it
  bool holds_ = false;
};

}  // namespace

std::unique_ptr<Reader> think_times_in_front(std::unique_ptr<Reader> trace) {
  return std::make_unique<InFrontReader>(std::move(trace));
}

}  // namespace platter::trace
