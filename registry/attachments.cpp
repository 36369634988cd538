#include "registry/attachments.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "identity/drive_mark.h"
#include "model/checked_line.h"
#include "model/error.h"
#include "model/file.h"
#include "model/strict_json.h"
#include "registry/privacy.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

constexpr const char* kComparisonType = "application/vnd.platter.comparison.v1+json";
constexpr const char* kResultType = "application/vnd.platter.result.v1";
constexpr const char* kSamplesType = "application/vnd.platter.samples.v1+jsonl";
constexpr const char* kOtherType = "application/octet-stream";

// No spindle is so far off its nominal speed: drives further apart are of different speeds.
constexpr double kOtherSpeed = 0.01;
// The period of one model in the figures of another program's JSON.
constexpr double kSamePeriod = 1e-9;

std::string type_by_extension(const std::string& path) {
  static const std::map<std::string, std::string> by_extension = {
      {".parv", "application/vnd.platter.disksim.v1"},
      {".diskspecs", "application/vnd.platter.disksim.v1"},
      {".model", "application/vnd.platter.disksim.v1"},
      {".seek", "application/vnd.platter.disksim.v1"},
      {".ptab", kTableType},
      {".html", "text/html"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".json", "application/json"},
      {".jsonl", "application/jsonl"},
      {".csv", "text/csv"},
      {".txt", "text/plain"}};
  const auto found = by_extension.find(std::filesystem::path(path).extension().string());
  return found == by_extension.end() ? kOtherType : found->second;
}

std::string_view first_line_of(std::string_view content) {
  return content.substr(0, content.find('\n'));
}

// The head of a file of platter: its first line, behind "# " in CSV. Null: it has none.
Json head_in(std::string_view content) {
  std::string_view line = first_line_of(content);
  if (line.starts_with("# ")) line.remove_prefix(2);
  Json head = line.starts_with('{') ? model::parse_or_null<Json>(line) : Json();
  return head.is_object() ? head : Json();
}

std::string schema_of(const Json& document) {
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  if (!document.is_object() || schema == document.end() || !schema->is_object()) return "";
  const Json name = schema->value("name", Json());
  return name.is_string() ? name.get<std::string>() : "";
}

// A comparison is written over many lines.
Json document_in(std::string_view content) {
  Json document = model::parse_or_null<Json>(content);
  return document.is_object() ? document : Json();
}

std::string type_of(const std::string& path, const std::string& content) {
  const std::string head = schema_of(head_in(content));
  if (head == "platter-samples") return kSamplesType;
  if (head == "platter-replay-result") return kResultType;
  const std::string by_extension = type_by_extension(path);
  if (by_extension == "application/json" && schema_of(document_in(content)) == "platter-comparison")
    return kComparisonType;
  return by_extension;
}

// What tells the drive in the head of samples or of a drive's result; "" where nothing does.
std::string mark_in(const Attachment& file) {
  if (file.media_type != kSamplesType && file.media_type != kResultType) return "";
  const Json head = head_in(file.content);
  const Json mark = head.value(file.media_type == kSamplesType ? "drive" : "drive_mark", Json());
  return mark.is_string() ? mark.get<std::string>() : "";
}

Json comparisons_in(const Attachment& file) {
  if (file.media_type != kComparisonType) return Json::array();
  const Json document = document_in(file.content);
  const Json list = document.value("comparisons", Json());
  return list.is_array() ? list : Json::array({document});
}

std::optional<double> number_in(const Json& object, const char* member) {
  const auto found = object.is_object() ? object.find(member) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number()) return {};
  return found->get<double>();
}

std::string text_in(const Json& object, const char* member) {
  const Json text = object.is_object() ? object.value(member, Json()) : Json();
  return text.is_string() ? text.get<std::string>() : "";
}

// How far the period of a comparison's model is from this one's; none: one of them is not known.
std::optional<double> apart(const Json& comparison, const model::DriveModel& model) {
  const std::optional<double> period_ns = number_in(comparison, "period_ns");
  if (!period_ns || model.rotation.numerator_ns == 0) return {};
  return std::abs(*period_ns / model::revolution_ns(model.rotation) - 1);
}

[[noreturn]] void refuse_other_drive(const Attachment& file) {
  throw Error(ExitStatus::refused,
              fmt::format("{}: is of another drive than the model; leave it out", file.path));
}

std::string workload_of(const std::string& trace) {  // "random workload, seed 1"
  const std::size_t end = trace.find(" workload, seed ");
  return trace.substr(0, end);
}

// Lines of raw samples that are as they were written: where the drive's number is hidden in them
// they get checks anew, and no others.
class Checks {
 public:
  explicit Checks(const Attachment& file) {
    if (file.media_type != kSamplesType) return;
    std::istringstream lines(file.content);
    for (std::string line; std::getline(lines, line);) {
      const auto whole = model::as_checked_line(line);
      numbers_.push_back(whole ? whole->number : 0);
    }
  }
  void make_anew(std::string& content) const {
    if (numbers_.empty()) return;
    std::string text;
    std::istringstream lines(content);
    auto number = numbers_.begin();
    for (std::string line; number != numbers_.end() && std::getline(lines, line); ++number) {
      if (*number > 0) line = model::checked_line(model::without_check(line), *number);
      text += line;
      if (!lines.eof()) text += '\n';
    }
    content = std::move(text);
  }

 private:
  std::vector<std::uint64_t> numbers_;  // 0: of one that is damaged, or cut off
};

}  // namespace

std::vector<std::string> files_beside(const std::string& model_path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(model_path).parent_path();
  const std::string stem = fs::path(model_path).stem().string();
  std::vector<std::string> found;
  std::error_code none;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, none), end; !none && at != end;
       at.increment(none)) {
    const fs::path name = at->path().filename();
    const bool is_kind = name.stem() == stem && name.extension() != ".json" &&
                         type_by_extension(name.string()) != kOtherType;
    if ((is_kind || name == stem + ".samples.jsonl") && at->is_regular_file(none))
      found.push_back((folder / name).string());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<Attachment> read_attachments(const std::vector<std::string>& paths) {
  std::vector<Attachment> files;
  std::set<std::string> titles{kModelTitle};
  for (const std::string& path : paths) {
    const std::string title = std::filesystem::path(path).filename().string();
    require_plain_title(title, path);
    if (!titles.insert(title).second) {
      throw Error(ExitStatus::usage,
                  fmt::format("{}: another file of this publication is called {} too; rename one",
                              path, title));
    }
    std::string content = model::read_file(path);
    std::string type = type_of(path, content);
    files.push_back({path, title, std::move(type), std::move(content)});
  }
  return files;
}

void require_of_drive(const Attachment& attachment, const model::DriveModel& model,
                      const Tables& tables) {
  if (attachment.media_type == kTableType && tables.serial_in) {
    const std::string serial = tables.serial_in(attachment.content, attachment.path);
    const bool can_tell = !serial.empty() && !is_stand_in(serial);
    if (can_tell && serial != model.identity.serial) refuse_other_drive(attachment);
  }
  const std::string mark = mark_in(attachment);
  const std::string own = identity::drive_mark(model.identity);
  // What was measured before the number was hidden has the mark of the number itself.
  const bool can_be_told = !own.empty() && !is_stand_in(model.identity.serial);
  if (!mark.empty() && can_be_told && mark != own) refuse_other_drive(attachment);
  const Json comparisons = comparisons_in(attachment);
  const auto is_other = [&](const Json& comparison) {
    return apart(comparison, model).value_or(0) > kOtherSpeed;
  };
  if (!comparisons.empty() && std::all_of(comparisons.begin(), comparisons.end(), is_other))
    refuse_other_drive(attachment);
}

std::vector<model::Demerit> demerits_in(const Attachment& attachment,
                                        const model::DriveModel& model) {
  std::vector<model::Demerit> demerits;
  for (const Json& comparison : comparisons_in(attachment)) {
    if (text_in(comparison, "model") != model.identity.name) continue;
    if (apart(comparison, model).value_or(1) > kSamePeriod) continue;
    const Json all = comparison.value("all", Json());
    const auto requests = number_in(all, "n"), ms = number_in(all, "demerit_ms"),
               percent = number_in(all, "demerit_percent");
    // Where no phase could be compared there is no share, and the annotation has a place for one.
    const auto in_phase = number_in(all, "folded_phase_share");
    if (!requests || *requests < 1 || !ms || !percent || !in_phase) continue;
    model::Demerit demerit;
    demerit.workload = workload_of(text_in(comparison, "trace"));
    demerit.requests = static_cast<std::uint64_t>(*requests);
    demerit.demerit_ms = *ms;
    demerit.demerit_percent = *percent;
    demerit.folded_phase_share = *in_phase;
    demerits.push_back(std::move(demerit));
  }
  return demerits;
}

void hide_serial(Attachment& attachment, const model::Identity& plain,
                 const model::DriveModel& hidden, const Tables& tables) {
  std::string& content = attachment.content;
  const Checks checks(attachment);
  if (const std::string mark = mark_in(attachment);
      !mark.empty() && mark == identity::drive_mark(plain)) {
    // Of the same length, so that what follows a head of fixed size stays where it is.
    content.replace(content.find(mark), mark.size(), identity::drive_mark(hidden.identity));
  }
  if (!is_telling(plain.serial)) return checks.make_anew(content);
  const bool is_text = attachment.media_type == kSamplesType ||
                       attachment.media_type == kComparisonType ||
                       (attachment.media_type == kResultType && content.starts_with("# "));
  const bool tells = place_of_serial(content, plain.serial) != std::string::npos;
  if (is_text && tells) {
    content = with_stand_in(std::move(content), plain.serial, hidden.identity.serial);
  } else if (tells && attachment.media_type == kTableType && tables.make) {
    content = tables.make(hidden);
  }
  checks.make_anew(content);
  require_without_serial(content, plain.serial, attachment.path, Whose::own);
}

}  // namespace platter::registry
