// What holds for every format of the one list (src/trace/formats.inc): its golden files, by their
// names, its line in docs/traces.md, and that nothing of a file is passed over without a count.
#include "trace/formats.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "catch.h"
#include "model/file.h"
#include "source_folder.h"
#include "trace/lint.h"
#include "trace/random_trace.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

// The first word of the name, up to "." or "_", is the format's.
std::string format_in(const std::string& name) { return name.substr(0, name.find_first_of("._")); }

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_folder() + "/tests/golden/traces"))
    if (entry.path().extension() != ".py") names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

// What has to be said of a file, as by who reads it.
Reading reading_of(const std::string& name) {
  const FormatRow* const row = row_of(format_of(format_in(name)));
  Reading reading{.all_devices = true};
  const bool headless = row->format == Format::tencent;  // its header alone tells
  if (row->begins == nullptr || headless) reading.format = row->format;
  if (row->format == Format::csv)
    reading.columns = "-,time:s,response:s,-,op,offset:sectors,size:sectors,decimal=comma";
  if (name.find("_ns.") != std::string::npos) reading.time_unit_ns = 1;
  if (row->format == Format::hpl) reading.round = true;
  return reading;
}

}  // namespace

TEST_CASE("a format's row has the name and the value that the list has") {
  std::set<std::string> names;
#define PLATTER_FORMAT(value, its)             \
  CHECK(its.format == Format::value);          \
  CHECK(std::string_view(its.name) == #value); \
  CHECK(its.reader != nullptr);                \
  names.insert(its.name);
#include "trace/formats.inc"
#undef PLATTER_FORMAT
  CHECK(names.size() == format_rows().size());
}

TEST_CASE("a row in a file is in the list, and what is written is read back by a test") {
  std::set<std::string> listed, there;
#define PLATTER_FORMAT(name, row) listed.insert(#row);
#include "trace/formats.inc"
#undef PLATTER_FORMAT
  constexpr std::string_view kRow = "\nconst FormatRow ";
  for (const auto& file : std::filesystem::directory_iterator(source_folder() + "/src/trace")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = model::read_file(file.path());
    for (std::size_t at = text.find(kRow); at != text.npos; at = text.find(kRow, at + 1)) {
      const std::size_t begin = at + kRow.size();
      there.insert(text.substr(begin, text.find(' ', begin) - begin));
    }
  }
  CHECK(there == listed);
  for (const FormatRow* const row : format_rows()) {
    CAPTURE(row->name);
    CHECK((row->writer != nullptr) ==
          (std::ranges::count(kHolds, row->format, &Holds::format) == 1));
  }
}

TEST_CASE("each format has a golden file, which is read whole and known for what it is") {
  std::set<std::string> formats;
  for (const std::string& name : golden_files()) {
    CAPTURE(name);
    const std::string path = source_folder() + "/tests/golden/traces/" + name;
    const std::string bytes = model::read_file(path);
    const std::unique_ptr<Reader> reader = open_trace(path, reading_of(name));
    const Trace trace = read_trace(*reader);
    CHECK(name_of(reader->source().format) == format_in(name));
    CHECK_FALSE(trace.requests.empty());
    formats.insert(format_in(name));
    CHECK(lint(path, reading_of(name)).errors == 0);
    std::uint64_t counted = trace.requests.size();
    for (const Skipped& each : reader->skipped()) {
      CAPTURE(each.what);
      CHECK(each.first.number > 0);
      if (each.kind != Skipped::Kind::lost) counted += each.count;
    }
    const bool binary = row_of(reader->source().format)->binary;
    if (!binary) CHECK(counted == static_cast<std::uint64_t>(std::ranges::count(bytes, '\n')));
  }
  for (const FormatRow* const row : format_rows()) {
    CAPTURE(row->name);
    CHECK(formats.contains(row->name));
  }
}

TEST_CASE("each format is told in docs/traces.md") {
  const std::string page = model::read_file(source_folder() + "/docs/traces.md");
  for (const FormatRow* const row : format_rows()) {
    CAPTURE(row->name);
    CHECK(page.find(std::string("`") + row->name + "`") != std::string::npos);
  }
}
