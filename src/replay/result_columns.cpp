#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "replay/result_forms.h"

namespace platter::replay {
namespace {

static_assert(std::endian::native == std::endian::little,
              "columns are written as they lie in memory");

enum Column : std::size_t { flags, lbn, blocks, due_ns, waited_ns, late_ns, response_ns };
constexpr std::array<const char*, 7> kColumns = {"flags",     "lbn",     "blocks",     "due_ns",
                                                 "waited_ns", "late_ns", "response_ns"};
constexpr std::uint64_t kWrite = 1, kMediaKnown = 2, kMedia = 4, kReference = 8;
constexpr std::uint64_t kAllFlags = 15;

constexpr std::size_t kGroupRows = 65536;
constexpr std::size_t kHeadUnit = 512;  // bytes
constexpr std::size_t kHeadRoom = 640;  // for what only the end knows
constexpr std::size_t kMostHeadBytes = 1 << 20;

using Values = std::array<std::vector<std::uint64_t>, kColumns.size()>;

struct GroupHead {
  std::uint64_t crc = 0;  // CRC-32 of all that follows in the group
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // of what follows these three
};
// A column's values are base + what is stored, in so many bytes each; none if all are the base.
struct ColumnHead {
  std::int64_t base = 0;
  std::uint64_t width = 0;  // 0, 1, 2, 4 or 8
};
constexpr std::size_t kTableBytes = kColumns.size() * sizeof(ColumnHead);
constexpr std::size_t kBehindCrc = sizeof(GroupHead) - sizeof(std::uint64_t);

std::size_t padded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::uint64_t crc_of(std::string_view bytes) {
  return ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::uint64_t width_of(std::uint64_t range) {
  if (range == 0) return 0;
  return std::bit_ceil((static_cast<std::uint64_t>(std::bit_width(range)) + 7) / 8);
}

template <class Stored>
void put_as(std::span<const std::uint64_t> values, std::uint64_t base, char* out) {
  for (const std::uint64_t value : values) {
    const auto stored = static_cast<Stored>(value - base);
    std::memcpy(out, &stored, sizeof stored);
    out += sizeof stored;
  }
}

void put(std::span<const std::uint64_t> values, const ColumnHead& column, char* out) {
  const auto base = static_cast<std::uint64_t>(column.base);
  if (column.width == 1) put_as<std::uint8_t>(values, base, out);
  if (column.width == 2) put_as<std::uint16_t>(values, base, out);
  if (column.width == 4) put_as<std::uint32_t>(values, base, out);
  if (column.width == 8) put_as<std::uint64_t>(values, base, out);
}

template <class Stored>
void get_as(const char* in, std::uint64_t base, std::vector<std::uint64_t>& values) {
  for (std::uint64_t& value : values) {
    Stored stored;
    std::memcpy(&stored, in, sizeof stored);
    value = base + stored;
    in += sizeof stored;
  }
}

void get(const char* in, const ColumnHead& column, std::vector<std::uint64_t>& values) {
  const auto base = static_cast<std::uint64_t>(column.base);
  if (column.width == 0) std::ranges::fill(values, base);
  if (column.width == 1) get_as<std::uint8_t>(in, base, values);
  if (column.width == 2) get_as<std::uint16_t>(in, base, values);
  if (column.width == 4) get_as<std::uint32_t>(in, base, values);
  if (column.width == 8) get_as<std::uint64_t>(in, base, values);
}

ColumnHead head_of_values(std::span<const std::uint64_t> values) {
  auto least = static_cast<std::int64_t>(values.front()), most = least;
  for (const std::uint64_t value : values) {
    least = std::min(least, static_cast<std::int64_t>(value));
    most = std::max(most, static_cast<std::int64_t>(value));
  }
  return {least, width_of(static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least))};
}

std::string group_of(const Values& values) {
  const std::size_t rows = values[flags].size();
  std::array<ColumnHead, kColumns.size()> table;
  std::size_t bytes = kTableBytes;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = head_of_values(values[i]);
    bytes += padded(rows * table[i].width, 8);
  }
  GroupHead head{.rows = rows, .bytes = bytes};
  std::string group(sizeof head + bytes, '\0');
  std::memcpy(group.data() + sizeof head, table.data(), kTableBytes);
  char* out = group.data() + sizeof head + kTableBytes;
  for (std::size_t i = 0; i < table.size(); ++i) {
    put(values[i], table[i], out);
    out += padded(rows * table[i].width, 8);
  }
  std::memcpy(group.data(), &head, sizeof head);
  head.crc = crc_of(std::string_view(group).substr(sizeof head.crc));
  std::memcpy(group.data(), &head, sizeof head);
  return group;
}

// What the head says of the bytes behind it.
struct Extent {
  std::size_t head_bytes = 0;
  std::uint64_t rows = 0, bytes = 0;  // of the file
};

std::string text_of(const ResultHead& head, const Extent& extent) {
  const nlohmann::ordered_json more = {{"rows", extent.rows},
                                       {"head_bytes", extent.head_bytes},
                                       {"bytes", extent.bytes},
                                       {"columns", kColumns}};
  return head_text(head, model::json_text(more));
}

Extent extent_of(std::string_view text, const std::string& path) {
  try {
    const auto json = model::parse_strictly<nlohmann::json>(text, path);
    if (json.at("columns") != nlohmann::json(kColumns))
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: has the columns {}, this platter reads {}; replay again", path,
                              model::json_text(json.at("columns")),
                              model::json_text(nlohmann::json(kColumns))));
    return {.head_bytes = json.at("head_bytes").get<std::size_t>(),
            .rows = json.at("rows").get<std::uint64_t>(),
            .bytes = json.at("bytes").get<std::uint64_t>()};
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: its head does not tell where its columns are: {}", path, error.what()));
  }
}

class ColumnsWriter final : public ResultWriter {
 public:
  ColumnsWriter(const std::string& path, const ResultHead& head)
      : file_(path, padded(text_of(head, {}).size() + kHeadRoom, kHeadUnit)) {
    for (std::vector<std::uint64_t>& column : values_) column.reserve(kGroupRows);
    extent_.head_bytes = extent_.bytes = file_.head_bytes();
  }

  void add(Part part, std::span<const Response> rows) override {
    for (const Response& row : rows) {
      values_[flags].push_back((row.write ? kWrite : 0) | (row.media ? kMediaKnown : 0) |
                               (row.media == true ? kMedia : 0) |
                               (part == Part::reference ? kReference : 0));
      values_[lbn].push_back(row.lbn);
      values_[blocks].push_back(row.blocks);
      values_[due_ns].push_back(static_cast<std::uint64_t>(row.due_ns));
      values_[waited_ns].push_back(static_cast<std::uint64_t>(row.waited_ns));
      values_[late_ns].push_back(static_cast<std::uint64_t>(row.late_ns()));
      values_[response_ns].push_back(static_cast<std::uint64_t>(row.response_ns));
      if (values_[flags].size() == kGroupRows) flush();
    }
  }

  void finish(const ResultHead& head) override {
    flush();
    std::uint64_t crc = 0;
    extent_.bytes += sizeof crc;
    std::string text = text_of(head, extent_);
    text.resize(file_.head_bytes() - 1, ' ');
    text += '\n';
    crc = crc_of(text);
    file_.write({reinterpret_cast<const char*>(&crc), sizeof crc});
    file_.finish(text);
  }

 private:
  void flush() {
    if (values_[flags].empty()) return;
    const std::string group = group_of(values_);
    extent_.rows += values_[flags].size();
    extent_.bytes += group.size();
    file_.write(group);
    for (std::vector<std::uint64_t>& column : values_) column.clear();
  }

  HeadedFile file_;
  Extent extent_{};
  Values values_{};
};

class ColumnsReader final : public ResultReader {
 public:
  ColumnsReader(Bytes bytes, const std::string& path) : bytes_(std::move(bytes)), path_(path) {
    std::string text;
    while (text.find('\n') == std::string::npos && text.size() < kMostHeadBytes) {
      const std::size_t had = text.size();
      bytes_.fill(text, had + kHeadUnit);
      if (text.size() == had) break;
    }
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) fail("its first line does not end");
    head_ = head_of(std::string_view(text).substr(0, end), path_);
    extent_ = extent_of(std::string_view(text).substr(0, end), path_);
    if (extent_.head_bytes != text.size() || end + 1 != text.size())
      fail(fmt::format("its head ends at byte {} and not, as it says, at {}", end + 1,
                       extent_.head_bytes));
    at_ = text.size();
    head_crc_ = crc_of(text);
  }

  const ResultHead& head() const override { return head_; }

  bool read(Part& part, std::vector<Response>& rows) override {
    rows.clear();
    while (next_ == values_[flags].size())
      if (!read_group()) return false;
    const bool reference = values_[flags][next_] & kReference;
    part = reference ? Part::reference : Part::trace;
    for (; next_ < values_[flags].size(); ++next_) {
      if (((values_[flags][next_] & kReference) != 0) != reference) break;
      rows.push_back(row(next_));
    }
    return true;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: {}; it is damaged, replay again", path_, what));
  }

  // Takes so many bytes of the file.
  std::string take(std::uint64_t bytes) {
    std::string taken;
    if (at_ + bytes <= extent_.bytes) bytes_.fill(taken, bytes);
    if (taken.size() != bytes)
      fail(fmt::format("it ends at byte {} of {}", at_ + taken.size(), extent_.bytes));
    at_ += bytes;
    return taken;
  }

  bool read_group() {
    if (rows_ == extent_.rows) {
      finish();
      return false;
    }
    std::string group = take(sizeof(GroupHead));
    GroupHead head;
    std::memcpy(&head, group.data(), sizeof head);
    constexpr std::uint64_t kMostBytes = kTableBytes + kColumns.size() * 8 * kGroupRows;
    if (head.rows == 0 || head.rows > std::min<std::uint64_t>(kGroupRows, extent_.rows - rows_) ||
        head.bytes < kTableBytes || head.bytes > kMostBytes)
      fail(fmt::format("the row group at byte {} has no possible size", at_ - sizeof head));
    group += take(head.bytes);
    if (head.crc != crc_of(std::string_view(group).substr(sizeof head.crc)))
      fail(fmt::format("the checksum of the row group at byte {} is wrong", at_ - group.size()));
    // Of the requests of a replay no two are alike in all columns: each has a byte at least.
    if (rows_ + head.rows > at_ + kGroupRows)
      fail(fmt::format("before byte {} it has more rows than bytes, as no replay has", at_));
    decode(std::string_view(group).substr(sizeof head), head.rows);
    rows_ += head.rows;
    next_ = 0;
    return true;
  }

  void decode(std::string_view bytes, std::size_t rows) {
    std::array<ColumnHead, kColumns.size()> table;
    std::memcpy(table.data(), bytes.data(), kTableBytes);
    std::size_t at = kTableBytes;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::uint64_t width = table[i].width;
      if (width > 8 || (width != 0 && !std::has_single_bit(width)) ||
          padded(rows * width, 8) > bytes.size() - at)
        fail(fmt::format("the column {} before byte {} has no possible width", kColumns[i], at_));
      values_[i].resize(rows);
      get(bytes.data() + at, table[i], values_[i]);
      at += padded(rows * width, 8);
    }
    if (at != bytes.size()) fail(fmt::format("the row group before byte {} is too long", at_));
  }

  Response row(std::size_t index) const {
    const auto value = [&](Column column) { return values_[column][index]; };
    const std::uint64_t bits = value(flags);
    Response row{
        .lbn = value(lbn),
        .blocks = static_cast<std::uint32_t>(value(blocks)),
        .write = (bits & kWrite) != 0,
        .due_ns = static_cast<Nanoseconds>(value(due_ns)),
        .issue_ns = static_cast<Nanoseconds>(value(due_ns) + value(waited_ns) + value(late_ns)),
        .response_ns = static_cast<Nanoseconds>(value(response_ns)),
        .waited_ns = static_cast<Nanoseconds>(value(waited_ns))};
    if (bits & kMediaKnown) row.media = (bits & kMedia) != 0;
    if (bits > kAllFlags || row.blocks != value(blocks) || !has_possible_times(row))
      fail(fmt::format("row {} is none of a replay", rows_ - values_[flags].size() + index + 1));
    return row;
  }

  void finish() {
    if (finished_) return;
    std::uint64_t crc = 0;
    const std::string bytes = take(sizeof crc);
    std::memcpy(&crc, bytes.data(), sizeof crc);
    if (crc != head_crc_) fail("the checksum of its head is wrong");
    std::string rest;
    bytes_.fill(rest, 1);
    if (at_ != extent_.bytes || !rest.empty())
      fail(fmt::format("something follows its last byte, {}", at_));
    finished_ = true;
  }

  Bytes bytes_;
  std::string path_;
  ResultHead head_{};
  Extent extent_{};
  std::uint64_t at_ = 0, rows_ = 0, head_crc_ = 0;
  Values values_{};
  std::size_t next_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ResultReader> columns_reader(Bytes bytes, const std::string& path) {
  return std::make_unique<ColumnsReader>(std::move(bytes), path);
}

std::unique_ptr<ResultWriter> columns_writer(const std::string& path, const ResultHead& head) {
  return std::make_unique<ColumnsWriter>(path, head);
}

}  // namespace platter::replay
