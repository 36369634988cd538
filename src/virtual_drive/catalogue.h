// The drives that platter brings along: published parameter sets of real drives, completed so that
// they answer as drives (catalogue/*.json, compiled into the program), and invented ones, made when
// they are asked for (catalogue_recipes.cpp, modern_catalogue.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/drive_model.h"

namespace platter::virtual_drive {

struct CatalogueEntry {
  std::string_view name;         // as in virtual:NAME
  std::string_view alias;        // a shorter name; may be empty
  std::string_view description;  // one line, for people
  bool modern = false;           // of today (modern_catalogue.h): up to 20 TB, translates nothing
};

const std::vector<CatalogueEntry>& catalogue();
std::vector<std::string> catalogue_names();

// Those of real drives whose layout, mechanics and cache were validated together.
std::span<const CatalogueEntry> validated_drives();

// By name or alias; nullptr: there is none of that name.
const CatalogueEntry* find_in_catalogue(std::string_view name);

// The model file of an entry, as shipped; empty for an invented drive.
std::string_view catalogue_text(const CatalogueEntry& entry);
// What the entry's drive is.
model::DriveModel catalogue_model(const CatalogueEntry& entry);

}  // namespace platter::virtual_drive
