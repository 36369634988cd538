#include "jobs/output_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

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

}  // namespace platter::jobs
