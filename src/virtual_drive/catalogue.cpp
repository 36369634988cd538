#include "virtual_drive/catalogue.h"

#include <algorithm>

#include "model/json.h"
#include "virtual_drive/catalogue_files.h"
#include "virtual_drive/catalogue_recipes.h"

namespace platter::virtual_drive {

namespace {

constexpr std::size_t kValidated = 5;

std::vector<CatalogueEntry> all_entries() {
  std::vector<CatalogueEntry> entries{
      {"quantum-atlas10k", "atlas10k", "Quantum Atlas 10K, 9.2 GB, 10025 rpm, 6 heads, 1999"},
      {"seagate-cheetah9lp", "cheetah9lp",
       "Seagate Cheetah 9LP ST39102LW, 9.2 GB, 10045 rpm, 12 heads, 1998"},
      {"seagate-barracuda4lp", "barracuda4lp",
       "Seagate Barracuda 4LP ST32171W, 2.2 GB, 7200 rpm, 5 heads, 1996"},
      {"ibm-ultrastar18es", "ultrastar18es",
       "IBM Ultrastar 18ES DNES-309170W, 9.2 GB, 7200 rpm, 5 heads, 1998"},
      {"hp-c2247", "c2247", "HP C2247A, 1.05 GB, 5400 rpm, 13 heads, 1992"},
      {"maxtor-atlas10k4", "atlas10k4",
       "Maxtor Atlas 10K IV 146SCA, 147 GB, 10017 rpm, 8 heads, 2003; its cache is not known"},
  };
  for (const InventedDrive& drive : invented_drives())
    entries.push_back({drive.name, "", drive.description});
  for (const InventedDrive& drive : modern_drives())
    entries.push_back({drive.name, "", drive.description, true});
  return entries;
}

}  // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> kEntries = all_entries();
  return kEntries;
}

std::span<const CatalogueEntry> validated_drives() {
  return std::span(catalogue()).first(kValidated);
}

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue()) names.emplace_back(entry.name);
  return names;
}

const CatalogueEntry* find_in_catalogue(std::string_view name) {
  const auto found = std::ranges::find_if(catalogue(), [&](const CatalogueEntry& entry) {
    return name == entry.name || (!entry.alias.empty() && name == entry.alias);
  });
  return found == catalogue().end() ? nullptr : &*found;
}

std::string_view catalogue_text(const CatalogueEntry& entry) {
  for (const auto& [name, text] : kCatalogueFiles)
    if (name == entry.name) return text;
  return {};
}

model::DriveModel catalogue_model(const CatalogueEntry& entry) {
  for (const InventedDrive& drive : entry.modern ? modern_drives() : invented_drives())
    if (drive.name == entry.name) return drive.make(drive);
  return model::from_json_text(std::string(catalogue_text(entry)),
                               "the catalogue's " + std::string(entry.name));
}

}  // namespace platter::virtual_drive
