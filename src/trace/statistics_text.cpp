#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trace/access_table.h"
#include "trace/statistics.h"

namespace platter::trace {
namespace {

double percent(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(of);
}

std::string amount(double bytes) {
  const char* unit = "bytes";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 && std::floor(bytes) != bytes ? 1 : 0, unit);
}

// Numbers of any size in at most eight characters, whole ones without a point.
std::string figure(double value) {
  if (value >= 1e8) return fmt::format("{:.2e}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  const int digits = static_cast<int>(std::floor(std::log10(value))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(4 - digits, 0, 3));
}

std::string spread_head(const char* what) {
  return fmt::format("{:<34}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}\n", what, "mean", "min", "10 %",
                     "50 %", "90 %", "99 %", "max");
}

std::string spread_row(const std::string& what, const Histogram& numbers, double unit = 1) {
  if (numbers.count() == 0) return {};
  std::string text = fmt::format("  {:<32}{:>9}{:>9}", what, figure(numbers.mean() / unit),
                                 figure(static_cast<double>(numbers.least()) / unit));
  for (const double share : {0.1, 0.5, 0.9, 0.99})
    text += fmt::format("{:>9}", figure(numbers.quantile(share) / unit));
  return text + fmt::format("{:>9}\n", figure(static_cast<double>(numbers.most()) / unit));
}

std::string summary(const Statistics& statistics) {
  const double block = statistics.source.block_bytes;
  const std::uint64_t requests = statistics.requests(), reads = statistics.reads.blocks.count();
  std::string text = fmt::format(
      "{} is {} trace: {} requests, {} reads ({:.1f} %) and {} writes of {} to {} blocks (mean "
      "{:.1f}), LBN {} to {}, {} in all.\n",
      statistics.source.name, statistics.open() ? "an open" : "a closed", requests, reads,
      percent(reads, requests), requests - reads, statistics.all.blocks.least(),
      statistics.all.blocks.most(), statistics.all.blocks.mean(), statistics.first_lbn,
      statistics.last_lbn, amount(static_cast<double>(statistics.blocks) * block));
  const Sequentiality& seen = statistics.sequentiality;
  const std::uint64_t sequential = seen.continuing(1), pairs = statistics.pairs();
  text += fmt::format("{:.1f} % are sequential, {:.1f} % more within 500 LBNs of the one before",
                      percent(sequential, pairs), percent(statistics.local, pairs));
  const std::size_t streams = seen.streams_for(0.99);
  const double continuing = percent(seen.continuing(streams), pairs);
  if (continuing >= percent(sequential, pairs) + 0.1)
    text += fmt::format("; {:.1f} % continue one of the last {} streams", continuing, streams);
  text += fmt::format(".\nMean {}: {:.3f} ms",
                      statistics.open() ? "time between arrivals" : "think time",
                      statistics.gaps_ns.mean() / 1e6);
  if (const auto rate_hz = statistics.rate_hz())
    text += fmt::format(", {} requests a second", figure(*rate_hz));
  if (statistics.open())
    text += fmt::format(" for {} s", figure(static_cast<double>(statistics.span_ns()) / 1e9));
  text += ".\n";
  if (const std::uint64_t measured = statistics.services_ns.count(); measured > 0)
    text += fmt::format("{} service times were measured, mean {:.3f} ms.\n", measured,
                        statistics.services_ns.mean() / 1e6);
  return text;
}

std::string sizes_text(const Statistics& statistics) {
  std::string text = spread_head("Sizes, blocks") + spread_row("all", statistics.all.blocks) +
                     spread_row("reads", statistics.reads.blocks) +
                     spread_row("writes", statistics.writes.blocks);
  text += "  most common: ";
  const char* between = "";
  for (const Histogram::Class& each : statistics.all.blocks.most_common(6)) {
    const std::string blocks = each.first == each.last
                                   ? fmt::format("{}", each.first)
                                   : fmt::format("{} to {}", each.first, each.last);
    text += fmt::format("{}{} ({:.1f} %)", between, blocks,
                        percent(each.count, statistics.requests()));
    between = ", ";
  }
  return text + "\n";
}

std::string strides_text(const Statistics& statistics) {
  const std::uint64_t pairs = statistics.pairs();
  if (pairs == 0) return {};
  std::string text =
      spread_head("Strides, blocks from the end before") +
      spread_row(fmt::format("forward, {:.1f} %", percent(statistics.forward.count(), pairs)),
                 statistics.forward) +
      spread_row(fmt::format("backward, {:.1f} %", percent(statistics.backward.count(), pairs)),
                 statistics.backward) +
      fmt::format("  {:<32}{:>36}\n", "all, with the sequential ones",
                  figure(statistics.distance.median()));
  text += spread_head("Strides by type, begin to begin") +
          spread_row("reads", statistics.reads.strides) +
          spread_row("writes", statistics.writes.strides);
  return text;
}

std::string sequentiality_text(const Statistics& statistics) {
  const Sequentiality& seen = statistics.sequentiality;
  std::string text = fmt::format(
      "Runs: {}, {} requests and {} blocks on average, longest {} requests and {} blocks\n",
      seen.runs(),
      figure(static_cast<double>(statistics.requests()) / static_cast<double>(seen.runs())),
      figure(static_cast<double>(statistics.blocks) / static_cast<double>(seen.runs())),
      seen.longest_run_requests(), seen.longest_run_blocks());
  if (seen.streams() == 0) return text;
  text += fmt::format(
      "Streams: {} of two requests or more, {} requests on average, longest {}\n", seen.streams(),
      figure(static_cast<double>(seen.requests_in_streams()) / static_cast<double>(seen.streams())),
      seen.longest_stream_requests());
  std::string head = fmt::format("  {:<32}", "so many streams remembered"), row;
  for (std::size_t streams = 1; streams <= Sequentiality::kRemembered; streams *= 2) {
    head += fmt::format("{:>9}", streams);
    row += fmt::format("{:>9.1f}", percent(seen.continuing(streams), statistics.pairs()));
  }
  return text + head + fmt::format("\n  {:<32}{}\n", "continue one of them, %", row);
}

std::string places(const Statistics& statistics) {
  const double block = statistics.source.block_bytes;
  const Footprint& touched = statistics.footprint;
  std::string text = fmt::format(
      "Regions of {} touched: {}{}; {:.1f} % of the requests lie in such as were touched before\n",
      amount(static_cast<double>(touched.region_blocks()) * block),
      touched.exact() ? "" : "at least ", touched.regions(),
      percent(statistics.touched_before, statistics.requests()));
  std::string head = fmt::format("{:<34}", "On a multiple of"), begins, ends;
  for (const int power : {1, 3, 4, 5, 6, 7, 11}) {
    head += fmt::format("{:>9}", amount(block * (1 << power)));
    begins += fmt::format("{:>9.1f}",
                          percent(statistics.alignment.begins(power), statistics.requests()));
    ends += fmt::format(
        "{:>9.1f}", percent(statistics.alignment.begins_and_ends(power), statistics.requests()));
  }
  return text + fmt::format("{}\n  {:<32}{}\n  {:<32}{}\n", head, "begin, %", begins,
                            "begin and end, %", ends);
}

std::string times_text(const Statistics& statistics) {
  const Histogram& gaps = statistics.gaps_ns;
  std::string text = spread_head("Times, ms") +
                     spread_row(statistics.open() ? "between arrivals" : "think times", gaps, 1e6) +
                     spread_row("service times", statistics.services_ns, 1e6);
  if (gaps.mean() > 0)
    text += fmt::format("  {:.1f} % of the {} are 0, standard deviation over mean {:.2f}\n",
                        percent(gaps.zeros(), gaps.count()),
                        statistics.open() ? "times between arrivals" : "think times",
                        gaps.deviation() / gaps.mean());
  return text;
}

std::string rhythm(const Statistics& statistics) {
  std::string text;
  for (const Windows& each : statistics.windows) {
    if (each.windows() < 2) continue;
    if (text.empty()) text = "Arrivals in a window\n";
    text += fmt::format("  {:>6} ms: at most {}, variance over mean {}\n", to_ms(each.length_ns()),
                        each.most(), figure(each.dispersion()));
  }
  const Histogram& found = statistics.outstanding.found();
  if (found.count() > 0)
    text += spread_head("Outstanding") + spread_row("found by an arrival", found);
  return text;
}

std::string text_of(const Statistics& statistics) {
  if (statistics.requests() == 0)
    return fmt::format("{} holds no request.\n", statistics.source.name);
  std::string text = summary(statistics) + "\n" + sizes_text(statistics);
  text += strides_text(statistics) + sequentiality_text(statistics) + places(statistics);
  text += times_text(statistics) + rhythm(statistics);
  return text + "\n" + access_table({&statistics, 1});
}

}  // namespace

std::string to_text(std::span<const Statistics> traces) {
  std::string text;
  for (const Statistics& each : traces) {
    if (!text.empty()) text += "\n";
    text += text_of(each);
  }
  return text;
}

}  // namespace platter::trace
