// Pages about many published models, for a browser without a server: a list that one searches and
// sorts, a page for each model, two models side by side. Nothing in them comes from elsewhere.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"

namespace platter::report {

// A published model, as the list has it.
struct SiteEntry {
  std::string page{};  // the name of its files without an ending: letters, digits, dots and dashes
  std::string reference{}, name{}, quality{}, date{}, standing{};
  double gigabytes = 0, rpm = 0;  // 0: not known
  bool latest = false;
};

struct SiteModel {
  SiteEntry entry{};
  model::DriveModel model{};
  std::string model_file{};          // relative to the page, to be downloaded
  std::vector<std::string> files{};  // that were published with it
  bool drawn = false;                // with the chapters that have figures: throws without gnuplot
};

// The site's files, relative to its folder.
inline constexpr std::string_view kSiteFirstPage = "index.html", kSiteEntries = "entries.js",
                                  kSiteBeside = "compare.html", kSiteModels = "models";
std::string site_page_path(const SiteEntry& entry);
std::string site_figures_path(const SiteEntry& entry);

// The first page, which shows the first of the entries and finds the others in site_entries().
std::string site_first_page(std::span<const SiteEntry> entries);
std::string site_entries(std::span<const SiteEntry> entries);
std::string site_page(const SiteModel& model);
// What compare.html shows of it.
std::string site_figures(const SiteModel& model);
std::string site_beside();

}  // namespace platter::report
