// Who an ATA drive is, by its own words.
#include "scsi/identify_device.h"

#include <numeric>

#include "catch.h"

namespace platter::scsi {
namespace {

class Words {
 public:
  Words& set(std::size_t word, std::uint64_t value, std::size_t count = 1) {
    for (std::size_t i = 0; i < count; ++i, value >>= 16) {
      data_[2 * (word + i)] = static_cast<std::uint8_t>(value);
      data_[2 * (word + i) + 1] = static_cast<std::uint8_t>(value >> 8);
    }
    return *this;
  }
  Words& text(std::size_t word, const std::string& swapped) {
    std::copy(swapped.begin(), swapped.end(),
              data_.begin() + static_cast<std::ptrdiff_t>(2 * word));
    return *this;
  }
  AtaIdentity said() const { return decode_ata_identity(data_).value(); }
  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  std::vector<std::uint8_t> data_ = std::vector<std::uint8_t>(512);
};

// As a drive of 2014 answers behind a bridge.
Words whole() {
  Words words;
  words.set(0, 0x0040)
      .text(10, "    W -DCW4C0E000010")
      .text(23, "280.A028")
      .text(27, "DW CDW04FEXR6-W80T0N" + std::string(20, ' '))
      .set(60, 0x0FFFFFFF, 2)
      .set(69, 0x0001)
      .set(83, 0x4400)
      .set(84, 0x4100)
      .set(87, 0x4100)
      .set(100, 7'814'037'168, 4)
      .set(106, 0x6003)
      .set(108, 0x5001)
      .set(109, 0x4EE2)
      .set(110, 0x0B8C)
      .set(111, 0x6D3A)
      .set(169, 0x0001)
      .set(209, 0x4000)
      .set(217, 5400);
  return words;
}

}  // namespace

TEST_CASE("IDENTIFY DEVICE tells who the drive is") {
  const auto drive = whole().said();
  CHECK(drive.serial == "WD-WCC4E0000001");
  CHECK(drive.firmware == "82.00A82");
  CHECK(drive.model == "WDC WD40EFRX-68WT0N0");
  CHECK(drive.sectors_28 == 0x0FFFFFFFU);
  CHECK(drive.sectors_48 == 7'814'037'168U);
  CHECK_FALSE(drive.sectors_64);
  CHECK(drive.sectors() == 7'814'037'168U);
  CHECK(drive.sector_bytes == 512U);
  CHECK(drive.physical_exponent == 3);
  CHECK(drive.lowest_aligned == 0U);
  CHECK(drive.rotation_rate == 5400);
  CHECK(drive.zoned == Zoned::host_aware);
  CHECK(drive.trim);
  CHECK(drive.world_wide_name == 0x50014EE20B8C6D3A);
  CHECK(drive.checksum == Checksum::absent);
  CHECK_FALSE(drive.incomplete);
}

TEST_CASE("words that do not count tell nothing") {
  auto drive = whole().set(83, 0x0400).said();  // bits 15 and 14
  CHECK_FALSE(drive.sectors_48);
  CHECK(drive.sectors() == 0x0FFFFFFFU);
  drive = whole().set(83, 0x4000).said();  // no 48 bits
  CHECK_FALSE(drive.sectors_48);
  drive = whole().set(100, std::uint64_t{1} << 60, 4).said();
  CHECK_FALSE(drive.sectors_48);
  drive = whole().set(60, 0x10000001, 2).said();
  CHECK_FALSE(drive.sectors_28);
  CHECK_FALSE(whole().set(60, 0, 2).set(83, 0).said().sectors());
  drive = whole().set(230, 5000, 4).said();
  CHECK_FALSE(drive.sectors_64);
  CHECK(whole().set(230, 5000, 4).set(69, 0x000A).said().sectors() == 5000U);
  CHECK(whole().set(69, 0x0002).said().zoned == Zoned::device_managed);

  CHECK_FALSE(whole().set(84, 0x4000).set(87, 0x4000).said().world_wide_name);
  CHECK_FALSE(whole().set(84, 0x0100).set(87, 0xC100).said().world_wide_name);
  CHECK(whole().set(84, 0x4000).said().world_wide_name);
  CHECK_FALSE(whole().set(108, 0, 4).said().world_wide_name);

  for (const unsigned rate : {0U, 2U, 0x400U, 0xFFFFU})
    CHECK_FALSE(whole().set(217, rate).said().rotation_rate);
  CHECK(whole().set(217, 1).said().rotation_rate == 1);
  CHECK_FALSE(whole().set(169, 0xFFFE).said().trim);
  CHECK(whole().set(0, 0x0044).said().incomplete);
}

TEST_CASE("sizes of sectors, and where they begin") {
  for (const unsigned word : {0x2003U, 0xA003U, 0xFFFFU, 0x0000U}) {
    const auto drive = whole().set(106, word).said();
    CHECK_FALSE(drive.sector_bytes);
    CHECK_FALSE(drive.physical_exponent);
    CHECK_FALSE(drive.lowest_aligned);
  }
  CHECK(whole().set(106, 0x4000).said().physical_exponent == 0);
  CHECK(whole().set(106, 0x4000).said().lowest_aligned == 0U);
  CHECK(whole().set(209, 0x4001).said().lowest_aligned == 7U);
  CHECK_FALSE(whole().set(209, 0x4008).said().lowest_aligned);  // not within a physical sector
  CHECK_FALSE(whole().set(209, 0x0001).said().lowest_aligned);
  CHECK(whole().set(106, 0x5000).set(117, 2048, 2).said().sector_bytes == 4096U);
  CHECK(whole().set(106, 0x5000).set(117, 260, 2).said().sector_bytes == 520U);
  CHECK_FALSE(whole().set(106, 0x5000).said().sector_bytes);
  CHECK_FALSE(whole().set(106, 0x5000).set(117, 0xFFFFFFFF, 2).said().sector_bytes);
}

TEST_CASE("what is no whole IDENTIFY DEVICE data is none, and a checksum is told") {
  const auto data = whole().data();
  CHECK_FALSE(decode_ata_identity(Bytes(data).first(511)));
  CHECK_FALSE(decode_ata_identity(whole().set(0, 0x8580).data()));  // ATAPI
  CHECK_FALSE(decode_ata_identity(std::vector<std::uint8_t>(512)));
  CHECK_FALSE(whole().text(10, std::string(20, ' ')).said().serial);
  CHECK_FALSE(whole().text(10, std::string(20, '\0')).said().serial);
  auto words = whole().set(255, 0x00A5);
  CHECK(words.said().checksum == Checksum::wrong);
  const auto sum = std::accumulate(words.data().begin(), words.data().end(), 0U);
  words.set(255, 0x00A5 | (0x100 - (sum & 0xFF)) << 8);
  CHECK(words.said().checksum == Checksum::right);
  // Text that would harm a terminal.
  CHECK(whole().text(27, "\x1B[2J").said().model->find('\x1B') == std::string::npos);
}

TEST_CASE("VPD page 89h: the translation, and the drive behind it") {
  std::vector<std::uint8_t> page(60);
  page[1] = 0x89;
  page[2] = 0x02;
  page[3] = 0x38;
  const std::string names = "LINUX   libata          3.00";
  std::copy(names.begin(), names.end(), page.begin() + 8);
  page[36] = 0x34;
  page[55] = 0x77;
  page[56] = 0xEC;
  const auto data = whole().data();
  page.insert(page.end(), data.begin(), data.end());
  const auto found = decode_ata_information(page);
  REQUIRE(found);
  CHECK(found->vendor == "LINUX");
  CHECK(found->product == "libata");
  CHECK(found->revision == "3.00");
  CHECK(found->signature.front() == 0x34);
  CHECK(found->signature.back() == 0x77);
  REQUIRE(found->identify_device);
  CHECK(decode_ata_identity(*found->identify_device)->serial == "WD-WCC4E0000001");
  CHECK_FALSE(decode_ata_information(Bytes(page).first(571))->identify_device);
  CHECK(decode_ata_information(Bytes(page).first(60))->product == "libata");
  CHECK_FALSE(decode_ata_information(Bytes(page).first(59)));
  for (const auto command : {std::uint8_t{0xA1}, std::uint8_t{0}}) {  // a CD drive; nothing that
                                                                      // got the data
    page[56] = command;
    CHECK_FALSE(decode_ata_information(page)->identify_device);
  }
  page[1] = 0x80;
  CHECK_FALSE(decode_ata_information(page));
}

}  // namespace platter::scsi
