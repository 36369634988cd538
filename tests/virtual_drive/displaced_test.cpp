// What lies in the media cache of a drive that was written to before.

#include "catch.h"
#include "model/validate.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::virtual_drive;
using namespace platter::virtual_drive::testing;

TEST_CASE("what a drive's model says is displaced is away until its band is cleaned") {
  model::DriveModel model = spc4_drive();
  model.cache = {};
  model.identity.blocks = model::count_blocks(model.layout);
  model::Shingling& shingling = model.shingling.emplace();
  shingling.kind = "drive-managed";
  shingling.band_blocks = value(100);
  shingling.media_cache_blocks = value(200);
  shingling.map_entries = value(10);
  shingling.cleans_when_idle = value(1);
  shingling.idle_threshold = value(500);
  shingling.band_cleaning = value(250);
  VirtualDevice all_home(model);
  shingling.displaced = {{6000, 6059}};
  VirtualDevice drive(model);
  const auto angle = [](scsi::Device& device, std::uint32_t lbn) {
    return run(device, read_10(lbn, 1)).completed_ns % 10'000'000;
  };
  CHECK(angle(drive, 5900) == angle(all_home, 5900));
  for (const std::uint32_t lbn : {6000U, 6055U, 6059U})
    CHECK(angle(drive, lbn) != angle(all_home, lbn));
  CHECK(angle(drive, 6060) == angle(all_home, 6060));
  for (scsi::Device* device :
       {static_cast<scsi::Device*>(&drive), static_cast<scsi::Device*>(&all_home)})
    device->clock().sleep_until_ns(2 * kSecond);
  CHECK(angle(drive, 6055) == angle(all_home, 6055));
}
