#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/streams.h"

namespace platter::cli {
namespace {

std::string minutes(double seconds) {
  const auto whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace

ProgressBar::ProgressBar() : terminal_(::isatty(2) != 0), began_(Clock::now()), drawn_() {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(const std::string& stage, double share) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (stage == stage_ && now - drawn_ < std::chrono::milliseconds(100)) return;
  stage_ = stage;
  drawn_ = now;
  share = std::clamp(share, 0.0, 1.0);
  constexpr std::size_t kCells = 24;
  const auto full = static_cast<std::size_t>(share * kCells);
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  std::string left;
  if (share > 0.02 && elapsed > 1) left = ", " + minutes(elapsed * (1 - share) / share) + " left";
  std::string line = fmt::format("[{}{}] {:3.0f} %  {}{}", std::string(full, '#'),
                                 std::string(kCells - full, '.'), share * 100, stage, left);
  const std::size_t shown = line.size();
  if (shown < width_) line.append(width_ - shown, ' ');
  width_ = shown;
  draw_on_terminal("\r" + line);
}

void ProgressBar::clear() {
  if (!terminal_ || width_ == 0) return;
  draw_on_terminal(fmt::format("\r{}\r", std::string(width_, ' ')));
  width_ = 0;
}

}  // namespace platter::cli
