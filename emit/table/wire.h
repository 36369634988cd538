// The envelope's structs and the engine's are the same bytes. tests/emit_table holds each member of
// the one against the other.
#pragma once

#include <table_generated.h>

#include <bit>

#include "engine/flat_tables.h"

namespace platter::emit_table {

static_assert(std::endian::native == std::endian::little,
              "tables are used in place: a big-endian machine would need a converting reader");

template <typename Flat>
struct WireOf;
template <>
struct WireOf<engine::FlatLayout> {
  using Type = wire::Totals;
};
template <>
struct WireOf<engine::FlatNode> {
  using Type = wire::Node;
};
template <>
struct WireOf<engine::FlatTrack> {
  using Type = wire::Track;
};
template <>
struct WireOf<engine::FlatRunList> {
  using Type = wire::RunList;
};
template <>
struct WireOf<engine::FlatCourse> {
  using Type = wire::Course;
};
template <>
struct WireOf<engine::FlatSize> {
  using Type = wire::Size;
};
template <>
struct WireOf<engine::FlatExtent> {
  using Type = wire::Extent;
};
template <>
struct WireOf<engine::FlatStretch> {
  using Type = wire::Stretch;
};
template <>
struct WireOf<engine::FlatRemap> {
  using Type = wire::Remap;
};
template <>
struct WireOf<engine::FlatSeekLine> {
  using Type = wire::SeekLine;
};
template <>
struct WireOf<engine::FlatMotion> {
  using Type = wire::Motion;
};
template <>
struct WireOf<engine::CommandOverheads> {
  using Type = wire::Overheads;
};
template <>
struct WireOf<engine::BusTable> {
  using Type = wire::Bus;
};
template <>
struct WireOf<engine::CacheTable> {
  using Type = wire::Cache;
};
template <>
struct WireOf<engine::WrittenTable> {
  using Type = wire::Written;
};
template <>
struct WireOf<engine::QueueTable> {
  using Type = wire::Queue;
};
template <>
struct WireOf<engine::ValidityTable> {
  using Type = wire::Validity;
};

template <typename Flat>
using Wire = typename WireOf<Flat>::Type;

template <typename Flat>
const Wire<Flat>* to_wire(const Flat* flat) {
  static_assert(sizeof(Flat) == sizeof(Wire<Flat>) && alignof(Flat) == alignof(Wire<Flat>));
  return reinterpret_cast<const Wire<Flat>*>(flat);
}

template <typename Flat>
const Flat* from_wire(const Wire<Flat>* wire) {
  static_assert(sizeof(Flat) == sizeof(Wire<Flat>) && alignof(Flat) == alignof(Wire<Flat>));
  return reinterpret_cast<const Flat*>(wire);
}

}  // namespace platter::emit_table
