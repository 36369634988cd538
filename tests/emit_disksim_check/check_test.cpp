#include "emit/disksim_check/check.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "catch.h"
#include "emit/disksim/export.h"
#include "model/error.h"
#include "virtual_drive/catalogue.h"

using namespace platter;
using namespace platter::emit_disksim_check;

namespace {

// One of each kind of mechanics, layout and cache: all take minutes.
bool is_tried(const virtual_drive::CatalogueEntry& entry) {
  return !entry.modern && entry.name.find("cache-") == entry.name.npos;
}

// What emit warns of itself, by the same rules: DiskSim runs it, and otherwise.
bool is_told_by_emit(const Finding& finding, const std::vector<std::string>& warnings) {
  return finding.effect == Effect::stops_there ||
         (finding.effect == Effect::otherwise &&
          std::ranges::find(warnings, finding.what) != warnings.end());
}

}  // namespace

TEST_CASE("what is emitted for the catalogue's drives has no finding that emit has not told") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("disksim-check-" + std::to_string(::getpid()));
  std::size_t tried = 0;
  for (const virtual_drive::CatalogueEntry& entry : virtual_drive::catalogue()) {
    if (!is_tried(entry)) continue;
    for (const auto layout : {emit_disksim::LayoutType::automatic, emit_disksim::LayoutType::g4}) {
      emit_disksim::ExportOptions options;
      options.name = "D";
      options.layout = layout;
      emit_disksim::Exported exported;
      try {
        exported = emit_disksim::export_disksim(virtual_drive::catalogue_model(entry),
                                                folder.string(), options);
      } catch (const Error& error) {
        if (error.status() != ExitStatus::unsupported) throw;
        continue;
      }
      ++tried;
      for (const Finding& finding : check_files(exported.files.front())) {
        INFO(entry.name << ": " << in_words(finding));
        CHECK(is_told_by_emit(finding, exported.warnings));
      }
    }
  }
  CHECK(tried > 10);
  std::filesystem::remove_all(folder);
}
