#include "safety/journal_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "model/checked_line.h"
#include "model/error.h"
#include "model/formats.h"
#include "model/strict_json.h"
#include "safety/journal.h"

namespace platter::safety {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestBlockBytes = 1 << 20;

void require(bool good) {
  if (!good) throw std::invalid_argument("journal");
}

// A whole number that is there as one: the JSON library would turn -1 into 2^64 - 1.
std::uint64_t count_of(const Json& parent, const char* name) {
  require(parent.at(name).is_number_unsigned());
  return parent.at(name).get<std::uint64_t>();
}

struct Entry {
  std::uint64_t lbn = 0;
  std::vector<std::uint8_t> bytes;
};

Entry entry_of(const std::string& object, const model::Identity& drive) {
  const Json json = model::parse_strictly<Json>(object, "it");
  Entry entry{count_of(json, "lbn"), unhex(json.at("bytes").get<std::string>())};
  require(!entry.bytes.empty() && entry.bytes.size() % drive.block_bytes == 0);
  require(entry.lbn < drive.blocks &&
          entry.bytes.size() / drive.block_bytes <= drive.blocks - entry.lbn);
  return entry;
}

JournalContents head_of(const std::string& object) {
  JournalContents contents;
  const Json head = model::parse_strictly<Json>(object, "it");
  require(model::is_known(head, kSchemaName));
  contents.device = head.at("device");
  contents.identity.vendor = head.at("vendor");
  contents.identity.product = head.at("product");
  contents.identity.serial = head.at("serial");
  contents.identity.blocks = count_of(head, "blocks");
  const std::uint64_t block_bytes = count_of(head, "block_bytes");
  require(block_bytes > 0 && block_bytes <= kLargestBlockBytes);
  contents.identity.block_bytes = static_cast<std::uint32_t>(block_bytes);
  contents.settings = settings_in(head);
  contents.blocks = BlockContents(contents.identity.block_bytes);
  return contents;
}

std::optional<std::uint64_t> lbn_in(std::string_view damaged) {
  constexpr std::string_view kName = "\"lbn\":";
  const std::size_t at = damaged.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = damaged.substr(at + kName.size());
  std::uint64_t lbn = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), lbn);
  if (read.ec != std::errc() || read.ptr == text.data() + text.size() || *read.ptr != ',')
    return std::nullopt;
  return lbn;
}

// What a crash leaves of a line is its beginning, as it was to be.
bool is_torn_entry(std::string_view text) {
  constexpr std::string_view kDecimal = "0123456789", kHex = "0123456789abcdef";
  constexpr struct {
    std::string_view literal, digits;
  } kEntry[] = {{"{\"lbn\":", kDecimal}, {",\"bytes\":\"", kHex}, {"\",\"line\":[", kDecimal},
                {",", kDecimal},         {",\"", kHex},           {"\"]}", ""}};
  for (const auto& [literal, digits] : kEntry) {
    if (literal.starts_with(text)) return true;
    if (!text.starts_with(literal)) return false;
    text.remove_prefix(literal.size());
    text.remove_prefix(std::min(text.find_first_not_of(digits), text.size()));
  }
  return text.empty();
}

class JournalReader {
 public:
  explicit JournalReader(std::string path) : path_(std::move(path)) {}

  JournalContents read() {
    constexpr std::size_t kLongestLine = 1 << 28;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path_, failed)) no_journal("is no file");
    std::ifstream file(path_, std::ios::binary);
    if (!file)
      throw Error(ExitStatus::permission,
                  path_ + " may not be read by this user; check its permissions");
    std::string line;
    model::LineRead read{};
    do {
      read = model::read_line(file, line, kLongestLine);
      if (read == model::LineRead::too_long)
        no_journal("has a line that is longer than any of a journal");
      if (read == model::LineRead::failed)
        throw Error(ExitStatus::bad_input,
                    path_ + " cannot be read to its end; restore from a copy of it");
      take(line, read == model::LineRead::whole);
    } while (read != model::LineRead::none);
    if (!contents_) no_journal("has no first line that is whole");
    // Behind the last whole one.
    if (remains_) damaged(last_ + 1, last_ + 1);
    if (remains_ && last_ < kJournalHeads) contents_->torn = true;
    return std::move(*contents_);
  }

 private:
  // Parts of it may be whole where its end, or that of the line before, is not.
  void take(std::string_view text, bool ended) {
    std::size_t from = 0;
    for (const model::CheckedLine& line : model::checked_lines_in(text)) {
      if (line.begin > from) remains(text.substr(from, line.begin - from));
      from = line.end;
      take(line);
    }
    const std::string_view rest = text.substr(from);
    if (rest.empty()) return;
    if (ended || !contents_ || !is_torn_entry(rest)) return remains(rest);
    contents_->torn = true;
  }

  void take(const model::CheckedLine& line) {
    if (line.number <= last_) return;  // it is there twice
    if (line.number > last_ + 1) damaged(last_ + 1, line.number - 1);
    last_ = line.number;
    remains_ = false;
    lbn_.reset();
    try {
      if (line.number > kJournalHeads) {
        if (!contents_) no_journal("has no first line that is whole");
        const Entry entry = entry_of(line.object, contents_->identity);
        contents_->blocks.add(entry.lbn, entry.bytes);
      } else if (!contents_) {
        contents_ = head_of(line.object);
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      no_journal(
          fmt::format("has a line {} that is none of a journal of this version", line.number));
    }
  }

  void remains(std::string_view text) {
    remains_ = true;
    if (!lbn_) lbn_ = lbn_in(text);
  }

  // Of the heads one is enough.
  void damaged(std::uint64_t first, std::uint64_t last) {
    first = std::max(first, kJournalHeads + 1);
    if (first <= last && contents_) contents_->damaged.push_back({first, last, lbn_});
  }

  [[noreturn]] void no_journal(const std::string& why) const {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{} is no safety journal of this platter, or a damaged one: it {}; name "
                    "the file that an interrupted run left",
                    path_, why));
  }

  std::string path_;
  std::optional<JournalContents> contents_;
  std::uint64_t last_ = 0;            // whole line
  bool remains_ = false;              // something stands behind it
  std::optional<std::uint64_t> lbn_;  // that it tells
};

}  // namespace

// As long as the writes of its run were: of any length, and read line by line.
JournalContents read_journal(const std::string& path) { return JournalReader(path).read(); }

std::string damage_in_words(const JournalContents& journal) {
  if (journal.damaged.empty()) return "";
  std::vector<std::string> lines, lbns;
  std::uint64_t count = 0;
  for (const DamagedLines& damage : journal.damaged) {
    count += damage.last - damage.first + 1;
    lines.push_back(damage.first == damage.last
                        ? fmt::format("{}", damage.first)
                        : fmt::format("{} to {}", damage.first, damage.last));
    if (damage.lbn) lbns.push_back(fmt::format("{}", *damage.lbn));
  }
  const std::string known = lbns.empty()
                                ? "of which blocks cannot be read any more"
                                : fmt::format("LBN {} and what follows it, as far as can be read",
                                              fmt::join(lbns, ", "));
  return fmt::format("line{} {} {} damaged ({})", count == 1 ? "" : "s", fmt::join(lines, ", "),
                     count == 1 ? "is" : "are", known);
}

}  // namespace platter::safety
