#include "samples/file.h"

#include <fmt/core.h>

#include <istream>
#include <ostream>
#include <utility>

#include "identity/drive_mark.h"
#include "model/checked_line.h"
#include "model/error.h"
#include "model/file.h"
#include "model/interruption.h"
#include "model/json_text.h"
#include "model/strict_json.h"

namespace platter::samples {
namespace {

constexpr const char* kSchema = "platter-samples";
// A line may hold a map, and as much as a model file.
constexpr std::size_t kLongestLine = model::kLargestFile;

}  // namespace

Writer::Writer(std::ostream& out, const model::Identity& drive) : out_(out) {
  Json head = model::json_head(kSchema);
  head["drive"] = identity::drive_mark(drive);
  write(head);
}

void Writer::add(const char* payload, Json fields) { write(Json{{payload, std::move(fields)}}); }

void Writer::write(const Json& line) {
  out_ << model::checked_line(model::json_text(line), ++lines_) << '\n';
}

Reader::Reader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  const auto refuse_file = [this](const std::string& what) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: {}; give a samples file that platter characterize kept", name_, what));
  };
  ++number_;
  std::string text;
  const bool ended = model::read_line(in_, text, kLongestLine) == model::LineRead::whole;
  const auto line = model::as_checked_line(text);
  const Json head = ended ? model::parse_or_null<Json>(text) : Json();
  const auto text_at = [&head](const char* pointer) {
    try {
      return head.at(Json::json_pointer(pointer)).get<std::string>();
    } catch (const Json::exception&) {
      return std::string();
    }
  };
  if (text_at("/schema/name") != kSchema)
    refuse_file("does not begin with the line that says whose raw samples they are");
  const auto version = model::version_in(head, kSchema);
  const model::FormatVersion own = model::version_of(kSchema);
  if (!version || version->major != own.major)
    refuse_file(fmt::format("holds raw samples of version \"{}\", and this platter reads {}.x",
                            text_at("/schema/version"), own.major));
  passed_over_ = {name_, kSchema, *version};
  is_newer_ = *version > own;
  if (!line || line->number != number_) refuse_file("has a first line that is damaged");
  drive_ = text_at("/drive");
}

// The last one may have been cut off while it was written.
std::optional<std::string> Reader::whole_line() {
  ++number_;
  std::string text;
  const model::LineRead read = model::read_line(in_, text, kLongestLine);
  if (read == model::LineRead::none) return std::nullopt;
  if (read == model::LineRead::failed) refuse("the file cannot be read to its end");
  if (read == model::LineRead::too_long) refuse("it is longer than any");
  auto line = model::as_checked_line(text);
  if (!line && read == model::LineRead::cut) {
    cut_ = true;
    return std::nullopt;
  }
  if (!line) refuse("it is not as it was written: its checksum is another one");
  if (line->number != number_) refuse("lines in front of it are missing, or are there twice");
  return std::move(line->object);
}

Line Reader::line_of(const std::string& text) const {
  Json whole = model::parse_strictly<Json>(text, "it");
  if (!whole.is_object() || whole.size() != 1)
    throw Error(ExitStatus::bad_input, "it has no payload's name");
  return {number_, whole.begin().key(), std::move(whole.begin().value())};
}

void Reader::each(const std::function<void(const Line&)>& take) {
  while (const auto text = whole_line()) {
    stop_if_asked();
    try {
      take(line_of(*text));
    } catch (const std::exception& failure) {
      refuse(failure.what());
    }
  }
}

void Reader::pass_over(const std::string& member) {
  if (!is_newer_)
    throw Error(ExitStatus::bad_input, fmt::format("\"{}\" is no member of version {}", member,
                                                   model::text_of(passed_over_.version)));
  passed_over_.add(member);
}

void Reader::refuse(const std::string& why) const {
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: line {} is no raw sample ({}); give a samples file that platter "
                          "characterize kept",
                          name_, number_, why));
}

}  // namespace platter::samples
