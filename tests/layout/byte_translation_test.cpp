// Drives that take only some of the formats of page 40h and of the defect lists, and drives that
// turn commands away now and then, are mapped through their commands as any other.
#include "layout/byte_translation.h"

#include "catch.h"
#include "layout/extract.h"
#include "layout/synthetic.h"
#include "layout/translator.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/virtual_device.h"

namespace platter::layout::testing {
namespace {

model::DriveModel catalogue_drive(const char* name) {
  const auto* entry = virtual_drive::find_in_catalogue(name);
  REQUIRE(entry != nullptr);
  model::DriveModel model = virtual_drive::catalogue_model(*entry);
  if (!model.firmware) model.firmware.emplace();
  model.imperfections.reset();
  return model;
}

struct Bench {
  explicit Bench(const model::DriveModel& model)
      : device(model),
        guard(device, {}),
        drive(guard, "the drive"),
        translator(drive, "the drive") {}
  virtual_drive::VirtualDevice device;
  scsi::Guard guard;
  scsi::Drive drive;
  DriveTranslator translator;
};

void check_mapped(const model::DriveModel& model, bool slots) {
  Bench bench(model);
  const Extraction found = by_address_translation(bench.translator);
  CHECK(difference(bench.device.truth().layout, found.layout, slots) == "");
}

TEST_CASE("bytes from the index are turned into sectors numbered from the index, and back") {
  model::DriveModel model = catalogue_drive("hp-c2247");
  model.firmware->address_formats = {"block", "bytes from index"};
  Bench in_bytes(model);
  model.firmware->address_formats = {"block", "physical sector"};
  model.firmware->sector_numbers = "from index";
  Bench in_sectors(model);
  for (std::uint64_t lbn = 0; lbn < in_bytes.drive.blocks(); lbn += 10'007) {
    const auto found = in_bytes.translator.translate(lbn);
    REQUIRE(found);
    CHECK(found->format == scsi::AddressFormat::physical_sector);
    CHECK(found->places == in_sectors.translator.translate(lbn)->places);
    CHECK(in_bytes.translator.translate_back(found->places.front()) == scsi::PlaceContent{lbn});
  }
}

TEST_CASE("a drive is mapped in whatever formats it offers") {
  model::DriveModel model = catalogue_drive("seagate-barracuda4lp");
  model::Firmware& firmware = *model.firmware;
  SECTION("long blocks") { firmware.address_formats = {"long block", "physical sector"}; }
  SECTION("defects in bytes from the index, translated") {
    firmware.address_formats = {"block", "bytes from index", "physical sector"};
    firmware.defect_formats = {"bytes from index"};
  }
  SECTION("defects in bytes from the index that nothing translates") {
    firmware.defect_formats = {"bytes from index"};
  }
  SECTION("defects in bytes from the index, where blocks are told in such bytes, too") {
    firmware.address_formats = {"block", "bytes from index", "physical sector"};
    firmware.defect_formats = {"bytes from index"};
    firmware.translates_back = false;
  }
  SECTION("one way only") { firmware.translates_back = false; }
  SECTION("slipped sectors without a number") { firmware.sector_numbers = "without slipped"; }
  check_mapped(model, firmware.sector_numbers == "from first");
}

TEST_CASE("a drive that knows bytes from the index only is mapped") {
  model::DriveModel model = catalogue_drive("seagate-barracuda4lp");
  model.firmware->address_formats = {"long block", "bytes from index"};
  SECTION("with its defects") {}
  SECTION("with defects as physical sectors, which say nothing of bytes") {
    model.firmware->defect_formats = {"physical sector"};
  }
  check_mapped(model, false);
}

TEST_CASE("a drive that turns commands away now and then is mapped the same") {
  model::DriveModel model = catalogue_drive("seagate-barracuda4lp");
  model.imperfections = model::Imperfections{};
  model.imperfections->seed = 3;
  model.imperfections->busy_share = 0.03;
  model.imperfections->unit_attention_share = 0.03;
  check_mapped(model, true);
}

}  // namespace
}  // namespace platter::layout::testing
