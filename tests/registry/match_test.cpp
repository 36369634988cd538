#include "registry/match.h"

#include "catch.h"
#include "registry/annotations.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

AttachedDrive attached(const std::string& serial) { return {small_model(serial).identity, 7200}; }

Entry entry_of(const model::DriveModel& model, const std::string& tag = "v1") {
  return {drive_name(model.identity), tag, "", true, annotations_of(model, "0.1.0")};
}

std::string closest(const RegistryFolder& folder, const AttachedDrive& drive) {
  const auto matches = match(folder.store(), drive, 5);
  return matches.empty() ? "none" : name_of(matches.front().closeness);
}

TEST_CASE("the nearest kind of match wins: drive, firmware, product, figures") {
  const RegistryFolder folder;
  model::DriveModel other = small_model("S9");
  other.identity.product = "Disk 10";
  folder.publish(other);
  CHECK(closest(folder, attached("S1")) == "nearest by figures");
  other = small_model("S2");
  other.identity.revision = "2.0";
  folder.publish(other);
  CHECK(closest(folder, attached("S1")) == "same product");
  folder.publish(small_model("S3"));
  CHECK(closest(folder, attached("S1")) == "same product and firmware");
  folder.publish(small_model("S1"));
  const auto matches = match(folder.store(), attached("S1"), 5);
  REQUIRE(matches.size() == 3);  // by figures alone is nothing beside a product
  CHECK(matches[0].closeness == Closeness::same_drive);
  CHECK(matches[1].closeness == Closeness::same_firmware);
  CHECK(matches[2].closeness == Closeness::same_product);
  CHECK(match(folder.store(), attached("S1"), 2).size() == 2);
}

TEST_CASE("new firmware is the same drive") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  AttachedDrive drive = attached("S1");
  drive.identity.revision = "9.9";
  CHECK(closest(folder, drive) == "same drive");
}

TEST_CASE("the latest version of a drive comes first") {
  const RegistryFolder folder;
  folder.publish(small_model("S1", 1.25));
  folder.publish(small_model("S1", 1.5));
  folder.publish(small_model("S1", 1.75));
  std::vector<std::string> tags;
  for (const Match& found : match(folder.store(), attached("S1"), 5))
    tags.push_back(found.entry.tag);
  CHECK(tags == std::vector<std::string>{"v3", "v2", "v1"});
}

TEST_CASE("a drive without a serial number is never the same drive") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  CHECK(closest(folder, attached("")) == "same product and firmware");
}

TEST_CASE("of figures: doublings of capacity and tenths of the speed, of one block size") {
  const Entry entry = entry_of(small_model("S1"));
  AttachedDrive drive = attached("S2");
  CHECK(distance_between(drive, entry) == Approx(0).margin(1e-9));
  drive.identity.blocks *= 4;
  CHECK(distance_between(drive, entry) == Approx(2));
  drive.rpm = 6000;
  CHECK(distance_between(drive, entry) == Approx(2 + 2));
  drive.rpm = 0;  // it does not say
  CHECK(distance_between(drive, entry) == Approx(2));
  drive.identity.block_bytes = 4096;
  CHECK(std::isinf(distance_between(drive, entry)));
  CHECK(match(drive, {}, {entry}, 5).size() == 1);  // the product is the same
  drive.identity.product = "Another";
  CHECK(match(drive, {}, {entry}, 5).empty());
}

}  // namespace
}  // namespace platter::registry
