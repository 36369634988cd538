#include "jobs/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "model/claims.h"
#include "model/error.h"
#include "model/file.h"
#include "model/name_promise.h"

namespace platter::jobs {
namespace {

struct Form {
  const char* words;
  std::string_view endings[2];
};
Form form_of(Written written) {
  switch (written) {
    case Written::json:
    case Written::report_of_command:
    case Written::model_and_samples:
      return {"JSON is written", {".json", ""}};
    case Written::samples:
      return {"lines of JSON are written", {".jsonl", ""}};
    case Written::page:
      return {"HTML is written", {".html", ".htm"}};
    case Written::log:
      return {"lines of text are written", {".log", ""}};
    case Written::table:
      return {"a table of platter's is written", {".ptab", ""}};
    case Written::csv:
      return {"CSV is written", {".csv", ""}};
    case Written::c_header:
      return {"a C header is written", {".h", ""}};
    case Written::folder:
      break;
  }
  return {"a folder is made", {"", ""}};
}

namespace fs = std::filesystem;
using Kind = Content::Kind;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(
      ExitStatus::refused,
      fmt::format("{}: {}, so it is left alone; name another file, or replace it with --force",
                  path, why));
}

const char* words_for(Kind kind) {
  switch (kind) {
    case Kind::model:
      return "the model of a drive that was measured";
    case Kind::samples:
      return "raw samples of a drive";
    case Kind::result:
      return "a drive's result";
    default:
      return "a file";
  }
}

void require_replaceable(const std::string& path, const Content& there, const Content& coming) {
  if (there.kind == Kind::remade) return;
  if (there.kind == Kind::foreign) refuse(path, "is there, and platter did not make it");
  if (there.kind == coming.kind && there.drive == coming.drive && !there.drive.empty()) return;
  const bool told = !there.drive.empty() && !coming.drive.empty();
  refuse(path, there.kind != coming.kind
                   ? fmt::format("holds {}, which cannot be made again", words_for(there.kind))
               : told ? fmt::format("holds {}, of another drive than this", words_for(there.kind))
                      : fmt::format("holds {}, and without a serial number nobody can tell that it "
                                    "is the same",
                                    words_for(there.kind)));
}

void require_no_input(const std::string& path) {
  const auto input = model::input_behind(path);
  if (!input) return;
  throw Error(ExitStatus::usage,
              *input == path
                  ? fmt::format("{} is read by this run and would be written over; give the output "
                                "another name",
                                path)
                  : fmt::format("{} is the same file as {}, which is read by this run and would be "
                                "written over; give the output another name",
                                path, *input));
}

void claim(const std::string& path) {
  if (!model::claim_output(path))
    throw Error(ExitStatus::usage,
                fmt::format("{}: two outputs of this run would go to this file; give them names of "
                            "their own",
                            path));
}

// "-" is the standard output, wherever something is written.
std::string place_of(const std::string& path) { return path == "-" ? "/dev/stdout" : path; }

bool holds(const std::string& path, const std::string& bytes) {
  return model::beginning_of(path, bytes.size() + 1) == bytes;
}

// Of X.blktrace.0 every X.blktrace.N is read.
void note_processors(const fs::path& path) {
  std::error_code none;
  if (path.stem().extension() != ".blktrace") return;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
    if (at->path().stem() == path.stem()) model::note_input(at->path().string());
}

}  // namespace

std::string why_not_named(const std::string& path, Written written) {
  const model::Promise promise = model::promise_of(path);
  const Form form = form_of(written);
  if (promise.form.empty() || std::ranges::find(form.endings, promise.ending) != form.endings + 2)
    return {};
  const std::string instead = written == Written::folder
                                  ? "name one without that ending"
                                  : fmt::format("let it end in {}", form.endings[0]);
  return fmt::format("its name promises {}, and {}; {}", promise.form, form.words, instead);
}

bool is_one_stream(Written written) {
  return written != Written::folder && written != Written::report_of_command &&
         written != Written::samples && written != Written::log &&
         written != Written::model_and_samples;
}

bool goes_to_standard_output(const std::string& output) {
  return output == "-" || output == "/dev/stdout" || output == "/dev/fd/1" ||
         output == "/proc/self/fd/1";
}

void Outputs::reads(const std::string& name) const {
  constexpr std::string_view kVirtual = "virtual:";
  if (name == "-") return model::note_input(0, "the standard input");
  const std::string path = name.starts_with(kVirtual)
                               ? name.substr(kVirtual.size(), name.rfind('?') - kVirtual.size())
                               : name;
  model::note_input(path);
  note_processors(path);
}

void Outputs::keeps(const std::string& path) const {
  if (model::file_behind(path)) return reads(path);
  claim(path);
}

void Outputs::writes(const std::string& path, const Content& content) const {
  require_no_input(place_of(path));
  check(place_of(path), content, nullptr);
}

void Outputs::updates(const std::string& path, const Content& content) const {
  check(place_of(path), content, nullptr);
}

void Outputs::may_update(const std::string& path, const Content& content) const {
  if (!force || !model::input_behind(place_of(path))) return writes(path, content);
  check(place_of(path), content, nullptr);
}

void Outputs::writes_bytes(const std::string& path, const std::string& bytes) const {
  require_no_input(place_of(path));
  check(place_of(path), {}, &bytes);
}

void Outputs::check(const std::string& path, const Content& content,
                    const std::string* bytes) const {
  if (const auto file = model::file_behind(path); file && !(bytes && holds(*file, *bytes))) {
    const Content there = content_at(*file);
    if (there.kind == Kind::journal)
      throw Error(
          ExitStatus::refused,
          fmt::format("{}: is the safety journal of a run, perhaps the only copy of a drive's "
                      "data; put that right with platter restore, and name another file",
                      path));
    if (!force) require_replaceable(path, there, content);
  }
  model::require_writable(path);
  claim(path);
}

}  // namespace platter::jobs
