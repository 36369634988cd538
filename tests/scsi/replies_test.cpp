#include "scsi/replies.h"

#include <algorithm>
#include <random>

#include "catch.h"
#include "scripted_device.h"
#include "scsi/bytes.h"
#include "scsi/sense.h"

namespace platter::scsi {
namespace {

using ReplyBytes = std::vector<std::uint8_t>;

TEST_CASE("READ CAPACITY(16) tells of protection information and of provisioning") {
  std::vector<std::uint8_t> reply(32);
  reply[7] = 99;
  reply[10] = 2;
  CHECK(decode_capacity_16(reply)->protection_type == 0);
  CHECK_FALSE(decode_capacity_16(reply)->provisioned);
  reply[12] = 0x04;  // P_TYPE without PROT_EN
  CHECK(decode_capacity_16(reply)->protection_type == 0);
  for (const int type : {1, 2, 3}) {
    reply[12] = static_cast<std::uint8_t>(0x01 | (type - 1) << 1);
    CHECK(decode_capacity_16(reply)->protection_type == type);
  }
  reply[14] = 0xC0;
  CHECK(decode_capacity_16(reply)->provisioned);
}

TEST_CASE("text of a drive is trimmed, and harmless to terminals and JSON") {
  const ReplyBytes text{' ', 'A', 0x1B, '[', '2', 'J', 0xFF, 'B', ' ', ' '};
  CHECK(printable(text) == "A?[2J?B");
  CHECK(printable({}) == "");
  CHECK(printable(ReplyBytes{'A', 0, 'B'}) == "A");
}

TEST_CASE("standard INQUIRY data, whole and short") {
  ReplyBytes reply(36, ' ');
  reply[0] = 0x00;
  reply[2] = 6;
  std::copy_n("SEAGATE ST373455SS      0002", 28, reply.begin() + 8);
  const auto whole = decode_inquiry(reply);
  REQUIRE(whole);
  CHECK(whole->vendor == "SEAGATE");
  CHECK(whole->product == "ST373455SS");
  CHECK(whole->revision == "0002");
  const auto cut = decode_inquiry(Bytes(reply).first(18));
  REQUIRE(cut);
  CHECK(cut->vendor == "SEAGATE");
  CHECK(cut->product.empty());  // "ST" would be many drives
  CHECK(cut->revision.empty());
  CHECK_FALSE(decode_inquiry(Bytes(reply).first(4)));
  // A drive that ignores EVPD: this is no list of pages.
  CHECK(decode_vpd_list(reply).empty());
}

TEST_CASE("standard INQUIRY data are known again in the answer to EVPD") {
  ReplyBytes standard(36, ' ');
  standard[0] = 0x00;
  standard[1] = 0x80;  // removable: looks like page 80h
  standard[2] = 0x00;
  standard[3] = 0x01;
  standard[4] = 31;
  CHECK(is_standard_inquiry(standard, standard));
  ReplyBytes longer = standard;
  longer.resize(96);
  CHECK(is_standard_inquiry(longer, standard));
  CHECK(is_standard_inquiry(Bytes(standard).first(5), longer));
  CHECK_FALSE(is_standard_inquiry(Bytes(standard).first(4), standard));
  CHECK_FALSE(is_standard_inquiry(ReplyBytes{0, 0x80, 0, 1, 'A'}, standard));
  longer[20] = 'x';
  CHECK_FALSE(is_standard_inquiry(longer, standard));
}

TEST_CASE("the list of pages, however it comes") {
  using Pages = std::vector<std::uint8_t>;
  CHECK(decode_vpd_list(ReplyBytes{0, 0, 0, 3, 0x00, 0x80, 0xB1}) == Pages{0x00, 0x80, 0xB1});
  CHECK(decode_vpd_list(ReplyBytes{0, 0, 0, 200, 0x00, 0x80}).size() == 2);
  CHECK(decode_vpd_list(ReplyBytes{0, 0, 0, 5, 0xB1, 0x83, 0x80, 0x83, 0xB6}) ==
        Pages{0x00, 0x80, 0x83, 0xB1, 0xB6});
  CHECK(decode_vpd_list(ReplyBytes{0, 0, 0, 1, 0x80, 0xB1}) == Pages{0x00, 0x80});
  CHECK(decode_vpd_list(ReplyBytes{0, 0, 0, 0}).empty());
  CHECK(decode_vpd_list(ReplyBytes{0, 0x80, 0, 1, 'A'}).empty());
  CHECK(decode_vpd_list(ReplyBytes{0, 0, 5, 2, 31, 0, 0, 0}).empty());  // 1282 pages: a version 5
}

TEST_CASE("VPD pages") {
  CHECK(decode_serial(ReplyBytes{0, 0x80, 0, 6, ' ', '3', 'K', 'B', '1', ' '}) == "3KB1");
  CHECK_FALSE(decode_serial(ReplyBytes{0, 0x80, 0, 6, ' ', '3', 'K', 'B'}));  // of many drives
  CHECK_FALSE(decode_serial(ReplyBytes{0, 0x80, 0, 2, ' ', ' '}));
  CHECK_FALSE(decode_serial(ReplyBytes{0, 0x83, 0, 2, 'X', 'Y'}));
  const ReplyBytes names{0, 0x83, 0, 20,   0x01, 0x03, 0, 8, 0x50, 0, 0xC5, 0, 1,
                         2, 3,    4, 0x01, 0x93, 0,    4, 9, 9,    9, 9};  // the second one is the
                                                                           // port's
  CHECK(decode_designators(names) == std::vector<std::string>{"naa.5000c50001020304"});
  CHECK(decode_designators(Bytes(names).first(15)).empty());
}

TEST_CASE("capacities") {
  ReplyBytes ten(8);
  put_be(&ten[0], 4, 999);
  put_be(&ten[4], 4, 520);
  CHECK(decode_capacity_10(ten)->blocks == 1000);
  CHECK(decode_capacity_10(ten)->block_bytes == 520);
  put_be(&ten[0], 4, 0xFFFFFFFF);
  CHECK_FALSE(decode_capacity_10(ten));
  CHECK(says_too_large(ten));
  ReplyBytes sixteen(32);
  put_be(&sixteen[0], 8, ~std::uint64_t{0});
  put_be(&sixteen[8], 4, 512);
  CHECK_FALSE(decode_capacity_16(sixteen));
}

TEST_CASE("mode pages behind descriptors, other pages and subpages; padding is no page") {
  const ReplyBytes other{0x81, 2, 1, 2}, subpage{0x48, 1, 0, 2, 7, 7}, wanted{0x08, 2, 0x04, 0x00};
  ReplyBytes pages;
  for (const auto& page : {other, subpage, wanted}) pages = testing::joined(pages, page);
  const ReplyBytes descriptor(8, 0x08);
  const auto with_header = [&](std::uint8_t stated) {
    return testing::joined(testing::joined({stated, 0, 0, 8}, descriptor), pages);
  };
  const auto full = with_header(static_cast<std::uint8_t>(3 + 8 + pages.size()));
  CHECK(find_mode_page(ModeForm::six, full, 0x08) == wanted);
  CHECK_FALSE(find_mode_page(ModeForm::six, full, 0x03));
  // The stated length ends before the page: what follows is padding.
  CHECK_FALSE(find_mode_page(ModeForm::six, with_header(3 + 8 + 4), 0x08));
  // The page is cut off: it counts as not there.
  CHECK_FALSE(find_mode_page(ModeForm::six, Bytes(full).first(full.size() - 1), 0x08));
}

TEST_CASE("the caching page, of the old and the new length") {
  ReplyBytes page(20);
  page[0] = 0x88;
  page[1] = 18;
  page[2] = 0x14;
  page[12] = 0x20;
  page[13] = 16;
  put_be(&page[8], 2, 1234);
  put_be(&page[14], 2, 256);
  const auto cache = decode_cache_page(page);
  REQUIRE(cache);
  CHECK(cache->write_cache_enabled);
  CHECK(cache->read_ahead_disabled);
  CHECK_FALSE(cache->read_cache_disabled);
  CHECK(cache->segments == 16);
  CHECK(cache->segment_blocks == 256);
  CHECK(cache->max_prefetch == 1234);
  const auto changed = with_cache_bits(page, false, true, false);
  REQUIRE(changed);
  CHECK((*changed)[2] == 0x11);
  CHECK((*changed)[12] == 0x00);
  ReplyBytes old(12);
  old[0] = 0x08;
  old[1] = 10;
  CHECK(with_cache_bits(old, true, false, false));
  CHECK_FALSE(with_cache_bits(old, true, false, true));
  CHECK(decode_cache_page(old)->segments == 0);
}

TEST_CASE("sense data of both formats") {
  auto fixed = testing::fixed_sense(3, 0x11, 0x01);
  fixed[0] = 0xF0;  // VALID
  put_be(&fixed[3], 4, 4711);
  const auto first = decode_sense(fixed);
  REQUIRE(first);
  CHECK(first->key == SenseKey::medium_error);
  CHECK(first->information == 4711);
  CHECK_FALSE(first->deferred);
  CHECK_THAT(first->text(), Catch::Contains("[3/11/01]"));
  CHECK(decode_sense(testing::fixed_sense(4, 0x09, 0, 0x71))->deferred);

  ReplyBytes descriptor{0x72, 5, 0x21, 0, 0, 0, 0, 12, 0x00, 0x0A, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 9};
  const auto second = decode_sense(descriptor);
  REQUIRE(second);
  CHECK(second->is(SenseKey::illegal_request, 0x21));
  CHECK(second->information == (std::uint64_t{1} << 32) + 9);
  // A descriptor that claims to go on behind the end.
  descriptor.resize(14);
  CHECK(decode_sense(descriptor));
  CHECK_FALSE(decode_sense({}));
  CHECK_FALSE(decode_sense(ReplyBytes(18, 0)));
}

TEST_CASE("logical unit numbers") {
  ReplyBytes reply(24);
  put_be(&reply[0], 4, 16);
  put_be(&reply[16], 8, 0x0001000000000000);
  CHECK(decode_luns(reply) == std::vector<std::uint64_t>{0, 0x0001000000000000});
  put_be(&reply[0], 4, 64);  // says more than came
  CHECK(decode_luns(reply).empty());
}

// Every decoder on random bytes, on mutilated honest replies and on every length: the sanitizers
// watch; here it is checked that no decoder makes more of a reply than it has bytes.
TEST_CASE("fuzz: no reply, however short or lying, is read beyond its end") {
  std::mt19937_64 random(99);
  const std::vector<ReplyBytes> honest{
      {0, 0, 6, 2, 31, 0, 0, 0, 'A', 'B'},
      {0, 0x83, 0, 12, 1, 3, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8},
      {0x40, 0, 0, 10, 0, 5, 0, 0, 1, 2, 0, 0, 0, 3},
      {0x40, 0, 0, 10, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0x1D, 0, 8, 0, 0, 1, 2, 0, 0, 0, 3},
      {27,   0, 0, 8, 0, 0, 0, 1, 0, 0, 2,    0, 0x08, 0x12,
       0x04, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0x20, 9, 0,    5},
      {0x72, 5, 0x21, 0, 0, 0, 0, 12, 0, 0x0A, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 9}};
  std::size_t understood = 0;
  for (int i = 0; i < 200'000; ++i) {
    ReplyBytes reply = honest[random() % honest.size()];
    if (random() % 4 == 0)
      for (auto& byte : reply) byte = static_cast<std::uint8_t>(random());
    for (auto changes = random() % 4; changes > 0; --changes)
      reply[random() % reply.size()] = static_cast<std::uint8_t>(random());
    reply.resize(random() % (reply.size() + 1));
    reply.shrink_to_fit();  // so that a sanitizer sees the byte behind the last one
    const auto size = reply.size();
    if (const auto inquiry = decode_inquiry(reply)) REQUIRE(inquiry->vendor.size() <= 8);
    REQUIRE(decode_vpd_list(reply).size() <= size);
    if (const auto serial = decode_serial(reply)) REQUIRE(serial->size() <= size);
    REQUIRE(decode_designators(reply).size() <= size / 4);
    decode_block_limits(reply);
    decode_characteristics(reply);
    decode_capacity_10(reply);
    if (const auto capacity = decode_capacity_16(reply)) REQUIRE(capacity->blocks > 0);
    for (const auto form : {ModeForm::six, ModeForm::ten})
      for (const std::uint8_t page : {std::uint8_t{3}, std::uint8_t{4}, std::uint8_t{8}})
        if (const auto found = find_mode_page(form, reply, page)) {
          REQUIRE(found->size() >= 1);
          REQUIRE(found->size() <= size);
          decode_cache_page(*found);
          decode_format_page(*found);
          decode_geometry_page(*found);
          with_cache_bits(*found, true, true, true);
        }
    if (const auto translation = decode_translation(reply)) {
      REQUIRE(translation->places.size() * 8 + 6 <= size);
      ++understood;
    }
    decode_translation_back(reply);
    if (const auto list = decode_defects_10(reply)) REQUIRE(list->places.size() * 8 + 4 <= size);
    if (const auto list = decode_defects_12(reply)) REQUIRE(list->places.size() * 8 + 8 <= size);
    REQUIRE(decode_luns(reply).size() * 8 <= size);
    if (const auto sense = decode_sense(reply)) REQUIRE_FALSE(sense->text().empty());
  }
  CHECK(understood > 100);
}

}  // namespace
}  // namespace platter::scsi
