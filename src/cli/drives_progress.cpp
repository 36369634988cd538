#include "cli/drives_progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/streams.h"
#include "model/json_text.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenTellings = 10s;
constexpr auto kBetweenPictures = 500ms;

struct Screen {
  std::size_t rows = 24, columns = 80;
};

Screen screen() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace

DrivesProgress::DrivesProgress(ProgressKind kind, std::vector<std::string> names)
    : kind_(without_bar_elsewhere(kind)), names_(std::move(names)), told_(Clock::now()) {
  std::size_t width = 0;
  for (const std::string& name : names_) {
    labels_.push_back(jobs::shortened(model::printable(name)));
    width = std::max(width, labels_.back().size());
  }
  for (std::string& label : labels_) label.resize(width, ' ');
}

bool DrivesProgress::draws() const { return kind_ == ProgressKind::fitting; }

void DrivesProgress::began(std::size_t drive) {
  under_way_[drive] = {"begins", 0, {}};
  if (draws()) draw();
}

void DrivesProgress::stands(std::size_t drive, const jobs::Standing& standing) {
  under_way_[drive] = standing;
  if (kind_ == ProgressKind::json) model::say("{}\n", json_of(drive, jobs::as_json(standing)));
}

void DrivesProgress::ended(std::size_t drive, int status, double seconds,
                           const std::string& sentence) {
  under_way_.erase(drive);
  ++ended_;
  using Json = nlohmann::ordered_json;
  if (kind_ == ProgressKind::json) {
    const Json end = {{"status", status},
                      {"seconds", seconds},
                      {"error", sentence.empty() ? Json() : Json(sentence)}};
    model::say("{}\n", json_of(drive, end));
  } else if (kind_ != ProgressKind::none) {
    say(drive, sentence.empty() ? "done, " + jobs::minutes(seconds)
                                : fmt::format("status {}: {}", status, sentence));
  }
}

void DrivesProgress::say(std::size_t drive, const std::string& line) {
  clear();
  model::say("{}: {}\n", model::printable(names_[drive]), line);
  if (draws()) draw();
}

void DrivesProgress::show() {
  const auto now = Clock::now();
  if (draws() && now - told_ >= kBetweenPictures) draw();
  if (kind_ != ProgressKind::plain || now - told_ < kBetweenTellings) return;
  told_ = now;
  for (const auto& [drive, standing] : under_way_)
    model::say("{}: {}\n", model::printable(names_[drive]), jobs::as_line(standing));
}

void DrivesProgress::clear() {
  if (drawn_ > 0) draw_on_terminal(fmt::format("\x1b[{}A\x1b[J", drawn_));
  drawn_ = 0;
}

// The picture is as high as the screen at most: what has left that cannot be drawn over.
void DrivesProgress::draw() {
  told_ = Clock::now();
  const Screen now = screen();
  const std::size_t most = now.rows > 3 ? now.rows - 3 : 1;
  clear();
  std::string picture;
  for (const auto& [drive, standing] : under_way_) {
    if (drawn_ == most) break;
    picture +=
        fmt::format("{}  {}", labels_[drive], jobs::as_bar(standing)).substr(0, now.columns - 1) +
        "\n";
    ++drawn_;
  }
  picture += fmt::format("{} of {} drives have ended, {} under way\n", ended_, names_.size(),
                         under_way_.size());
  ++drawn_;
  draw_on_terminal(picture);
}

std::string DrivesProgress::json_of(std::size_t drive, const nlohmann::ordered_json& rest) const {
  nlohmann::ordered_json line = {{"device", names_[drive]}};
  line.update(rest);
  return model::json_text(line);
}

}  // namespace platter::cli
