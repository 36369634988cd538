#include "trace/access_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace platter::trace {
namespace {

AccessRow row(const Statistics& statistics, bool write) {
  const Accesses& accesses = write ? statistics.writes : statistics.reads;
  const double block = statistics.source.block_bytes;
  return {.configuration = std::filesystem::path(statistics.source.name).stem().string(),
          .write = write,
          .number = accesses.blocks.count(),
          .mean_bytes = accesses.blocks.mean() * block,
          .median_bytes = accesses.blocks.median() * block,
          .min_bytes = static_cast<double>(accesses.blocks.least()) * block,
          .max_bytes = static_cast<double>(accesses.blocks.most()) * block,
          .median_stride_bytes = accesses.strides.median() * block};
}

std::string bytes(const AccessRow& row, double value) {
  return row.number == 0 ? "-" : fmt::format("{:.0f}", value);
}

}  // namespace

std::array<AccessRow, 2> access_rows(const Statistics& statistics) {
  return {row(statistics, false), row(statistics, true)};
}

std::string access_table(std::span<const Statistics> traces) {
  std::vector<AccessRow> rows;
  for (const Statistics& each : traces)
    std::ranges::copy(access_rows(each), std::back_inserter(rows));
  std::size_t width = std::string_view("Configurations").size();
  for (const AccessRow& row : rows) width = std::max(width, row.configuration.size());
  std::string text = fmt::format(
      "{:<{}}  Type of access  Number of IO  Mean (bytes)  Median (bytes)  Min (bytes)  "
      "Max (bytes)\n",
      "Configurations", width);
  for (const AccessRow& row : rows)
    text += fmt::format("{:<{}}  {:<14}  {:>12}  {:>12}  {:>14}  {:>11}  {:>11}\n",
                        row.write ? "" : row.configuration, width, row.write ? "Write" : "Read",
                        row.number, bytes(row, row.mean_bytes), bytes(row, row.median_bytes),
                        bytes(row, row.min_bytes), bytes(row, row.max_bytes));
  return text;
}

}  // namespace platter::trace
