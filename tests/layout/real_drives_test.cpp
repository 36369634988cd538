// The layouts of the real drives in the catalogue come out exactly, block by block, with as few
// translations as is possible (the paper's Table 2: 5,245 to 36,911 for drives of that time).

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/defects.h"
#include "virtual_drive/virtual_device.h"

namespace platter::layout::testing {
namespace {

Extraction extract(const model::Layout& truth, Behaviour behaviour) {
  SyntheticTranslator drive(truth, behaviour);
  const virtual_drive::DefectSlots defects = virtual_drive::find_defects(truth);
  drive.primary = defects.primary;
  drive.grown = defects.grown;
  return by_address_translation(drive);
}

TEST_CASE("every drive of the catalogue is mapped exactly") {
  for (const auto& entry : virtual_drive::validated_drives()) {
    const model::Layout truth = virtual_drive::catalogue_model(entry).layout;
    for (const bool lists : {true, false}) {
      for (const Sectors sectors :
           {Sectors::from_first, Sectors::without_holes, Sectors::from_index}) {
        DYNAMIC_SECTION(entry.name << (lists ? "" : ", no defect lists") << ", sectors "
                                   << static_cast<int>(sectors)) {
          Behaviour behaviour;
          behaviour.sectors = sectors;
          behaviour.base = sectors == Sectors::from_index ? 1 : 0;
          behaviour.gives_primary = behaviour.gives_grown = lists;
          const Extraction found = extract(truth, behaviour);
          CHECK(difference(truth, found.layout, sectors == Sectors::from_first) == "");
          CHECK(found.translations < (lists && sectors != Sectors::from_index ? 6'000 : 30'000));
          CHECK(found.layout.skips.size() < 2 * truth.skips.size());
        }
      }
    }
  }
}

TEST_CASE("every virtual drive that tells the truth is mapped exactly through its commands") {
  for (const virtual_drive::CatalogueEntry& entry : virtual_drive::catalogue()) {
    if (entry.modern) continue;  // of today: they translate nothing
    const model::DriveModel model = virtual_drive::catalogue_model(entry);
    if (model.firmware && !model.firmware->translates_truly) continue;
    if (entry.name.starts_with("cache-") && entry.name != "cache-base") continue;  // laid out alike
    DYNAMIC_SECTION(entry.name) {
      virtual_drive::VirtualDevice device(model);
      scsi::Guard guard(device, {});
      scsi::Drive drive(guard, "the drive");
      DriveTranslator translator(drive, "the drive");
      const Extraction found = by_address_translation(translator);
      // The Maxtor's file gives its last track half of its slots, which no block shows.
      const bool slots = entry.name != "maxtor-atlas10k4";
      CHECK(difference(device.truth().layout, found.layout, slots) == "");
      CHECK(found.translations <= drive.translations());
      CHECK(found.translations < 20'000);
    }
  }
}

TEST_CASE("a drive that does not translate has no layout, with the reason") {
  const auto* entry = virtual_drive::find_in_catalogue("seagate-barracuda4lp");
  REQUIRE(entry != nullptr);
  model::DriveModel model = virtual_drive::catalogue_model(*entry);
  model.firmware = model::Firmware{};
  model.firmware->address_translation = false;
  virtual_drive::VirtualDevice device(model);
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "the drive");
  DriveTranslator translator(drive, "the drive");
  const Extraction found = by_address_translation(translator);
  CHECK(found.layout.zones.empty());
  CHECK(found.layout.reason == "the drive does not answer address translation");
}

}  // namespace
}  // namespace platter::layout::testing
