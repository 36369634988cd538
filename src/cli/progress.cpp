#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "cli/streams.h"
#include "jobs/progress_text.h"
#include "model/json_text.h"
#include "model/quietly.h"
#include "model/say.h"
#include "transport/waiting.h"

namespace platter::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstLine = 5s;  // what is done sooner needs no progress
constexpr auto kBetweenLines = 10s;
constexpr auto kBetweenStages = 1s;
constexpr auto kBetweenDrawings = 100ms;

}  // namespace

ProgressKind without_bar_elsewhere(ProgressKind kind) {
  return kind == ProgressKind::fitting && ::isatty(STDERR_FILENO) == 0 ? ProgressKind::plain : kind;
}

Progress::Progress(ProgressKind kind) : kind_(without_bar_elsewhere(kind)) {}

// Not before: who makes processes of his own has none of our threads by then.
void Progress::begin(Clock::time_point now) {
  began_ = now;
  const transport::SignalsBlocked its_own;  // they are the main thread's, and wait for its commands
  teller_ = std::thread([this] { keep_telling(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  if (teller_.joinable()) teller_.join();
  model::quietly([this] { clear(); });
}

void Progress::show(const std::string& stage, double share, std::optional<double> left_s) {
  if (kind_ == ProgressKind::none) return;
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  share_ = std::clamp(share, 0.0, 1.0);
  left_s_ = left_s;
  const auto now = Clock::now();
  if (!teller_.joinable()) begin(now);
  const bool another = stage_ != told_stage_;
  if (kind_ == ProgressKind::fitting) {
    if (another || now - told_ >= kBetweenDrawings) tell(now);
    return;
  }
  if (now - began_ < kFirstLine) return;
  if (now - told_ >= (another ? Clock::duration(kBetweenStages) : kBetweenLines)) tell(now);
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (width_ > 0) draw_on_terminal(fmt::format("\r{}\r", std::string(width_, ' ')));
  width_ = 0;
  stage_.clear();  // nothing more to tell
}

// While a stage computes nobody calls show().
void Progress::keep_telling() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kBetweenLines, [this] { return ended_; })) {
    const auto now = Clock::now();
    if (!stage_.empty() && now - told_ >= kBetweenLines) tell(now);
  }
}

std::optional<double> Progress::seconds_left(Clock::time_point now) const {
  if (left_s_) return *left_s_ < 0 ? std::nullopt : left_s_;
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  if (share_ <= 0.02 || elapsed <= 1) return std::nullopt;
  return elapsed * (1 - share_) / share_;
}

void Progress::tell(Clock::time_point now) {
  told_ = now;
  told_stage_ = stage_;
  const jobs::Standing standing{stage_, share_, seconds_left(now)};
  if (kind_ == ProgressKind::json) {
    model::say("{}\n", model::json_text(jobs::as_json(standing)));
    return;
  }
  if (kind_ == ProgressKind::plain) {
    model::say("{}\n", jobs::as_line(standing));
    return;
  }
  std::string line = jobs::as_bar(standing);
  const std::size_t shown = line.size();
  if (shown < width_) line.append(width_ - shown, ' ');
  width_ = shown;
  draw_on_terminal("\r" + line);
}

}  // namespace platter::cli
