// The drives that platter brings along: validated parameter sets of real drives, completed so that
// they answer as drives (catalogue/*.json, compiled into the program).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"

namespace platter::virtual_drive {

struct CatalogueEntry {
  std::string_view name;         // as in virtual:NAME
  std::string_view alias;        // a shorter name; may be empty
  std::string_view description;  // one line, for people
};

const std::vector<CatalogueEntry>& catalogue();

// By name or alias; nullptr: there is none of that name.
const CatalogueEntry* find_in_catalogue(std::string_view name);

// The model file of an entry, as shipped, and what it says.
std::string_view catalogue_text(const CatalogueEntry& entry);
model::DriveModel catalogue_model(const CatalogueEntry& entry);

}  // namespace platter::virtual_drive
