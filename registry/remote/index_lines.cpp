#include "registry/remote/index_lines.h"

#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "model/error.h"
#include "model/json_text.h"
#include "model/strict_json.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"
#include "registry/reference.h"
#include "registry/remote/remotes.h"

namespace platter::registry_remote {
namespace {

using Json = nlohmann::json;
using registry::Entry;

constexpr std::size_t kLargestLine = std::size_t{1} << 20;
// Two digests of an entry, which nothing packs; what else it says is packed to a tenth. Of one with
// signatures some 30 values are counted.
constexpr std::uint64_t kLeastPacked = 64, kMostTimes = 16, kValuesOfEntry = 48;
constexpr int kLevel = 19;  // 115 bytes an entry; 132 at level 12

[[noreturn]] void no_part(const std::string& origin, const std::string& what) {
  throw Error(ExitStatus::bad_input, fmt::format("{}: {}", origin, what));
}

std::string line_of(const Entry& entry) {
  Json json = {{"tag", entry.drive + "." + entry.tag},
               {"digest", entry.digest},
               {"annotations", entry.annotations},
               {"files", entry.files}};
  for (const registry::Signature& one : entry.signatures)
    json["signatures"].push_back({{"payload", one.payload}, {"signature", one.base64}});
  return registry::canonical_json(model::json_text(json), "index") + "\n";
}

Entry entry_of(const Json& json, std::size_t digit, const std::string& remote,
               const std::string& origin) {
  Entry entry;
  entry.remote = remote;
  const auto tag = entry_tag(json.at("tag").get<std::string>());
  if (!tag) no_part(origin, "has an entry whose tag is no NAME.vN");
  entry.drive = tag->drive;
  entry.tag = tag->version;
  entry.digest = json.at("digest").get<std::string>();
  entry.annotations = json.at("annotations").get<registry::Annotations>();
  entry.files = json.at("files").get<std::vector<std::string>>();
  if (!registry::is_digest(entry.digest))
    no_part(origin, fmt::format("{} has no SHA-256 digest", tag->text()));
  const std::string identity = entry.annotation(registry::kDriveKey);
  if (!registry::is_digest(identity) || registry::hex_of(identity).front() != kHexDigits[digit])
    no_part(origin, fmt::format("{} belongs into another part of the index", tag->text()));
  if (const auto signatures = json.find("signatures"); signatures != json.end()) {
    for (const Json& one : *signatures)
      entry.signatures.push_back(
          {one.at("payload").get<std::string>(), one.at("signature").get<std::string>()});
  }
  return entry;
}

std::size_t digit_of(const Entry& entry) {
  const std::string identity = entry.annotation(registry::kDriveKey);
  if (!registry::is_digest(identity))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: says no identity of a drive", entry.reference()));
  return std::string_view(kHexDigits).find(registry::hex_of(identity).front());
}

std::string packed(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(),
                                         kLevel);
  if (ZSTD_isError(size) != 0U)
    throw Error(ExitStatus::internal, "zstd does not compress an index");
  bytes.resize(size);
  return bytes;
}

// Visits the lines while it expands: what is hostile costs no more memory than a line.
template <typename Visit>
void for_lines(const std::string& bytes, const std::string& origin, model::ReadBudget& budget,
               Visit visit) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  std::string piece(ZSTD_DStreamOutSize(), '\0'), rest;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t state = 1;
  bool more = true;
  while (more) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t before = in.pos;
    state = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(state) != 0U) no_part(origin, "is no zstd");
    budget.take(model::Cost::expanded, out.pos);
    budget.require_time();
    rest.append(piece, 0, out.pos);
    std::size_t from = 0;
    for (std::size_t end = 0; (end = rest.find('\n', from)) != std::string::npos; from = end + 1)
      visit(std::string_view(rest).substr(from, end - from));
    rest.erase(0, from);
    if (rest.size() > kLargestLine) no_part(origin, "has a line that is longer than any");
    more = out.pos == out.size || (in.pos < in.size && (in.pos > before || out.pos > 0));
  }
  if (state != 0 || in.pos != in.size || !rest.empty()) no_part(origin, "is cut off");
}

}  // namespace

void require_indexable(const Entry& entry) {
  const std::size_t digit = digit_of(entry);
  const std::string part = packed(line_of(entry));
  model::ReadBudget budget = index_budget(entry.reference(), part.size());
  static_cast<void>(entries_in(part, digit, entry.remote, entry.reference(), budget));
}

std::array<std::string, kParts> index_parts(const std::vector<Entry>& entries) {
  std::array<std::map<std::string, std::string>, kParts> lines;
  for (const Entry& entry : entries) {
    lines[digit_of(entry)][entry.drive + "." + entry.tag] = line_of(entry);
  }
  std::array<std::string, kParts> parts;
  for (std::size_t i = 0; i < kParts; ++i) {
    std::string text;
    for (const auto& [tag, line] : lines[i]) text += line;
    parts[i] = packed(text);
  }
  return parts;
}

model::ReadBudget index_budget(const std::string& origin, std::uint64_t bytes) {
  using model::Cost;
  model::ReadBudget budget(origin);
  budget.allow(Cost::expanded, budget.most(Cost::expanded) + kMostTimes * bytes);
  budget.allow(Cost::entries, budget.most(Cost::entries) + bytes / kLeastPacked);
  budget.allow(Cost::values, kValuesOfEntry * budget.most(Cost::entries));
  return budget;
}

std::vector<Entry> entries_in(const std::string& part, std::size_t digit, const std::string& remote,
                              const std::string& origin, model::ReadBudget& budget) {
  std::vector<Entry> entries;
  std::set<std::string> tags;
  std::map<std::string, std::uint64_t> highest;
  for_lines(part, origin, budget, [&](std::string_view line) {
    budget.take(model::Cost::entries, 1);
    const Json json = model::parse_strictly<Json>(line, origin, budget,
                                                  {.depth = 8, .members = 1024});
    try {
      entries.push_back(entry_of(json, digit, remote, origin));
    } catch (const Json::exception&) {
      no_part(origin, "has a line that is no entry");
    }
    const Entry& entry = entries.back();
    if (!tags.insert(entry.drive + "." + entry.tag).second)
      no_part(origin, fmt::format("has {}.{} twice", entry.drive, entry.tag));
    std::uint64_t& version = highest[entry.drive];
    version = std::max(version, registry::version_number(entry.tag));
  });
  for (Entry& entry : entries)
    entry.latest = registry::version_number(entry.tag) == highest[entry.drive];
  return entries;
}

}  // namespace platter::registry_remote
