// The experiments' view of the drives: scsi::Drive over a guarded virtual drive.
#include "scsi/drive.h"

#include <map>
#include <string>

#include "catch.h"
#include "scsi/guard.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/open.h"
#include "virtual_drive/test_drive.h"

using namespace platter;
using namespace platter::virtual_drive;

TEST_CASE("a Drive finds in every virtual drive what its model says") {
  // Slips in the published parameter sets. On the HP they are tracks, and five of the 38 lie among
  // the spare tracks at the ends of zones.
  const std::map<std::string, std::size_t> slips{{"quantum-atlas10k", 64},
                                                 {"seagate-cheetah9lp", 594},
                                                 {"seagate-barracuda4lp", 32},
                                                 {"ibm-ultrastar18es", 122},
                                                 {"hp-c2247", 33}};
  for (const auto& entry : validated_drives()) {
    INFO(entry.name);
    const auto device = open_virtual(std::string(entry.name) + "?seed=3");
    scsi::Guard guard(*device, {});
    scsi::Drive drive(guard, device->name());
    const auto& identity = drive.identify();
    CHECK(identity.vendor == device->truth().identity.vendor);
    CHECK(identity.serial == device->truth().identity.serial);
    CHECK(identity.blocks == device->layout().blocks());
    CHECK(drive.unit_attentions() == 1);

    for (std::uint64_t i = 0; i <= 100; ++i) {
      const std::uint64_t lbn = (identity.blocks - 1) * i / 100;
      const auto there = drive.addresses().translate(lbn);
      REQUIRE(there);
      const auto pbn = device->layout().pbn_of_lbn(lbn);
      CHECK(there->places.at(0) == scsi::PhysicalAddress{pbn.cylinder, pbn.head, pbn.sector});
      CHECK(drive.addresses().translate_back(there->places[0]) == scsi::PlaceContent{lbn});
    }
    const auto defects = drive.addresses().defects(true, true);
    REQUIRE(defects);
    CHECK(defects->places.size() == slips.at(std::string(entry.name)));

    const auto before = drive.settings().cache_page();
    REQUIRE(before);
    CHECK(before->segments == device->truth().cache.segments.value.value_or(0));
    CHECK(drive.settings().set_cache(false, true, true));
    CHECK(drive.settings().cache_page()->read_cache_disabled);
    drive.settings().restore();
    CHECK(drive.settings().cache_page()->raw == before->raw);
  }
}
