#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "model/stand_ins.h"
#include "report/html.h"
#include "report/html_model.h"
#include "report/model_summary.h"

namespace platter::report::html {
namespace {

std::string size_text(double blocks, std::uint32_t block_bytes) {
  const double bytes = blocks * block_bytes;
  return bytes < 1048576 ? fmt::format("{:.0f} KiB", bytes / 1024)
                         : fmt::format("{:.3g} MiB", bytes / 1048576);
}

bool is_on(const model::Parameter& parameter) { return parameter.value > 0; }

// What one would tell a colleague of it, a line each.
std::vector<std::string> sentences(const model::DriveModel& model) {
  const model::Cache& cache = model.cache;
  std::vector<std::string> lines;
  if (cache.read_enabled)
    lines.push_back(is_on(cache.read_enabled) ? "Reads: data that were read stay in the buffer."
                                              : "Reads: nothing is kept; each goes to the media.");
  if (cache.read_ahead && is_on(cache.read_enabled)) {
    std::string ahead = read_ahead_in_words(*cache.read_ahead.value);
    if (ahead.empty()) ahead = "no read-ahead";
    ahead.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(ahead.front())));
    lines.push_back(ahead + ".");
    if (is_on(cache.read_ahead_after_sequential))
      lines.push_back("It reads ahead behind sequential reads only.");
  }
  if (cache.write_back_level)
    lines.push_back(is_on(cache.write_back_level)
                        ? "Writes: complete once the drive has received them (write-back)."
                        : "Writes: complete once they are on the media (write-through).");
  if (is_on(cache.write_back_level) && cache.written_blocks && *cache.written_blocks.value > 0)
    lines.push_back(
        fmt::format("At most {:.0f} written blocks wait ({}).", *cache.written_blocks.value,
                    size_text(*cache.written_blocks.value, model.identity.block_bytes)));
  if (cache.replacement && cache.segments.value > 1)
    lines.push_back(fmt::format("A full buffer gives up the segment that is {}.",
                                *cache.replacement.value == 0   ? "least recently used"
                                : *cache.replacement.value == 1 ? "the oldest"
                                                                : "drawn at random"));
  return lines;
}

}  // namespace

std::string cache_diagram(const model::DriveModel& model) {
  const model::Cache& cache = model.cache;
  const model::Acting all = acting(cache, cache.segments);
  if (all < 1) return "";
  constexpr double kLeft = 10, kWidth = 620, kTop = 44, kHeight = 70;
  constexpr int kMost = 32;  // that are drawn
  const int segments = static_cast<int>(std::min(all.value, 1e6));
  const int drawn = std::min(segments, kMost);
  const int for_writes = std::clamp(
      static_cast<int>(is_on(cache.write_back_level) ? acting(cache, cache.write_segments).value
                                                     : 0),
      0, drawn);
  std::string text = words_at(
      kLeft, 26,
      segments_in_words(cache) +
          (cache.segment_blocks ? fmt::format(" ({})", size_text(*cache.segment_blocks.value,
                                                                 model.identity.block_bytes))
                                : std::string()) +
          (is_on(cache.adaptive_min_segments) ? ", their number follows the load" : ""));
  for (int i = 0; i < drawn; ++i) {
    const double width = kWidth / drawn;
    const bool writes = i >= drawn - for_writes;
    text += box(kLeft + i * width + 1, kTop, std::max(width - 2, 1.0), kHeight,
                writes ? "part1" : "segment");
  }
  double y = kTop + kHeight + 26;
  std::string below = segments > drawn ? fmt::format("{} of {} are drawn. ", drawn, segments) : "";
  if (for_writes > 0) below += fmt::format("Dark: where written data may wait ({}).", for_writes);
  if (!below.empty()) {
    text += words_at(kLeft, y, below);
    y += 28;
  }
  for (const std::string& line : sentences(model)) {
    text += words_at(kLeft, y, line);
    y += 28;
  }
  return drawing("The cache, as the model has it.", 640, static_cast<int>(y), text);
}

}  // namespace platter::report::html
