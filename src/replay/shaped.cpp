#include "replay/shaped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/error.h"

namespace platter::replay {
namespace {

class ShapedReader final : public trace::Reader {
 public:
  ShapedReader(std::unique_ptr<trace::Reader> trace, const Shape& shape)
      : trace_(std::move(trace)), shape_(shape) {}

  const trace::Source& source() const override { return trace_->source(); }

  std::size_t read(std::span<trace::Request> out) override {
    if (shape_.limit) out = out.first(std::min<std::uint64_t>(out.size(), *shape_.limit - given_));
    const std::size_t count = out.empty() ? 0 : trace_->read(out);
    for (trace::Request& request : out.first(count)) {
      request.arrival_ns = scaled(request.arrival_ns);
      request.think_ns = scaled(request.think_ns);
    }
    given_ += count;
    return count;
  }

  std::vector<trace::Skipped> skipped() const override { return trace_->skipped(); }

 private:
  Nanoseconds scaled(Nanoseconds time_ns) const {
    if (shape_.speed == 1) return time_ns;
    const double scaled_ns = static_cast<double>(time_ns) / shape_.speed;
    constexpr double kLongest_ns = 9e18;
    if (scaled_ns > kLongest_ns)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: at a speed of {} request {} comes after more than 285 years",
                              source().name, shape_.speed, given_ + 1));
    return static_cast<Nanoseconds>(std::llround(scaled_ns));
  }

  std::unique_ptr<trace::Reader> trace_;
  Shape shape_;
  std::uint64_t given_ = 0;
};

}  // namespace

std::unique_ptr<trace::Reader> shaped(std::unique_ptr<trace::Reader> trace, const Shape& shape) {
  if (shape.speed == 1 && !shape.limit) return trace;
  return std::make_unique<ShapedReader>(std::move(trace), shape);
}

}  // namespace platter::replay
