#include "samples/file.h"

#include <fmt/core.h>

#include <charconv>
#include <istream>
#include <ostream>
#include <utility>

#include "identity/drive_mark.h"
#include "model/error.h"
#include "model/file.h"
#include "model/interruption.h"
#include "model/json_head.h"
#include "model/strict_json.h"

namespace platter::samples {
namespace {

constexpr const char* kSchema = "platter-samples";
// A line may hold a map, and as much as a model file.
constexpr std::size_t kLongestLine = model::kLargestFile;
constexpr std::streamsize kPiece = 1 << 16;

// 0 for what is no version.
int major_version(const std::string& version) {
  int major = 0;
  const char* const end = version.data() + version.size();
  const auto read = std::from_chars(version.data(), end, major);
  return read.ec == std::errc() && read.ptr != end && *read.ptr == '.' ? major : 0;
}

}  // namespace

Writer::Writer(std::ostream& out, const model::Identity& drive) : out_(out) {
  Json head = model::json_head(kSchema);
  head["schema"]["version"] = fmt::format("{}.{}", kMajorVersion, kMinorVersion);
  head["drive"] = identity::drive_mark(drive);
  out_ << head.dump() << '\n';
}

void Writer::add(const char* payload, Json fields) {
  out_ << Json{{payload, std::move(fields)}}.dump() << '\n';
}

Reader::Reader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  const auto refuse_file = [this](const std::string& what) {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: {}; give a samples file that platter characterize kept", name_, what));
  };
  const auto line = whole_line();
  const Json head = line ? Json::parse(*line, nullptr, false) : Json();
  const auto text_at = [&head](const char* pointer) {
    try {
      return head.at(Json::json_pointer(pointer)).get<std::string>();
    } catch (const Json::exception&) {
      return std::string();
    }
  };
  if (text_at("/schema/name") != kSchema)
    refuse_file("does not begin with the line that says whose raw samples they are");
  const std::string version = text_at("/schema/version");
  version_ = major_version(version);
  if (version_ < kOldestVersion || version_ > kMajorVersion)
    refuse_file(
        fmt::format("holds raw samples of version \"{}\", and this platter reads {}.x to {}.x",
                    version, kOldestVersion, kMajorVersion));
  drive_ = text_at("/drive");
}

// Without a line's end it was not written to its end.
std::optional<std::string> Reader::whole_line() {
  ++number_;
  std::string line;
  buffer_.resize(static_cast<std::size_t>(kPiece));
  while (true) {
    in_.getline(buffer_.data(), kPiece);
    if (in_.bad()) refuse("the file cannot be read to its end");
    const auto length = static_cast<std::size_t>(in_.gcount());
    const bool ended = !in_.fail() && !in_.eof();
    line.append(buffer_, 0, ended ? length - 1 : length);  // without the line's end
    if (line.size() > kLongestLine) refuse("it is longer than any");
    if (ended) return line;
    if (in_.eof()) {
      cut_ = !line.empty();
      return std::nullopt;
    }
    in_.clear();  // a longer line
  }
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

void Reader::refuse(const std::string& why) const {
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: line {} is no raw sample ({}); give a samples file that platter "
                          "characterize kept",
                          name_, number_, why));
}

}  // namespace platter::samples
