// What no decoder may do, whatever comes: a reply that was cut off says less than the whole one,
// never something else, and what lies behind a reply's stated end says nothing.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "catch.h"
#include "scsi/identify_device.h"
#include "scsi/physical_elements.h"
#include "scsi/positioning_ranges.h"
#include "scsi/power_conditions.h"
#include "scsi/replies.h"

namespace platter::scsi {
namespace {

using ReplyBytes = std::vector<std::uint8_t>;

// What a decoder makes of a reply: each figure at its place, or none.
class Figures {
 public:
  template <typename T>
  Figures& add(const T& figure) {
    if constexpr (std::is_enum_v<T>)
      all_.push_back(std::to_string(static_cast<int>(figure)));
    else if constexpr (requires { figure.has_value(); })
      figure ? add(*figure), 0 : (all_.push_back(std::nullopt), 0);
    else
      all_.push_back(fmt::format("{}", figure));
    return *this;
  }

  bool says_less_than(const Figures& whole) const {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i] && (i >= whole.all_.size() || all_[i] != whole.all_[i])) return false;
    return true;
  }
  bool operator==(const Figures&) const = default;
  bool are_some() const {
    return std::ranges::any_of(all_, [](const auto& figure) { return figure.has_value(); });
  }

 private:
  std::vector<std::optional<std::string>> all_;
};

Figures inquiry(Bytes reply) {
  Figures figures;
  const auto found = decode_inquiry(reply);
  if (!found) return figures;
  figures.add(found->qualifier).add(found->device_type).add(found->removable).add(found->version);
  for (const auto& text : {found->vendor, found->product, found->revision})
    figures.add(text.empty() ? std::nullopt : std::optional(text));
  return figures;
}

Figures serial(Bytes reply) { return Figures().add(decode_serial(reply)); }

Figures designators(Bytes reply) {
  Figures figures;
  for (const auto& name : decode_designators(reply)) figures.add(name);
  return figures;
}

Figures limits(Bytes reply) {
  const auto found = decode_block_limits(reply);
  return found ? Figures().add(found->max_transfer_blocks).add(found->optimal_transfer_blocks)
               : Figures();
}

Figures characteristics(Bytes reply) {
  const auto found = decode_characteristics(reply);
  if (!found) return {};
  return Figures()
      .add(found->rotation_rate)
      .add(found->form_factor)
      .add(found->product_type)
      .add(found->after_block_erase)
      .add(found->after_crypto_erase)
      .add(found->zoned)
      .add(found->reassigned_reads_zeros)
      .add(found->background_control)
      .add(found->force_as_in_sbc4)
      .add(found->verifies_unmapped)
      .add(found->depopulation_time_s);
}

Figures provisioning(Bytes reply) {
  const auto found = decode_provisioning(reply);
  return found ? Figures().add(found->can_be_trimmed()).add(found->type) : Figures();
}

Figures zones(Bytes reply) {
  const auto found = decode_zoned_characteristics(reply);
  if (!found) return {};
  return Figures()
      .add(found->extension)
      .add(found->reads_beyond_write_pointer)
      .add(found->optimal_open)
      .add(found->optimal_nonsequential)
      .add(found->most_open)
      .add(found->alignment_method)
      .add(found->start_granularity);
}

Figures ranges(Bytes reply) {
  Figures figures;
  for (const auto& range :
       decode_positioning_ranges(reply).value_or(std::vector<PositioningRange>{}))
    figures.add(range.number).add(range.blocks.first).add(range.blocks.last);
  return figures;
}

Figures elements(Bytes reply) {
  Figures figures;
  const auto found = decode_physical_elements(reply);
  if (!found) return figures;
  figures.add(found->count).add(found->being_depopulated);
  for (const auto& element : found->elements)
    figures.add(element.identifier).add(element.in_words()).add(element.blocks);
  return figures;
}

template <typename T>
void for_each(const OfConditions<T>& of, auto&& add) {
  for (const T& one : {of.idle_a, of.idle_b, of.idle_c, of.standby_y, of.standby_z}) add(one);
}

Figures timers(Bytes page) {
  Figures figures;
  const auto found = decode_power_timers(page);
  if (found)
    for_each(*found,
             [&](const PowerTimer& timer) { figures.add(timer.enabled).add(timer.tenths); });
  return figures;
}

Figures identity(Bytes data) {
  const auto found = decode_ata_identity(data);
  if (!found) return {};
  return Figures()
      .add(found->serial)
      .add(found->firmware)
      .add(found->model)
      .add(found->sectors())
      .add(found->sector_bytes)
      .add(found->physical_exponent)
      .add(found->lowest_aligned)
      .add(found->rotation_rate)
      .add(found->zoned)
      .add(found->trim)
      .add(found->world_wide_name)
      .add(found->checksum);
}

Figures information(Bytes reply) {
  const auto found = decode_ata_information(reply);
  if (!found) return {};
  Figures figures;
  figures.add(found->vendor).add(found->product).add(found->revision).add(found->command);
  figures.add(found->identify_device
                  ? std::optional(fmt::format("{:02x}", fmt::join(*found->identify_device, "")))
                  : std::nullopt);
  return figures;
}

struct Decoder {
  const char* name;
  int code;  // in byte 1 of a page of VPD; -1: it has none
  std::size_t bytes;
  Figures (*figures)(Bytes);
};

constexpr Decoder kDecoders[] = {{"inquiry", -1, 96, inquiry},
                                 {"80h", 0x80, 24, serial},
                                 {"83h", 0x83, 60, designators},
                                 {"89h", 0x89, 572, information},
                                 {"B0h", 0xB0, 64, limits},
                                 {"B1h", 0xB1, 64, characteristics},
                                 {"B2h", 0xB2, 8, provisioning},
                                 {"B6h", 0xB6, 64, zones},
                                 {"B9h", 0xB9, 128, ranges},
                                 {"page 1Ah", -1, 40, timers},
                                 {"IDENTIFY DEVICE", -1, 512, identity},
                                 {"physical elements", -1, 128, elements}};

// Random bytes, made so that some of them are understood.
ReplyBytes whole_reply(const Decoder& decoder, std::mt19937_64& random) {
  ReplyBytes reply(decoder.bytes);
  const bool sparse = random() % 2;
  for (auto& byte : reply)
    byte = sparse && random() % 4 ? std::uint8_t{0} : static_cast<std::uint8_t>(random());
  const bool honest = random() % 4;
  if (decoder.code >= 0) {
    reply[1] = static_cast<std::uint8_t>(decoder.code);
    if (honest) put_be(&reply[2], 2, reply.size() - 4);
  } else if (decoder.figures == timers) {
    reply[0] = 0x1A;
    if (honest) reply[1] = static_cast<std::uint8_t>(reply.size() - 2);
  } else if (decoder.figures == identity) {
    reply[1] &= 0x7F;
  } else if (decoder.figures == elements && honest) {
    put_be(&reply[0], 4, 1 + random() % 4);
    put_be(&reply[4], 4, 1 + random() % 4);
  }
  if (decoder.figures == designators)  // one behind the other
    for (std::size_t at = 4; at < reply.size(); at += 4U + reply[at + 3]) {
      reply[at + 1] &= 0x03;
      reply[at + 3] = static_cast<std::uint8_t>(random() % 8);
      if (at + 8 + reply[at + 3] > reply.size()) break;
    }
  if (decoder.figures == information) reply[56] = 0xEC;
  if (decoder.figures == ranges)
    for (std::size_t at = 64, i = 0; at < reply.size(); at += 32, ++i) {
      reply[at] = static_cast<std::uint8_t>(i);
      put_be(&reply[at + 8], 8, i << 40);
      put_be(&reply[at + 16], 8, 1 + (random() >> 24));
    }
  return reply;
}

}  // namespace

TEST_CASE("property: a reply that was cut off says less, never something else") {
  std::mt19937_64 random(20260101);
  for (const Decoder& decoder : kDecoders) {
    int understood = 0;
    for (int i = 0; i < 4000; ++i) {
      const ReplyBytes reply = whole_reply(decoder, random);
      const Figures whole = decoder.figures(reply);
      understood += whole.are_some();
      // A copy of its own, so that a sanitizer sees the byte behind the last one.
      const auto length = static_cast<std::ptrdiff_t>(random() % (reply.size() + 1));
      const ReplyBytes cut(reply.begin(), reply.begin() + length);
      INFO(decoder.name << " cut to " << length << " bytes");
      REQUIRE(decoder.figures(cut).says_less_than(whole));
    }
    INFO(decoder.name);
    CHECK(understood > 400);
  }
}

TEST_CASE("property: what lies behind the stated end of a page says nothing") {
  std::mt19937_64 random(20260102);
  for (const Decoder& decoder : kDecoders) {
    if (decoder.code < 0 && decoder.figures != timers) continue;
    for (int i = 0; i < 2000; ++i) {
      ReplyBytes reply = whole_reply(decoder, random);
      const std::size_t header = decoder.code < 0 ? 2 : 4;
      reply.resize(header + random() % (reply.size() - header + 1));
      if (decoder.code < 0)
        reply[1] = static_cast<std::uint8_t>(reply.size() - header);
      else
        put_be(&reply[2], 2, reply.size() - header);
      ReplyBytes padded = reply;
      for (auto more = 1 + random() % 80; more > 0; --more)
        padded.push_back(static_cast<std::uint8_t>(random()));
      INFO(decoder.name << " of " << reply.size() << " bytes");
      REQUIRE(decoder.figures(padded) == decoder.figures(reply));
    }
  }
}

TEST_CASE("property: random bytes of any length are decoded to nothing or to something") {
  std::mt19937_64 random(20260103);
  for (int i = 0; i < 20'000; ++i) {
    ReplyBytes reply(random() % 700);
    for (auto& byte : reply) byte = static_cast<std::uint8_t>(random());
    for (const Decoder& decoder : kDecoders) {
      if (decoder.code >= 0 && reply.size() > 1) reply[1] = static_cast<std::uint8_t>(decoder.code);
      decoder.figures(reply);
    }
    const auto pages = decode_vpd_list(reply);
    REQUIRE(pages.size() <= reply.size());
    REQUIRE(std::ranges::is_sorted(pages));
  }
}

}  // namespace platter::scsi
