#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "model/drive_model.h"
#include "model/stand_ins.h"
#include "report/html.h"
#include "report/html_model.h"
#include "report/model_summary.h"

namespace platter::report::html {
namespace {

constexpr int kBlocks = 8;

struct Part {
  std::size_t kind;  // of kParts
  double ms;
};
constexpr std::array kParts = {"overhead", "seek, settle", "rotation", "media", "bus"};

struct Bar {
  std::string name;
  std::vector<Part> parts;
};

double value(const model::DriveModel& model, const model::Parameter& figure) {
  return std::max(acting(model, figure).value, 0.0);
}

// Of the middle of the map: a track of the mean number of sectors.
double media_ms(const model::DriveModel& model) {
  std::uint64_t blocks = 0, tracks = 0;
  if (model.layout.zones.empty() || model.rotation.numerator_ns == 0) return 0;
  for (const ZoneSummary& zone : summarize_zones(model.layout)) {
    blocks += zone.blocks;
    tracks += zone.tracks;
  }
  if (blocks == 0) return 0;
  const double of_a_track = static_cast<double>(blocks) / static_cast<double>(tracks);
  return kBlocks / of_a_track * model::revolution_ns(model.rotation) / 1e6;
}

std::vector<Bar> bars_of(const model::DriveModel& model) {
  const model::Overheads& o = model.overheads;
  const double period_ms = model::revolution_ns(model.rotation) / 1e6;
  const auto seek = summarize_seek(model);
  const double common = value(model, o.per_request);
  const double read_bus_ms = kBlocks * value(model, model.bus.block_transfer);
  const double write_bus_ms = kBlocks * value(model, model.bus.write_block_transfer
                                                         ? model.bus.write_block_transfer
                                                         : model.bus.block_transfer);
  const double of_media_ms = media_ms(model);
  std::vector<Bar> bars;
  if (o.read_miss_after_read && seek)
    bars.push_back(
        {"read, from the media",
         {{0, common + value(model, o.read_miss_after_read) + value(model, o.read_completion)},
          {1, seek->average_ms},
          {2, period_ms / 2},
          {3, of_media_ms},
          {4, read_bus_ms}}});
  if (o.read_hit_after_read)
    bars.push_back(
        {"read, from the cache",
         {{0, common + value(model, o.read_hit_after_read) + value(model, o.read_completion)},
          {4, read_bus_ms}}});
  if (o.write_miss_after_write && seek)
    bars.push_back(
        {"write, to the media",
         {{0, common + value(model, o.write_miss_after_write) + value(model, o.write_completion)},
          {1, seek->average_ms + value(model, model.write_settle)},
          {2, period_ms / 2},
          {3, of_media_ms},
          {4, write_bus_ms}}});
  if (o.write_hit_after_write && value(model, model.cache.write_back_level) > 0)
    bars.push_back(
        {"write, into the cache",
         {{0, common + value(model, o.write_hit_after_write) + value(model, o.write_completion)},
          {4, write_bus_ms}}});
  return bars;
}

double length(const Bar& bar) {
  double ms = 0;
  for (const Part& part : bar.parts) ms += part.ms;
  return ms;
}

}  // namespace

std::string request_bars(const model::DriveModel& model) {
  if (model.rotation.numerator_ns == 0) return "";
  const std::vector<Bar> bars = bars_of(model);
  if (bars.empty()) return "";
  double longest_ms = 0;
  for (const Bar& bar : bars) longest_ms = std::max(longest_ms, length(bar));
  constexpr double kWidth = 600, kLeft = 10, kStep = 82;
  std::string text;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const double x = kLeft + 126 * static_cast<double>(i);
    text += box(x, 8, 16, 16, fmt::format("part{}", i).c_str()) + words_at(x + 22, 22, kParts[i]);
  }
  double y = 62;
  for (const Bar& bar : bars) {
    text += words_at(kLeft, y, fmt::format("{}: {:.3f} ms", bar.name, length(bar)));
    double x = kLeft;
    for (const Part& part : bar.parts) {
      const double width = kWidth * part.ms / longest_ms;
      text += box(x, y + 8, std::max(width, 0.5), 24, fmt::format("part{}", part.kind).c_str());
      const std::string said = fmt::format("{:.2f}", part.ms);
      if (width > 9.5 * static_cast<double>(said.size()))
        text += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"in{}\">{}</text>\n",
            x + width / 2, y + 26, part.kind, said);
      x += width;
    }
    y += kStep;
  }
  return drawing(
      fmt::format("A request of {} blocks on its own: the average seek, half a revolution, "
                  "a track of mean length; times in ms.",
                  kBlocks),
      640, static_cast<int>(y - kStep + 50), text);
}

}  // namespace platter::report::html
