// The schema's structs and the engine's hold the same members at the same places: what is written
// through the one is read through the other, and docs/table.md's offsets are those of both.

#include <table_generated.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "catch.h"
#include "engine/flat_tables.h"

using namespace platter;
namespace wire = platter::emit_table::wire;

namespace {

// Each byte another one, flags and reserved bytes too.
template <typename Wire>
Wire numbered() {
  unsigned char bytes[sizeof(Wire)];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(i + 1);
  bytes[sizeof bytes - 1] = 0x3f;
  Wire wire;
  std::memcpy(static_cast<void*>(&wire), bytes, sizeof bytes);
  return wire;
}

template <typename Flat, typename Wire>
Flat flat_of(const Wire& wire) {
  static_assert(sizeof(Flat) == sizeof(Wire));
  Flat flat;
  std::memcpy(&flat, &wire, sizeof flat);
  return flat;
}

// "offset type `member`" in the paragraph of a struct; what has no type of its own goes on with the
// last.
bool documented(const std::string& text, const std::string& name, std::size_t offset,
                const std::string& member) {
  const std::size_t begin = text.find("**" + name + "** (");
  if (begin == std::string::npos) return false;
  const std::string paragraph = text.substr(begin, text.find("\n\n", begin) - begin);
  return std::regex_search(paragraph, std::regex("\\b" + std::to_string(offset) +
                                                 "\\s+([uif]\\d+\\s+)?`" + member + "`"));
}

std::string document() {
  std::ifstream file(PLATTER_SOURCE_DIR "/docs/table.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

#define SAME(Name, Flat, member)                     \
  CHECK(wire_struct.member() == flat_struct.member); \
  CHECK(documented(text, Name, offsetof(Flat, member), #member))

TEST_CASE("schema, engine and document agree on every member's place") {
  const std::string text = document();
  REQUIRE_FALSE(text.empty());
  {
    using Flat = engine::FlatLayout;
    const auto wire_struct = numbered<wire::Totals>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Totals", Flat, slots);
    SAME("Totals", Flat, blocks);
    SAME("Totals", Flat, tracks);
    SAME("Totals", Flat, cylinders);
    SAME("Totals", Flat, heads);
    SAME("Totals", Flat, zones);
    SAME("Totals", Flat, roots);
    SAME("Totals", Flat, root_shift);
    SAME("Totals", Flat, piece_shift);
  }
  {
    using Flat = engine::FlatNode;
    const auto wire_struct = numbered<wire::Node>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Node", Flat, angle);
    SAME("Node", Flat, angle_step);
    SAME("Node", Flat, first_slot);
    SAME("Node", Flat, slots);
    SAME("Node", Flat, reciprocal);
    SAME("Node", Flat, cylinder);
    SAME("Node", Flat, cylinder_step);
    SAME("Node", Flat, head);
    SAME("Node", Flat, head_step);
    SAME("Node", Flat, sectors);
    SAME("Node", Flat, first_child);
    SAME("Node", Flat, children);
  }
  {
    using Flat = engine::FlatTrack;
    const auto wire_struct = numbered<wire::Track>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Track", Flat, angle);
    SAME("Track", Flat, first_slot);
    SAME("Track", Flat, sectors);
    SAME("Track", Flat, cylinder);
    SAME("Track", Flat, head);
    SAME("Track", Flat, reserved);
  }
  {
    using Flat = engine::FlatRunList;
    const auto wire_struct = numbered<wire::RunList>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("RunList", Flat, first_jump);
    SAME("RunList", Flat, first_cylinder);
    SAME("RunList", Flat, first_course);
    SAME("RunList", Flat, first_size);
    SAME("RunList", Flat, first_chunk);
  }
  {
    using Flat = engine::FlatCourse;
    const auto wire_struct = numbered<wire::Course>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Course", Flat, angle_step);
    SAME("Course", Flat, count);
    SAME("Course", Flat, cylinder_step);
    SAME("Course", Flat, head);
    SAME("Course", Flat, head_step);
    SAME("Course", Flat, reserved);
  }
  {
    using Flat = engine::FlatSize;
    const auto wire_struct = numbered<wire::Size>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Size", Flat, reciprocal);
    SAME("Size", Flat, sectors);
    SAME("Size", Flat, reserved);
  }
  {
    using Flat = engine::FlatExtent;
    const auto wire_struct = numbered<wire::Extent>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Extent", Flat, cylinder_low);
    SAME("Extent", Flat, cylinder_high);
    SAME("Extent", Flat, head_low);
    SAME("Extent", Flat, head_high);
    SAME("Extent", Flat, count);
  }
  {
    using Flat = engine::FlatStretch;
    const auto wire_struct = numbered<wire::Stretch>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Stretch", Flat, shift);
    SAME("Stretch", Flat, sequential);
    SAME("Stretch", Flat, period);
    SAME("Stretch", Flat, reciprocal);
    SAME("Stretch", Flat, gap);
  }
  {
    using Flat = engine::FlatRemap;
    const auto wire_struct = numbered<wire::Remap>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Remap", Flat, lbn);
    SAME("Remap", Flat, slot);
  }
  {
    using Flat = engine::FlatSeekLine;
    const auto wire_struct = numbered<wire::SeekLine>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("SeekLine", Flat, time_ns);
    SAME("SeekLine", Flat, slope);
  }
  {
    using Flat = engine::FlatMotion;
    const auto wire_struct = numbered<wire::Motion>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Motion", Flat, numerator_ns);
    SAME("Motion", Flat, denominator);
    SAME("Motion", Flat, head_switch_ns);
    SAME("Motion", Flat, write_settle_ns);
    SAME("Motion", Flat, inward_seek_ns);
    SAME("Motion", Flat, seek_shift);
    SAME("Motion", Flat, seek_curves);
  }
  {
    using Flat = engine::BusTable;
    const auto wire_struct = numbered<wire::Bus>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Bus", Flat, read_block_ns);
    SAME("Bus", Flat, write_block_ns);
    SAME("Bus", Flat, high_read_watermark);
    SAME("Bus", Flat, watermark_by_request);
  }
  {
    using Flat = engine::CacheTable;
    const auto wire_struct = numbered<wire::Cache>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Cache", Flat, destage_idle_ns);
    SAME("Cache", Flat, buffer_blocks);
    SAME("Cache", Flat, segments);
    SAME("Cache", Flat, segment_blocks);
    SAME("Cache", Flat, fewest_segments);
    SAME("Cache", Flat, window);
    SAME("Cache", Flat, write_segments);
    SAME("Cache", Flat, read_ahead_min);
    SAME("Cache", Flat, read_ahead_max);
    SAME("Cache", Flat, read_ahead_ceiling);
    SAME("Cache", Flat, read_ahead_longest_request);
    SAME("Cache", Flat, present);
    SAME("Cache", Flat, write_back_level);
    SAME("Cache", Flat, read_ahead);
    SAME("Cache", Flat, replacement);
    SAME("Cache", Flat, separate_write_segment);
    SAME("Cache", Flat, read_ahead_over_requested);
    SAME("Cache", Flat, read_ahead_on_hit);
    SAME("Cache", Flat, read_free_blocks);
    SAME("Cache", Flat, zero_latency_read);
    SAME("Cache", Flat, zero_latency_write);
    SAME("Cache", Flat, read_hit_on_written);
    SAME("Cache", Flat, combine_writes);
    SAME("Cache", Flat, stop_in_sector);
    SAME("Cache", Flat, almost_read_hits);
    SAME("Cache", Flat, discards_after_transfer);
    SAME("Cache", Flat, read_ahead_by_request);
    SAME("Cache", Flat, read_ahead_after_sequential);
    SAME("Cache", Flat, read_ahead_to_its_end);
    SAME("Cache", Flat, read_ahead_resumes);
    SAME("Cache", Flat, write_hit_keeps_read_ahead);
    SAME("Cache", Flat, destage_behind);
    SAME("Cache", Flat, destage_by_lbn);
    SAME("Cache", Flat, destage_in_passing);
    SAME("Cache", Flat, write_updates_segments);
  }
  {
    using Flat = engine::WrittenTable;
    const auto wire_struct = numbered<wire::Written>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Written", Flat, synchronize_ns);
    SAME("Written", Flat, most_blocks);
    SAME("Written", Flat, persist);
  }
  {
    using Flat = engine::QueueTable;
    const auto wire_struct = numbered<wire::Queue>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Queue", Flat, scheduler);
    SAME("Queue", Flat, depth);
    SAME("Queue", Flat, preseeking);
    SAME("Queue", Flat, hits_overtake);
  }
  {
    using Flat = engine::ValidityTable;
    const auto wire_struct = numbered<wire::Validity>();
    const auto flat_struct = flat_of<Flat>(wire_struct);
    SAME("Validity", Flat, first_lbn);
    SAME("Validity", Flat, last_lbn);
    SAME("Validity", Flat, min_blocks);
    SAME("Validity", Flat, max_blocks);
    SAME("Validity", Flat, max_depth);
    SAME("Validity", Flat, reads);
    SAME("Validity", Flat, writes);
  }
}

TEST_CASE("the overheads, whose pairs have names of their own in the schema") {
  const std::string text = document();
  const auto wire_struct = numbered<wire::Overheads>();
  using Flat = engine::CommandOverheads;
  const auto flat_struct = flat_of<Flat>(wire_struct);
  const auto pair = [&](const char* name, std::size_t offset, const std::int64_t* flat,
                        std::int64_t after_read, std::int64_t after_write) {
    CHECK(flat[0] == after_read);
    CHECK(flat[1] == after_write);
    CHECK(documented(text, "Overheads", offset, std::string(name) + "_after_read"));
    CHECK(documented(text, "Overheads", offset + 8, std::string(name) + "_after_write"));
  };
#define PAIR(member)                                                                           \
  pair(#member, offsetof(Flat, member), flat_struct.member, wire_struct.member##_after_read(), \
       wire_struct.member##_after_write())
  PAIR(read_hit);
  PAIR(read_miss);
  PAIR(write_hit);
  PAIR(write_miss);
  PAIR(read_disconnect);
  SAME("Overheads", Flat, per_request);
  SAME("Overheads", Flat, read_completion);
  SAME("Overheads", Flat, write_completion);
  SAME("Overheads", Flat, data_preparation);
  SAME("Overheads", Flat, first_reselect);
  SAME("Overheads", Flat, other_reselect);
  SAME("Overheads", Flat, write_disconnect);
  SAME("Overheads", Flat, extra_command);
  SAME("Overheads", Flat, extra_first);
  SAME("Overheads", Flat, extra_inter);
  SAME("Overheads", Flat, extra_second);
  SAME("Overheads", Flat, extra_seek_delta);
  SAME("Overheads", Flat, minimum_seek_delay);
  SAME("Overheads", Flat, extra_write_disconnect);
  SAME("Overheads", Flat, minimum_read_seek_delay);
  SAME("Overheads", Flat, sequential_read_hit);
  SAME("Overheads", Flat, sequential_write_hit);
  SAME("Overheads", Flat, sequential_read_within);
}
