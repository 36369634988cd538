#include "model/name_promise.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace platter::model {
namespace {

struct Ending {
  std::string_view ending, form;
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

}  // namespace

Promise promise_of(const std::string& path) {
  Promise promise{.ending = std::filesystem::path(path).extension()};
  std::ranges::transform(promise.ending, promise.ending.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  const auto* const known = std::ranges::find(kEndings, promise.ending, &Ending::ending);
  if (known != std::end(kEndings)) promise.form = known->form;
  return promise;
}

}  // namespace platter::model
