#include <cstdint>
#include <span>
#include <vector>

#include "emit/table/parts.h"

namespace platter::emit_table {
namespace {

using engine::FlatNode;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;
using wire::NodeKind;

NodeKind kind_of(const FlatNode& node) {
  if (engine::is_track(node)) return NodeKind::track;
  if (engine::has_track_list(node)) return NodeKind::track_list;
  if (engine::runs_are_zones(node)) return NodeKind::zone_list;
  return engine::has_run_list(node) ? NodeKind::run_list : NodeKind::group;
}

wire::Node wire_of(const FlatNode& node, std::uint32_t count) {
  return {node.angle,
          node.angle_step,
          node.cylinder,
          node.cylinder_step,
          node.head,
          node.head_step,
          count,
          node.sectors,
          node.first_child,
          engine::listed(node),
          kind_of(node),
          0,
          0,
          0};
}

std::uint32_t mark_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::track:
    case NodeKind::group:
      return 0;
    case NodeKind::track_list:
      return engine::kTrackList;
    case NodeKind::run_list:
      return engine::kRunList;
    case NodeKind::zone_list:
      return engine::kRunList | engine::kRunsAreZones;
  }
  throw Contradiction("its layout has a node of a kind that is none");
}

FlatNode flat_of(const wire::Node& node) {
  if ((node.items() & engine::kListMarks) != 0)
    throw Contradiction("its layout has a node with more items than any drive");
  if ((node.kind() == NodeKind::track) != (node.items() == 0))
    throw Contradiction("its layout has a node that is neither a track nor a group of tracks");
  FlatNode flat{};
  flat.angle = node.angle();
  flat.angle_step = node.angle_step();
  flat.cylinder = node.cylinder();
  flat.cylinder_step = node.cylinder_step();
  flat.head = node.head();
  flat.head_step = node.head_step();
  flat.sectors = node.sectors();
  flat.first_child = node.first();
  flat.children = node.items() | mark_of(node.kind());
  return flat;
}

template <typename Item>
std::vector<Item> numbers(const Vector<Item>* items) {
  if (items == nullptr) return {};
  return {aligned(*items).begin(), items->end()};
}

template <typename Item>
Offset<Vector<Item>> numbers(FlatBufferBuilder& builder, std::span<const Item> items) {
  return items.empty() ? 0 : builder.CreateVector(items.data(), items.size());
}

template <typename Wire, typename Items, typename Convert>
Offset<Vector<const Wire*>> structs(FlatBufferBuilder& builder, const Items& items,
                                    const Convert& convert) {
  std::vector<Wire> converted;
  for (const auto& item : items) converted.push_back(convert(item));
  return converted.empty() ? 0 : builder.CreateVectorOfStructs(converted);
}

template <typename Flat, typename Wire, typename Convert>
std::vector<Flat> structs(const Vector<const Wire*>* items, const Convert& convert) {
  std::vector<Flat> converted;
  if (items == nullptr) return converted;
  converted.reserve(items->size());
  for (const Wire* item : aligned(*items)) converted.push_back(convert(*item));
  return converted;
}

Offset<Vector<const wire::Node*>> write_nodes(FlatBufferBuilder& builder,
                                              const engine::LayoutView& layout) {
  std::vector<wire::Node> nodes;
  for (std::size_t i = 0; i < layout.nodes.size(); ++i)
    nodes.push_back(wire_of(layout.nodes[i], layout.extents[i].count));
  return builder.CreateVectorOfStructs(nodes);
}

}  // namespace

Offset<wire::Layout> write_layout(FlatBufferBuilder& builder, const engine::LayoutMap& map) {
  const engine::LayoutView& layout = map.view();
  const engine::RunsView& runs = layout.runs;
  const auto nodes = write_nodes(builder, layout);
  const auto tracks = structs<wire::ListedTrack>(builder, layout.tracks, [](const auto& t) {
    return wire::ListedTrack{t.angle, t.sectors, t.cylinder, t.head, 0, 0};
  });
  const auto lists = structs<wire::RunList>(builder, runs.lists, [](const auto& l) {
    return wire::RunList{l.first_jump, l.first_cylinder, l.first_course, l.first_size};
  });
  const auto courses = structs<wire::Course>(builder, runs.courses, [](const auto& c) {
    return wire::Course{c.angle_step, c.count, c.cylinder_step, c.head, c.head_step, 0};
  });
  std::vector<std::uint32_t> sizes;
  for (const engine::FlatSize& size : runs.sizes) sizes.push_back(size.sectors);
  const auto sectors = numbers<std::uint32_t>(builder, sizes);
  const auto jumps = numbers(builder, runs.jumps);
  const auto cylinders = numbers(builder, runs.cylinders);
  const auto run_courses = numbers(builder, runs.course_numbers);
  const auto run_sizes = numbers(builder, runs.size_numbers);
  const auto blocks = builder.CreateVector(engine::piece_blocks(layout));
  const auto shifts = builder.CreateVector(layout.piece_shifts.data(), layout.piece_shifts.size());
  const auto stretches = structs<wire::Stretch>(builder, layout.stretches, [](const auto& s) {
    return wire::Stretch{s.shift, s.sequential, s.period, s.gap};
  });
  return wire::CreateLayout(builder, layout.totals.roots, nodes, tracks, lists, courses, sectors,
                            jumps, cylinders, run_courses, run_sizes, blocks, shifts, stretches);
}

Offset<wire::Seek> write_seek(FlatBufferBuilder& builder, const engine::SeekTable& seeks) {
  const engine::SeekPoints points = seeks.points();
  const auto cylinders = builder.CreateVector(points.cylinders);
  const auto times = builder.CreateVector(points.times_ns);
  return wire::CreateSeek(builder, points.curves, cylinders, times);
}

engine::TableParts parts_of(const wire::Drive& drive) {
  engine::TableParts parts;
  const wire::Layout& from = *drive.layout();
  engine::LayoutArrays& layout = parts.layout;
  layout.totals.roots = from.roots();
  layout.nodes = structs<FlatNode>(from.nodes(), flat_of);
  for (const wire::Node* node : aligned(*from.nodes()))
    layout.extents.push_back({0, 0, 0, 0, node->count()});
  layout.tracks = structs<engine::FlatTrack>(from.listed_tracks(), [](const auto& t) {
    return engine::FlatTrack{t.angle(), 0, t.sectors(), t.cylinder(), t.head()};
  });
  layout.runs.lists = structs<engine::FlatRunList>(from.run_lists(), [](const auto& l) {
    return engine::FlatRunList{l.first_jump(), l.first_cylinder(), l.first_course(), l.first_size(),
                               0};
  });
  layout.runs.courses = structs<engine::FlatCourse>(from.courses(), [](const auto& c) {
    return engine::FlatCourse{c.angle_step(), c.count(), c.cylinder_step(), c.head(),
                              c.head_step()};
  });
  for (const std::uint32_t sectors : numbers(from.run_sectors()))
    layout.runs.sizes.push_back({0, sectors});
  layout.runs.jumps = numbers(from.run_jumps());
  layout.runs.cylinders = numbers(from.run_cylinders());
  layout.runs.course_numbers = numbers(from.run_courses());
  layout.runs.size_numbers = numbers(from.run_sizes());
  parts.piece_blocks = numbers(from.piece_blocks());
  layout.pieces.shifts = numbers(from.piece_shifts());
  layout.pieces.stretches = structs<engine::FlatStretch>(from.stretches(), [](const auto& s) {
    return engine::FlatStretch{s.shift(), s.sequential(), s.period(), 0, s.gap()};
  });
  parts.seek = {drive.seek()->curves(), numbers(drive.seek()->cylinders()),
                numbers(drive.seek()->times_ns())};
  parts.sections = read_sections(drive);
  return parts;
}

}  // namespace platter::emit_table
