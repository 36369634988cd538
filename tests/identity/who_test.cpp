#include "identity/who.h"

#include <string>

#include "catch.h"
#include "identity/claims.h"
#include "identity/drive_mark.h"

namespace platter::identity {
namespace {

constexpr std::uint64_t kFourTerabytes = 4'000'787'030'016;

AtaDisk red() {
  return {"WDC WD40EFRX-68WT0N0", "WD-WCC4E0934172", "82.00A82", "50014ee20a1b2c3d",
          kFourTerabytes};
}

Evidence behind_bridge() {
  Evidence evidence;
  evidence.vendor = "ASMT";
  evidence.product = "2105";
  evidence.revision = "0";
  evidence.bytes = kFourTerabytes;
  evidence.pass_through = red();
  return evidence;
}

TEST_CASE("a drive of the SCSI side alone is what it says, by VPD page 80h") {
  const Who who = who_is(
      {"QUANTUM", "ATLAS 10K 9SCA", "UCP0", "363841905ABC", {}, 9'100'000'000, false, {}, {}});
  CHECK(who.reached == Reached::nothing);
  CHECK(who.identity.vendor == "QUANTUM");
  CHECK(who.identity.name == "QUANTUM ATLAS 10K 9SCA");
  CHECK(who.identity.serial == "363841905ABC");
  CHECK(who.identity.serial_by == "VPD page 80h");
  CHECK(who.sureness == Sureness::told_number);
  CHECK(who.doubts.empty());
}

// holds: safety.md: Who a drive is
TEST_CASE("a worthless number counts as none, and is warned of") {
  const Who who =
      who_is({"JMicron", "Generic", "0100", "152D00539000", {}, 1'000'000'000, false, {}, {}});
  CHECK(who.identity.serial.empty());
  CHECK(who.sureness == Sureness::no_number);
  REQUIRE(who.doubts.size() == 1);
  CHECK(who.doubts.front().find("152D00539000") != std::string::npos);
  CHECK(drive_mark(who.identity).empty());
}

// holds: safety.md: Who a drive is
TEST_CASE("behind a bridge the drive is named by its disk, the bridge beside it") {
  Evidence evidence = behind_bridge();
  SECTION("that tells a number of its own for all") { evidence.serial = "123456789012"; }
  SECTION("that tells none") {}
  SECTION("that passes the disk's number on") { evidence.serial = "WD-WCC4E0934172"; }
  SECTION("that cuts it") { evidence.serial = "WCC4E0934172"; }
  SECTION("that tells its world wide name") {
    evidence.designators = {"t10.ASMT 2105", "naa.50014ee20a1b2c3d"};
  }
  const Who who = who_is(evidence);
  CHECK(who.reached == Reached::this_disk);
  CHECK(who.identity.vendor == "ATA");
  CHECK(who.identity.product == "WDC WD40EFRX-68WT0N0");
  CHECK(who.identity.name == "WDC WD40EFRX-68WT0N0");
  CHECK(who.identity.revision == "82.00A82");
  CHECK(who.identity.serial == "WD-WCC4E0934172");
  CHECK(who.identity.serial_by == "IDENTIFY DEVICE");
  CHECK(who.identity.bridge == "ASMT 2105 0");
  CHECK(who.sureness == Sureness::own_number);
  // Its size is no name.
  const bool by_size_alone = evidence.serial.empty() || evidence.serial == "123456789012";
  CHECK(who.doubts.size() == (by_size_alone && evidence.designators.empty() ? 1 : 0));
}

TEST_CASE("the disk is the same one behind a bridge and without") {
  Evidence direct;
  direct.vendor = "ATA";
  direct.product = "WDC WD40EFRX-68W";
  direct.revision = "0A82";
  direct.serial = "WD-WCC4E0934172";
  direct.bytes = kFourTerabytes;
  direct.pass_through = direct.page_89h = red();
  const Who without = who_is(direct);
  const Who with = who_is(behind_bridge());
  CHECK(without.identity.bridge.empty());
  CHECK(same_drive(without.identity, with.identity));
  CHECK(drive_mark(without.identity) == drive_mark(with.identity));
}

// holds: safety.md: SET FEATURES leave only
TEST_CASE("ATA PASS-THROUGH that reaches another disk counts for nothing") {
  Evidence evidence = behind_bridge();
  evidence.serial = "WD-WX11A7250496";
  SECTION("of another size") {
    evidence.pass_through->bytes = 8'001'563'222'016;
    evidence.serial = GENERATE("", "152D00539000", "WD-WX11A7250496");
    // A dock's page is of one of its disks, as the pass-through is.
    if (GENERATE(false, true)) evidence.page_89h = evidence.pass_through;
  }
  SECTION("of another number than the translation's page says") {
    evidence.page_89h = red();
    evidence.page_89h->serial = "WD-WX11A7250496";
  }
  SECTION("a disk of the same kind, with another number") {
    evidence.product = "WD40EFRX-68WT0N0";
    evidence.vendor = "WDC";
  }
  const Who who = who_is(evidence);
  CHECK(who.reached == Reached::other_disk);
  CHECK(who.identity.serial != "WD-WCC4E0934172");
  REQUIRE_FALSE(who.doubts.empty());
  CHECK(who.doubts.back().find("another disk") != std::string::npos);
}

// holds: safety.md: SET FEATURES leave only
TEST_CASE("a bridge with a number of its own leaves it open whose disk answers") {
  Evidence evidence = behind_bridge();
  evidence.serial = "X5P7K2M9Q4";
  const Who who = who_is(evidence);
  CHECK(who.reached == Reached::not_known);
  CHECK_FALSE(is_this_disk(who));
  CHECK(who.identity.vendor == "ASMT");
  CHECK(who.identity.serial == "X5P7K2M9Q4");
  CHECK(who.doubts.size() == 1);
}

// holds: safety.md: SET FEATURES leave only
TEST_CASE("where a translation names another model of the same size, whose disk answers is open") {
  Evidence evidence = behind_bridge();
  evidence.vendor = "ATA";
  evidence.product = "ST4000DM004-2CV1";
  SECTION("and no number tells") { evidence.serial = GENERATE("", "000000000000"); }
  SECTION("and a dock's page is of one of its disks, as the pass-through is") {
    evidence.page_89h = red();
    if (GENERATE(false, true)) evidence.page_89h->serial.clear();
  }
  CHECK(who_is(evidence).reached == Reached::not_known);
  evidence.product = "WDC WD40EFRX-68W";
  CHECK(who_is(evidence).reached == Reached::this_disk);
  evidence.product.clear();  // it names none
  CHECK(who_is(evidence).reached == Reached::this_disk);
}

TEST_CASE("a world wide name that all bridges have proves nothing") {
  Evidence evidence = behind_bridge();
  evidence.serial = "X5P7K2M9Q4";
  evidence.designators = {"naa.5000000000000001"};
  evidence.pass_through->world_wide_name = "5000000000000001";
  CHECK(who_is(evidence).reached == Reached::not_known);
}

TEST_CASE("a drive's mark tells drives apart, and not the serial number") {
  model::Identity drive;
  drive.vendor = "IBM";
  drive.product = "DDYS";
  drive.serial = "AB129X";
  drive.blocks = 1000;
  const std::string mark = drive_mark(drive);
  CHECK(mark.size() == 16);
  CHECK(mark.find("AB129X") == std::string::npos);
  CHECK(drive_mark(drive) == mark);
  drive.revision = "S96H";  // a new firmware makes no other drive
  CHECK(drive_mark(drive) == mark);
  drive.serial = "AB139X";
  CHECK(drive_mark(drive) != mark);
  drive.serial = "";
  CHECK(drive_mark(drive).empty());
}

TEST_CASE("drives without a number are told apart by nothing; a stated size is part of who it is") {
  model::Identity a;
  a.vendor = "Generic";
  a.product = "External";
  a.blocks = 1000;
  CHECK(drive_mark(a).empty());
  CHECK_FALSE(can_be_told(a));
  model::Identity b = a;
  b.blocks = 999;
  b.stated_blocks = 1000;  // one of them cannot be addressed
  CHECK(same_drive(a, b));
  b.stated_blocks.reset();
  CHECK_FALSE(same_drive(a, b));
}

TEST_CASE("a claim is contradicted where its witnesses say different things") {
  Claim claim{Subject::physical_block, {{"READ CAPACITY(16)", "512 bytes"}}, "512 bytes"};
  CHECK_FALSE(claim.contradicted());
  claim.witnesses.push_back({"IDENTIFY DEVICE", "4096 bytes"});
  CHECK(claim.contradicted());
  CHECK(claim.doubt().find("READ CAPACITY(16) says 512 bytes, IDENTIFY DEVICE says 4096 bytes") !=
        std::string::npos);
}

TEST_CASE("every subject of a claim has one row, in order") {
  std::size_t number = 0;
  for (const ClaimRow& row : claim_table()) {
    CHECK(static_cast<std::size_t>(row.subject) == number++);
    CHECK_FALSE(row.what.empty());
    CHECK_FALSE(row.witnesses.empty());
    CHECK(&row_of(row.subject) == &row);
  }
}

}  // namespace
}  // namespace platter::identity
