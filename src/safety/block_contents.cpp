#include "safety/block_contents.h"

#include <fmt/core.h>

namespace platter::safety {

void BlockContents::add(std::uint64_t lbn, std::span<const std::uint8_t> bytes) {
  for (; bytes.size() >= block_bytes_; bytes = bytes.subspan(block_bytes_), ++lbn)
    blocks_.try_emplace(lbn, bytes.begin(), bytes.begin() + block_bytes_);
}

std::vector<LbnRange> BlockContents::unknown(const LbnRange& range) const {
  std::vector<LbnRange> missing;
  for (std::uint64_t lbn = range.first; lbn <= range.last; ++lbn) {
    if (knows(lbn)) continue;
    if (!missing.empty() && missing.back().last + 1 == lbn)
      missing.back().last = lbn;
    else
      missing.push_back({lbn, lbn});
  }
  return missing;
}

std::vector<LbnRange> BlockContents::runs(std::uint64_t most) const {
  std::vector<LbnRange> runs;
  for (const auto& [lbn, bytes] : blocks_) {
    const bool goes_on = !runs.empty() && runs.back().last + 1 == lbn &&
                         lbn - runs.back().first < most;
    if (goes_on)
      runs.back().last = lbn;
    else
      runs.push_back({lbn, lbn});
  }
  return runs;
}

std::vector<std::uint8_t> BlockContents::of(const LbnRange& range) const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve((range.last - range.first + 1) * block_bytes_);
  auto block = blocks_.find(range.first);
  for (std::uint64_t lbn = range.first; lbn <= range.last; ++lbn, ++block)
    bytes.insert(bytes.end(), block->second.begin(), block->second.end());
  return bytes;
}

std::uint64_t blocks_of(const std::vector<LbnRange>& ranges) {
  std::uint64_t blocks = 0;
  for (const LbnRange& range : ranges) blocks += range.last - range.first + 1;
  return blocks;
}

namespace {

std::string run_in_words(const LbnRange& range, const char* dash) {
  return range.first == range.last ? fmt::format("{}", range.first)
                                   : fmt::format("{}{}{}", range.first, dash, range.last);
}

}  // namespace

std::string in_words(const std::vector<LbnRange>& ranges) {
  if (ranges.empty()) return "no LBN";
  if (ranges.size() == 1) return "LBN " + run_in_words(ranges.front(), " to ");
  std::string text = "LBNs ";
  for (std::size_t i = 0; i < ranges.size(); ++i)
    text += fmt::format("{}{}",
                        i == 0                   ? ""
                        : i + 1 == ranges.size() ? " and "
                                                 : ", ",
                        run_in_words(ranges[i], "-"));
  return text;
}

std::string in_few_words(const std::vector<LbnRange>& ranges, const std::string& where) {
  constexpr std::size_t kFew = 5;
  if (ranges.size() <= kFew + 1) return in_words(ranges);
  std::string text;
  for (std::size_t i = 0; i < kFew; ++i)
    text += (i == 0 ? "LBNs " : ", ") + run_in_words(ranges[i], "-");
  return fmt::format("{} and {} more (in {})", text, ranges.size() - kFew, where);
}

}  // namespace platter::safety
