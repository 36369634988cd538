// What came after version 1.0 of the table, in the order of time. docs/table.md lists it.
#include "emit/table/table.h"

namespace platter::emit_table {
namespace {

using engine::TableSections;

constexpr Addition kAdditions[] = {
    {"arms", [](const TableSections& s) { return s.arms.several(); }},
    {"power", [](const TableSections& s) { return s.power.present != 0; }},
    {"read_ahead_streams", [](const TableSections& s) { return s.cache.read_ahead_streams != 0; }},
    {"read_ahead_fixed_end",
     [](const TableSections& s) { return s.cache.read_ahead_fixed_end != 0; }},
    {"segments_grow", [](const TableSections& s) { return s.cache.segments_grow != 0; }},
    {"shingling", [](const TableSections& s) { return s.shingling.act(); }},
};

}  // namespace

std::span<const Addition> additions() { return kAdditions; }

}  // namespace platter::emit_table
