#include "cli/output_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "model/say.h"

namespace platter::cli {
namespace {

struct Ending {
  std::string_view ending, promises;
};
// Names that programs go by. Others (drive.2026, ST3500.12) promise nothing.
constexpr Ending kEndings[] = {
    {".gz", "gzip"},
    {".zst", "zstd"},
    {".bz2", "bzip2"},
    {".xz", "xz"},
    {".lz4", "lz4"},
    {".lzma", "lzma"},
    {".z", "compress"},
    {".br", "brotli"},
    {".zip", "a zip archive"},
    {".tar", "a tar archive"},
    {".tgz", "a tar archive"},
    {".tbz2", "a tar archive"},
    {".txz", "a tar archive"},
    {".7z", "a 7z archive"},
    {".rar", "a rar archive"},
    {".json", "JSON"},
    {".jsonl", "lines of JSON"},
    {".ndjson", "lines of JSON"},
    {".csv", "CSV"},
    {".tsv", "a table of tabs"},
    {".yaml", "YAML"},
    {".yml", "YAML"},
    {".toml", "TOML"},
    {".xml", "XML"},
    {".html", "HTML"},
    {".htm", "HTML"},
    {".pdf", "PDF"},
    {".svg", "SVG"},
    {".png", "PNG"},
    {".jpg", "JPEG"},
    {".jpeg", "JPEG"},
    {".gif", "GIF"},
    {".webp", "WebP"},
    {".eps", "PostScript"},
    {".ps", "PostScript"},
    {".tex", "TeX"},
    {".md", "Markdown"},
    {".ptab", "a table of platter's"},
    {".h", "C"},
    {".hpp", "C++"},
    {".c", "C"},
    {".py", "Python"},
    {".parv", "DiskSim's parameters"},
    {".diskspecs", "DiskSim's parameters"},
    {".trace", "a trace"},
    {".xls", "a spreadsheet"},
    {".xlsx", "a spreadsheet"},
    {".ods", "a spreadsheet"},
    {".parquet", "Parquet"},
    {".feather", "Feather"},
    {".h5", "HDF5"},
    {".hdf5", "HDF5"},
    {".npy", "NumPy's arrays"},
    {".mat", "Matlab's arrays"},
    {".sqlite", "a database"},
    {".db", "a database"},
};

struct Form {
  const char* words;
  std::string_view endings[2];
};
Form form_of(Written written) {
  switch (written) {
    case Written::json:
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

bool is_one_stream(Written written) {
  return written != Written::folder && written != Written::samples && written != Written::log &&
         written != Written::model_and_samples;
}

}  // namespace

std::string why_not_named(const std::string& path, Written written) {
  std::string ending = std::filesystem::path(path).extension();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* const known = std::ranges::find(kEndings, ending, &Ending::ending);
  const Form form = form_of(written);
  if (known == std::end(kEndings) || std::ranges::find(form.endings, ending) != form.endings + 2)
    return {};
  const std::string instead = written == Written::folder
                                  ? "name one without that ending"
                                  : fmt::format("let it end in {}", form.endings[0]);
  return fmt::format("its name promises {}, and {}; {}", known->promises, form.words, instead);
}

CLI::Validator named_for(Written written) {
  return CLI::Validator(
      [written](std::string& path) {
        if (path == "-" && !is_one_stream(written))
          return std::string(
              "-: is the standard output, which cannot take this; name a place, ./- if it is to be "
              "called so");
        const std::string why = why_not_named(path, written);
        return why.empty() ? why : fmt::format("{}: {}", path, why);
      },
      "");
}

bool goes_to_standard_output(const std::string& output) {
  return output == "-" || output == "/dev/stdout" || output == "/dev/fd/1" ||
         output == "/proc/self/fd/1";
}

void print_beside(const std::string& output, const std::string& text) {
  if (goes_to_standard_output(output))
    model::say("{}", text);
  else
    fmt::print("{}", text);
}

}  // namespace platter::cli
