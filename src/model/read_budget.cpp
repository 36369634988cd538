#include "model/read_budget.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "model/file.h"

namespace platter::model {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr Nanoseconds kSlower = 20;
#else
constexpr Nanoseconds kSlower = 1;
#endif

// In the order of Cost.
constexpr std::array<CostLimit, kCosts> kLimits = {{
    {Cost::bytes, "bytes", kLargestFile,
     "of one file; of a DiskSim file with all that it names by `source`; of the models that a "
     "study names, each as often as it names it"},
    {Cost::expanded, "bytes expanded", std::uint64_t{16} << 20,
     "of a remote's index, all parts together; and 16 more for each byte of the parts"},
    {Cost::values, "values", 6'000'000,
     "numbers, texts, lists and objects of JSON; of DiskSim's parameters with those of ranges and "
     "of copies"},
    {Cost::files, "files", 10'000, "models and traces that a study names, members of arrays too"},
    {Cost::members, "members", 1024, "of one array"},
    {Cost::points, "points", 100'000,
     "of a study: models x traces (and their devices) x the values of each option"},
    {Cost::requests, "requests", 5'000'000'000,
     "of a study: those of all points together; `--most-requests` of `platter study` says "
     "otherwise"},
    {Cost::entries, "entries", 4096,
     "of a remote's index; and one more for each 64 bytes of its parts, as its digests cannot be "
     "packed any smaller"},
}};

Nanoseconds processor_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace

std::span<const CostLimit, kCosts> cost_limits() { return kLimits; }

std::string limits_table() {
  std::string text = "| of one document | at most | counted are |\n|---|---|---|\n";
  for (const CostLimit& limit : kLimits)
    text += fmt::format("| {} | {} | {} |\n", limit.name, limit.most, limit.counted);
  return text;
}

ReadBudget::ReadBudget(std::string document)
    : document_(std::move(document)), begun_ns_(processor_time_ns()) {
  for (const CostLimit& limit : kLimits) most_[index_of(limit.cost)] = limit.most;
}

void ReadBudget::refuse(Cost cost, const std::string& asked) const {
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: asks for {} {}, and {} are the most of one document; see "
                          "docs/limits.md",
                          document_, asked, kLimits[index_of(cost)].name, most(cost)));
}

void ReadBudget::take(Cost cost, std::uint64_t many) {
  std::uint64_t& taken = taken_[index_of(cost)];
  if (many > most(cost) || taken > most(cost) - many)
    refuse(cost, taken == 0 ? fmt::format("{}", many) : fmt::format("more than {}", most(cost)));
  taken += many;
}

void ReadBudget::take_product(Cost cost, std::span<const Factor> factors) {
  std::string words;
  double about = 1;
  std::uint64_t product = 1;
  bool too_large = false;
  for (const Factor& factor : factors) {
    about *= static_cast<double>(factor.many);
    too_large = __builtin_mul_overflow(product, factor.many, &product) || too_large;
    if (factor.many != 1)
      words += fmt::format("{}{} {}", words.empty() ? "" : " x ", factor.many, factor.name);
  }
  if (about == 0) return;
  if (too_large || product > most(cost) - std::min(most(cost), taken(cost)))
    refuse(cost, too_large || product > 999'999'999'999'999
                     ? fmt::format("{} = {:.3g}", words, about)
                     : fmt::format("{} = {}", words, product));
  take(cost, product);
}

void ReadBudget::require_time(double more_ns_per_byte) const {
  const std::uint64_t more = std::max(taken(Cost::bytes), kBytesOfThat) - kBytesOfThat;
  const Nanoseconds most_ns =
      kProcessorTime + static_cast<Nanoseconds>(more_ns_per_byte * static_cast<double>(more));
  if (processor_time_ns() - begun_ns_ <= kSlower * most_ns) return;
  throw Error(
      ExitStatus::bad_input,
      fmt::format("{}: takes more than the {:.1f} s of processor time that a document of its "
                  "size may take to be read; see docs/limits.md",
                  document_, static_cast<double>(most_ns) / kSecond));
}

}  // namespace platter::model
