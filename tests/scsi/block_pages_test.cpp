// What drives of today tell in their pages: characteristics, zones, provisioning, ranges, elements,
// power conditions.
#include "scsi/block_pages.h"

#include "catch.h"
#include "scsi/physical_elements.h"
#include "scsi/positioning_ranges.h"
#include "scsi/power_conditions.h"

namespace platter::scsi {
namespace {

using ReplyBytes = std::vector<std::uint8_t>;

ReplyBytes vpd(std::uint8_t page, std::size_t bytes) {
  ReplyBytes reply(bytes);
  reply[1] = page;
  put_be(&reply[2], 2, bytes - 4);
  return reply;
}

ReplyBytes two_ranges() {
  ReplyBytes reply = vpd(0xB9, 64 + 2 * 32);
  for (std::uint8_t i = 0; i < 2; ++i) {
    reply[64 + 32 * i] = i;
    reply[64 + 32 * i + 1] = 9;
    put_be(&reply[64 + 32 * i + 8], 8, 1000U * i);
    put_be(&reply[64 + 32 * i + 16], 8, 1000);
  }
  return reply;
}

ReplyBytes element_reply(std::initializer_list<std::uint8_t> health) {
  ReplyBytes reply(32);
  put_be(&reply[0], 4, health.size());
  put_be(&reply[4], 4, health.size());
  for (const std::uint8_t one : health) {
    ReplyBytes descriptor(32);
    put_be(&descriptor[4], 4, reply.size() / 32);
    descriptor[14] = 1;
    descriptor[15] = one;
    put_be(&descriptor[16], 8, 1'000'000);
    reply.insert(reply.end(), descriptor.begin(), descriptor.end());
  }
  return reply;
}

}  // namespace

TEST_CASE("VPD page B1h, whole and as older drives have it") {
  ReplyBytes reply = vpd(0xB1, 64);
  put_be(&reply[4], 2, 5425);
  reply[7] = 0x92;
  reply[8] = 0x2A;
  put_be(&reply[12], 4, 86400);
  const auto whole = decode_characteristics(reply);
  REQUIRE(whole);
  CHECK(whole->rotation_rate == 5425);
  CHECK(whole->form_factor == 2);
  CHECK(whole->after_block_erase == 2);
  CHECK(whole->after_crypto_erase == 1);
  CHECK(whole->zoned == Zoned::device_managed);
  CHECK(whole->reassigned_reads_zeros == true);
  CHECK(whole->background_control == false);
  CHECK(whole->force_as_in_sbc4 == true);
  CHECK(whole->verifies_unmapped == false);
  CHECK(whole->depopulation_time_s == 86400);
  const auto cut = decode_characteristics(Bytes(reply).first(8));
  REQUIRE(cut);
  CHECK(cut->rotation_rate == 5425);
  CHECK_FALSE(cut->zoned);
  CHECK_FALSE(cut->verifies_unmapped);
  CHECK_FALSE(decode_characteristics(Bytes(reply).first(15))->depopulation_time_s);
  reply[3] = 4;  // what lies behind is padding
  CHECK_FALSE(decode_characteristics(reply)->zoned);
  CHECK_FALSE(decode_characteristics(Bytes(reply).first(6)));
}

TEST_CASE("VPD page B6h: zones that the host writes in order") {
  ReplyBytes reply = vpd(0xB6, 64);
  reply[0] = kHostManagedZones;
  reply[4] = 0x01;
  put_be(&reply[8], 4, 0xFFFFFFFF);
  put_be(&reply[16], 4, 128);
  reply[23] = 8;
  put_be(&reply[24], 8, 1 << 19);
  const auto zones = decode_zoned_characteristics(reply);
  REQUIRE(zones);
  CHECK(zones->reads_beyond_write_pointer);
  CHECK(zones->extension == 0);
  CHECK_FALSE(zones->optimal_open);
  CHECK(zones->optimal_nonsequential == 0U);
  CHECK(zones->most_open == 128U);
  CHECK(zones->alignment_method == 8);
  CHECK(zones->start_granularity == 1U << 19);
  const auto cut = decode_zoned_characteristics(Bytes(reply).first(19));
  CHECK_FALSE(cut->most_open);
  CHECK_FALSE(cut->alignment_method);
  reply[23] = 1;
  CHECK_FALSE(decode_zoned_characteristics(reply)->start_granularity);
  reply[23] = 0;
  CHECK_FALSE(decode_zoned_characteristics(reply)->alignment_method);
  CHECK_FALSE(decode_zoned_characteristics(Bytes(reply).first(4)));
}

TEST_CASE("VPD page B2h: whether blocks can be trimmed") {
  ReplyBytes reply = vpd(0xB2, 8);
  CHECK_FALSE(decode_provisioning(reply)->can_be_trimmed());
  for (const int bit : {0x80, 0x40, 0x20}) {
    reply[5] = static_cast<std::uint8_t>(bit);
    CHECK(decode_provisioning(reply)->can_be_trimmed());
  }
  reply[5] = 0x1F;
  reply[6] = 0xFA;
  CHECK_FALSE(decode_provisioning(reply)->can_be_trimmed());
  CHECK(decode_provisioning(reply)->type == 2);
  CHECK_FALSE(decode_provisioning(Bytes(reply).first(6))->type);
  CHECK_FALSE(decode_provisioning(Bytes(reply).first(5)));
}

TEST_CASE("VPD page B9h: two actuators, each with its half") {
  const ReplyBytes honest = two_ranges();
  const auto ranges = decode_positioning_ranges(honest);
  REQUIRE(ranges);
  REQUIRE(ranges->size() == 2);
  CHECK(ranges->at(1).number == 1);
  CHECK(ranges->at(1).storage_elements == 9);
  CHECK(ranges->at(1).blocks.first == 1000);
  CHECK(ranges->at(1).blocks.last == 1999);
  CHECK(lie_within(*ranges, 2000));
  CHECK_FALSE(lie_within(*ranges, 1999));
  CHECK_FALSE(decode_positioning_ranges(Bytes(honest).first(127)));
  const auto changed = [&](std::size_t at, int bytes, std::uint64_t value) {
    ReplyBytes reply = honest;
    put_be(&reply[at], bytes, value);
    return decode_positioning_ranges(reply);
  };
  CHECK_FALSE(changed(96, 1, 0));                        // a number twice
  CHECK_FALSE(changed(96 + 8, 8, 999));                  // a block of both
  CHECK_FALSE(changed(96 + 16, 8, 0));                   // of no block
  CHECK_FALSE(changed(96 + 16, 8, ~std::uint64_t{0}));   // beyond all numbers
  CHECK(changed(96 + 16, 8, ~std::uint64_t{0} - 999));   // to the last of them
  CHECK_FALSE(changed(2, 2, 64 + 60 - 4));               // not so many descriptors
  CHECK_FALSE(changed(2, 2, 60));                        // none
  CHECK(changed(64 + 8, 8, 5000)->front().number == 1);  // told in another order
  CHECK(changed(96 + 8, 8, 1500)->size() == 2);          // a gap
}

TEST_CASE("GET PHYSICAL ELEMENT STATUS: which surfaces are out of use") {
  ReplyBytes reply = element_reply({0x01, 0x64, 0x65, 0xFF});
  reply[32 + 3 * 32 + 13] = 0x01;
  put_be(&reply[32 + 16], 8, ~std::uint64_t{0});
  const auto found = decode_physical_elements(reply);
  REQUIRE(found);
  REQUIRE(found->elements.size() == 4);
  CHECK(found->is_whole());
  CHECK_FALSE(found->being_depopulated);
  CHECK_FALSE(found->elements[0].blocks);
  CHECK(found->elements[1].blocks == 1'000'000U);
  CHECK(found->elements[3].identifier == 4);
  CHECK(found->elements[3].type == 1);
  CHECK(found->elements[3].restorable);
  CHECK_FALSE(found->elements[2].restorable);
  using enum ElementHealth;
  const ElementHealth in_words[] = {within_specification, at_its_limit, out_of_specification,
                                    depopulated};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(found->elements[i].in_words() == in_words[i]);
    CHECK(found->elements[i].is_out_of_use() == (i == 3));
  }
  CHECK_FALSE(decode_physical_elements(Bytes(reply).first(reply.size() - 1))->is_whole());
  CHECK_FALSE(decode_physical_elements(Bytes(reply).first(31)));
  // The first two of four: what lies behind is none.
  put_be(&reply[4], 4, 2);
  put_be(&reply[8], 4, 2);
  CHECK(decode_physical_elements(reply)->elements.size() == 2);
  CHECK_FALSE(decode_physical_elements(reply)->is_whole());
  CHECK(decode_physical_elements(reply)->being_depopulated == 2U);
  const std::pair<int, ElementHealth> limits[] = {{0x00, not_reported},
                                                  {0x63, within_specification},
                                                  {0xCF, out_of_specification},
                                                  {0xD0, reserved},
                                                  {0xFA, reserved},
                                                  {0xFB, restored_with_errors},
                                                  {0xFC, being_restored},
                                                  {0xFD, depopulated_with_errors},
                                                  {0xFE, being_depopulated}};
  for (const auto& [health, words] : limits) {
    PhysicalElement element;
    element.health = static_cast<std::uint8_t>(health);
    CHECK(element.in_words() == words);
    CHECK(element.is_out_of_use() == (health >= 0xFB));
  }
  CHECK(physical_element_bytes(4) == reply.size());
  CHECK(physical_element_bytes(0xFFFFFFFF) % 32 == 0);
}

TEST_CASE("mode page 1Ah: each timer with its bit, of the new and the old length") {
  ReplyBytes page(40);
  page[0] = 0x9A;
  page[1] = 0x26;
  page[2] = 0x01;
  page[3] = 0x0A;
  for (std::uint8_t i = 0; i < 5; ++i) put_be(&page[4 + 4 * i], 4, 10U + i);
  const auto timers = decode_power_timers(page);
  REQUIRE(timers);
  CHECK(timers->idle_a.enabled);
  CHECK(timers->idle_a.tenths == 10U);
  CHECK_FALSE(timers->standby_z.enabled);
  CHECK(timers->standby_z.tenths == 11U);
  CHECK_FALSE(timers->idle_b.enabled);
  CHECK(timers->idle_b.tenths == 12U);
  CHECK(timers->idle_c.enabled);
  CHECK(timers->idle_c.tenths == 13U);
  CHECK(timers->standby_y.enabled);
  CHECK(timers->standby_y.tenths == 14U);
  page[1] = 0x0A;
  const auto old = decode_power_timers(page);
  CHECK(old->standby_z.tenths == 11U);
  CHECK_FALSE(old->idle_b.tenths);
  CHECK_FALSE(old->standby_y.tenths);
  CHECK_FALSE(decode_power_timers(Bytes(page).first(11))->standby_z.tenths);
  CHECK_FALSE(decode_power_timers(Bytes(page).first(3)));
  page[0] = 0x5A;  // subpage F1h: ATA power condition
  CHECK_FALSE(decode_power_timers(page));
  page[0] = 0x08;
  CHECK_FALSE(decode_power_timers(page));
}

TEST_CASE("a page 1Ah with one timer alone; page 8Ah, whole and of this drive's conditions") {
  ReplyBytes page(40);
  page[0] = 0x9A;
  page[1] = 0x26;
  page[2] = 0xC1;
  page[3] = 0x0F;
  for (std::uint8_t i = 0; i < 5; ++i) put_be(&page[4 + 4 * i], 4, 100U + i);
  const auto timer_of = [&](std::size_t condition) {
    const auto alone = decode_power_timers(with_only_timer(page, condition, 7).value());
    return std::array{alone->idle_a, alone->idle_b, alone->idle_c, alone->standby_y,
                      alone->standby_z};
  };
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t other = 0; other < 5; ++other) {
      CHECK(timer_of(i)[other].enabled == (i == other));
      CHECK((timer_of(i)[other].tenths == 7U) == (i == other));
    }
  CHECK((*with_only_timer(page, 0, 7))[2] == 0xC0);  // what else is there stays
  page.resize(12);
  page[1] = 0x0A;
  CHECK(with_only_timer(page, 4, 7));
  CHECK_FALSE(with_only_timer(page, 1, 7));

  ReplyBytes told{0, 0x8A, 0, 14, 0x03, 0x05, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
  const auto times = decode_recovery_times(told);
  REQUIRE(times);
  CHECK((*times)[0] == 4);
  CHECK_FALSE((*times)[1]);
  CHECK((*times)[2] == 6);
  CHECK((*times)[3] == 3);
  CHECK((*times)[4] == 2);
  CHECK_FALSE(decode_recovery_times(Bytes(told).first(17)));
  told[1] = 0x80;
  CHECK_FALSE(decode_recovery_times(told));
}

TEST_CASE("a zone that cannot be is none: type, condition, a pointer outside of it") {
  std::vector<std::uint8_t> reply(kZoneHeader + 2 * kZoneDescriptor, 0);
  put_be(&reply[0], 4, 2 * kZoneDescriptor);
  const auto put_zone = [&](std::size_t at, std::uint8_t type, std::uint8_t condition,
                            std::uint64_t first, std::uint64_t pointer) {
    reply[at] = type;
    reply[at + 1] = static_cast<std::uint8_t>(condition << 4);
    put_be(&reply[at + 8], 8, 100);
    put_be(&reply[at + 16], 8, first);
    put_be(&reply[at + 24], 8, pointer);
  };
  put_zone(64, 1, 0, 0, 0);
  put_zone(128, 2, 4, 100, 130);
  const auto zones = decode_zones(reply).value();
  REQUIRE(zones.size() == 2);
  CHECK(zones[0].condition == "not-write-pointer");
  CHECK(zones[1].type == "sequential-required");
  CHECK(zones[1].written == 30);
  put_zone(128, 2, 0xe, 100, ~std::uint64_t{0});  // of a full one the pointer tells nothing
  CHECK(decode_zones(reply)->at(1).written == 0);
  CHECK(decode_zones(Bytes(reply).first(150))->size() == 1);  // as far as it came
  put_zone(128, 2, 4, 100, 99);
  CHECK_FALSE(decode_zones(reply));
  put_zone(128, 2, 4, 100, 201);
  CHECK_FALSE(decode_zones(reply));
  put_zone(128, 2, 5, 100, 100);
  CHECK_FALSE(decode_zones(reply));
  put_zone(128, 0, 1, 100, 100);
  CHECK_FALSE(decode_zones(reply));
  CHECK_FALSE(decode_zones(Bytes(reply).first(63)));
}

}  // namespace platter::scsi
