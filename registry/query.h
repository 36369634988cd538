// What one looks for in a registry: words, and ranges of figures as people type them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace platter::registry {

struct Range {
  std::optional<double> least, most;
  bool above = false, below = false;  // the bound itself is not meant

  bool holds(double figure) const;
};

// Half open. ISO 8601, so the order of the letters is that of time.
struct Dates {
  std::string from, before;  // empty: no bound
};

// An entry is found if all of it holds.
struct Query {
  std::vector<std::string> words = {};  // each in some annotation, name or title; in any case. One
                                        // that looks like a digest also finds that manifest's entry
  std::string vendor = {}, product = {}, revision = {}, form_factor = {}, method = {};  // it begins
                                                                                        // so, in
                                                                                        // any case
  std::optional<Range> capacity = {}, rpm = {}, block_size = {};  // bytes, 1/min, bytes
  std::optional<Dates> date = {};
  std::vector<std::pair<std::string, Range>> demerits = {};           // by workload, in percent
  std::vector<std::pair<std::string, std::string>> annotations = {};  // exactly
  std::size_t limit = 0;                                              // 0: all
  bool only_local = false;                                            // none of a remote

  bool is_empty() const;  // every entry is found, whatever the limit
};

enum class Figure { capacity, rpm, block_size, percent };

// "7200", ">4T", ">=4T", "<2%", "4T..8T", "4T..", with k, M, G, T, P (thousands, as drives are
// sold) or KiB, MiB, GiB, TiB, PiB; of a block size, k is 1,024. Capacities and speeds are nominal:
// a bound means every figure within 1 % of it, so 7200 finds 7198.4, and >4T no drive of 4.0008 TB.
// Throws Error(usage), which names `option`.
Range parse_range(Figure figure, const std::string& text, const std::string& option);

// "2026", "2026-03..2026-05", ">=2026-02-01": a year means all of its days.
Dates parse_dates(const std::string& text, const std::string& option);

// WORKLOAD:RANGE.
std::pair<std::string, Range> parse_demerit(const std::string& text, const std::string& option);

// KEY=VALUE.
std::pair<std::string, std::string> parse_annotation(const std::string& text,
                                                     const std::string& option);

}  // namespace platter::registry
