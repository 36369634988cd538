#include "jobs/registry_site.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "model/file.h"
#include "model/folder.h"
#include "registry/annotations.h"
#include "registry/pull.h"
#include "registry/search_index.h"
#include "report/html_site.h"

namespace platter::jobs {
namespace {

double number(const registry::Entry& entry, const char* key) {
  return std::strtod(entry.annotation(key).c_str(), nullptr);
}

report::SiteEntry site_entry_of(const registry::Entry& entry) {
  const std::string vendor = entry.annotation("vnd.platter.vendor"),
                    product = entry.annotation("vnd.platter.product");
  return {.page = entry.drive + "." + entry.tag,
          .reference = entry.reference(),
          .name = vendor.empty() ? product : vendor + " " + product,
          .quality = entry.annotation(registry::kQualityKey),
          .date = entry.annotation("org.opencontainers.image.created").substr(0, 10),
          .standing = entry.annotation("vnd.platter.standing"),
          .gigabytes = number(entry, "vnd.platter.blocks") *
                       number(entry, "vnd.platter.block_bytes") / 1e9,
          .rpm = number(entry, "vnd.platter.rpm"),
          .latest = entry.latest};
}

class Site {
 public:
  explicit Site(const SiteRun& options) : options_(options) {}

  MadeSite make() {
    const registry::Store store = options_.folder.store();
    store.require();
    const registry::Listing listing = registry::search(store, {.only_local = true});
    for (const std::string& problem : listing.problems) say(problem);
    std::vector<report::SiteEntry> entries;
    for (const registry::Entry& entry : listing.entries) entries.push_back(site_entry_of(entry));
    model::make_folder(folder() / report::kSiteModels);
    check(store, listing.entries, entries);
    for (std::size_t i = 0; i < entries.size(); ++i)
      write_model(store, listing.entries[i], entries[i]);
    write(report::kSiteEntries, report::site_entries(entries));
    write(report::kSiteBeside, report::site_beside());
    write(report::kSiteFirstPage, report::site_first_page(entries));  // last: all that it names is
                                                                      // there
    return {path_of(report::kSiteFirstPage), entries.size()};
  }

 private:
  std::filesystem::path folder() const { return options_.output; }
  std::string path_of(std::string_view name) const { return (folder() / name).string(); }
  static std::string model_path_of(const report::SiteEntry& entry) {
    return fmt::format("{}/{}.json", report::kSiteModels, entry.page);
  }

  // Before the first is written: none lies in the way of anything.
  void check(const registry::Store& store, const std::vector<registry::Entry>& entries,
             const std::vector<report::SiteEntry>& of_list) const {
    for (const std::string_view name :
         {report::kSiteEntries, report::kSiteBeside, report::kSiteFirstPage})
      options_.outputs.writes(path_of(name));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      options_.outputs.writes(path_of(report::site_figures_path(of_list[i])));
      options_.outputs.writes(path_of(report::site_page_path(of_list[i])));
      const std::string path = path_of(model_path_of(of_list[i]));
      if (model::is_there(path))
        options_.outputs.writes_bytes(path, contents(store, entries[i]).model_text);
    }
  }

  static registry::Contents contents(const registry::Store& store, const registry::Entry& entry) {
    return registry::open(registry::find(store, entry.reference(), registry::Naming::whole));
  }

  void write_model(const registry::Store& store, const registry::Entry& entry,
                   const report::SiteEntry& of_list) {
    registry::Contents published = contents(store, entry);
    const report::SiteModel model{of_list, std::move(published.model), of_list.page + ".json",
                                  entry.files, options_.pictures};
    write(model_path_of(of_list), published.model_text);
    write(report::site_figures_path(of_list), report::site_figures(model));
    write(report::site_page_path(of_list), report::site_page(model));
  }

  void write(std::string_view name, const std::string& bytes) const {
    model::write_file(path_of(name), bytes);
  }

  const SiteRun& options_;
};

}  // namespace

MadeSite make_site(const SiteRun& run) { return Site(run).make(); }

}  // namespace platter::jobs
