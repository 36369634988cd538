// The scheme of sparing in words, against the recipes of the catalogue's drives and of random ones.
#include "layout/spare_scheme.h"

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "virtual_drive/defects.h"
#include "virtual_drive/open.h"

namespace platter::layout::testing {
namespace {

// "spares: X; ..." or "no spares; ..." of a recipe in one line.
std::string spares_in(const std::string& recipe) {
  const std::string kBegin = "; spares: ";
  const std::size_t from = recipe.find(kBegin);
  if (from == std::string::npos) return "none";
  const std::size_t begin = from + kBegin.size();
  return recipe.substr(begin, recipe.find(';', begin) - begin);
}

std::string found_on(const model::DriveModel& drive, Behaviour behaviour) {
  SyntheticTranslator translator(drive.layout, behaviour);
  const virtual_drive::DefectSlots defects = virtual_drive::defects_of(drive);
  translator.primary = defects.primary;
  translator.grown = defects.grown;
  return by_address_translation(translator).layout.spares;
}

TEST_CASE("the scheme of sparing of the catalogue's drives is named as in their recipes") {
  for (const char* name :
       {"spare-none", "spare-track", "spare-cylinder", "spare-cylinder-front",
        "spare-cylinder-group", "spare-zone", "spare-tracks-of-zone", "spare-mixed",
        "spare-mixed-tracks", "many-defects", "head-density", "serpentine-147gb"}) {
    INFO(name);
    const model::DriveModel drive = virtual_drive::virtual_model(std::string("virtual:") + name);
    CHECK(found_on(drive, {}) == spares_in(drive.provenance.notes.front()));
  }
}

// Whether slips used some of them up cannot be told: there is only one disk.
TEST_CASE("spares at the end of the disk are a guess, and said to be one") {
  const model::DriveModel drive = virtual_drive::virtual_model("virtual:spare-disk");
  CHECK(found_on(drive, {}) == "perhaps 12000 sectors of the disk");
}

TEST_CASE("slips that used spares up are counted back in") {
  const model::DriveModel tracks = virtual_drive::virtual_model("virtual:spare-tracks-of-zone");
  CHECK(found_on(tracks, {}) == "5 tracks of each zone that absorb slips");
  const model::DriveModel group = virtual_drive::virtual_model("virtual:spare-cylinder-group");
  CHECK(found_on(group, {}) == "96 sectors of each group of 5 cylinders that absorb slips");
}

}  // namespace
}  // namespace platter::layout::testing
