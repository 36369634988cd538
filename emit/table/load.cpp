#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "emit/table/mapped_file.h"
#include "emit/table/table.h"
#include "emit/table/wire.h"
#include "model/error.h"
#include "model/file.h"

namespace platter::emit_table {
namespace {

constexpr std::size_t kSmallestEnvelope = 8;  // root offset and file identifier

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
  throw Error(ExitStatus::bad_input, fmt::format("{}: {}", origin, why));
}

[[noreturn]] void damaged(const std::string& origin, const std::string& what) {
  refuse(origin,
         fmt::format("is a damaged table: {}; write it again with platter emit table", what));
}

// The FlatBuffers verifier: every offset within the file. The verifier does not look at the
// alignment of a vector's structs, which use in place needs.
const wire::Drive& envelope_of(std::span<const std::byte> bytes, const std::string& origin) {
  if (bytes.size() < kSmallestEnvelope || !wire::DriveBufferHasIdentifier(bytes.data()))
    refuse(origin, "is no table file; write one with platter emit table");
  if (bytes.size() % 8 != 0) damaged(origin, "its length is no multiple of 8");
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  // Of another version the rest would not pass.
  flatbuffers::Verifier of_version(data, bytes.size());
  if (!of_version.VerifyBuffer<wire::Versioned>(wire::DriveIdentifier()))
    damaged(origin, "its envelope leads outside of the file");
  const std::uint32_t version = flatbuffers::GetRoot<wire::Versioned>(data)->version();
  if (version != engine::kFlatVersion)
    refuse(origin, fmt::format("is a table of version {}, but this platter reads version {}; write "
                               "it again with platter emit table",
                               version, engine::kFlatVersion));
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!wire::VerifyDriveBuffer(verifier)) damaged(origin, "its envelope leads outside of the file");
  return *wire::GetDrive(data);
}

template <typename Flat>
std::span<const Flat> array_of(const flatbuffers::Vector<const Wire<Flat>*>* vector,
                               const std::string& origin) {
  if (vector->size() == 0) return {};
  const std::uint8_t* data = vector->Data();
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(Flat) != 0)
    damaged(origin, "an array does not begin at a multiple of 8");
  return {from_wire<Flat>(reinterpret_cast<const Wire<Flat>*>(data)), vector->size()};
}

// The verifier has seen to multiples of 4 or 2.
template <typename Number>
std::span<const Number> array_of(const flatbuffers::Vector<Number>* vector) {
  return {vector->data(), vector->size()};
}

std::span<const std::uint64_t> array_of(const flatbuffers::Vector<std::uint64_t>* vector,
                                        const std::string& origin) {
  if (vector->size() == 0) return {};
  if (reinterpret_cast<std::uintptr_t>(vector->Data()) % alignof(std::uint64_t) != 0)
    damaged(origin, "an array does not begin at a multiple of 8");
  return {vector->data(), vector->size()};
}

engine::RunsView runs_of(const wire::Drive& table, const std::string& origin) {
  engine::RunsView runs;
  runs.lists = array_of<engine::FlatRunList>(table.run_lists(), origin);
  runs.courses = array_of<engine::FlatCourse>(table.courses(), origin);
  runs.sizes = array_of<engine::FlatSize>(table.sizes(), origin);
  runs.jumps = array_of(table.run_jumps());
  runs.cylinders = array_of(table.run_cylinders());
  runs.course_numbers = array_of(table.run_courses());
  runs.size_numbers = array_of(table.run_sizes());
  runs.chunk_slots = array_of(table.chunk_slots());
  runs.chunk_angles = array_of(table.chunk_angles(), origin);
  return runs;
}

engine::LayoutView layout_of(const wire::Drive& table, const std::string& origin) {
  engine::LayoutView layout;
  layout.totals = *from_wire<engine::FlatLayout>(table.totals());
  layout.nodes = array_of<engine::FlatNode>(table.nodes(), origin);
  layout.tracks = array_of<engine::FlatTrack>(table.tracks(), origin);
  layout.runs = runs_of(table, origin);
  layout.extents = array_of<engine::FlatExtent>(table.extents(), origin);
  layout.root_slots = array_of(table.root_slots(), origin);
  layout.root_buckets = array_of(table.root_buckets());
  layout.root_zones = array_of(table.root_zones());
  layout.piece_lbns = array_of(table.piece_lbns());
  layout.piece_shifts = array_of(table.piece_shifts());
  layout.piece_buckets = array_of(table.piece_buckets());
  layout.stretches = array_of<engine::FlatStretch>(table.stretches(), origin);
  layout.remaps = array_of<engine::FlatRemap>(table.remaps(), origin);
  return layout;
}

engine::TablesView view_of(const wire::Drive& table, const std::string& origin) {
  engine::TablesView view;
  view.layout = layout_of(table, origin);
  view.motion = *from_wire<engine::FlatMotion>(table.motion());
  view.seek_distances = array_of(table.seek_distances(), origin);
  view.seek_lines = array_of<engine::FlatSeekLine>(table.seek_lines(), origin);
  view.seek_buckets = array_of(table.seek_buckets());
  view.overheads = *from_wire<engine::CommandOverheads>(table.overheads());
  view.bus = *from_wire<engine::BusTable>(table.bus());
  view.cache = *from_wire<engine::CacheTable>(table.cache());
  if (table.written() != nullptr)  // an addition: earlier tables have none
    view.written = *from_wire<engine::WrittenTable>(table.written());
  view.queue = *from_wire<engine::QueueTable>(table.queue());
  view.validity = *from_wire<engine::ValidityTable>(table.validity());
  return view;
}

std::string text_of(const flatbuffers::String* text) { return text == nullptr ? "" : text->str(); }

model::Identity identity_of(const wire::Identity& identity, const engine::FlatLayout& totals) {
  model::Identity result;
  result.name = text_of(identity.name());
  result.vendor = text_of(identity.vendor());
  result.product = text_of(identity.product());
  result.revision = text_of(identity.revision());
  result.serial = text_of(identity.serial());
  result.blocks = identity.blocks();
  result.block_bytes = identity.block_bytes();
  result.heads = totals.heads;
  result.cylinders = totals.cylinders;
  return result;
}

model::Validity validity_of(const wire::Drive& table, const engine::ValidityTable& flat) {
  model::Validity validity;
  validity.first_lbn = flat.first_lbn;
  validity.last_lbn = flat.last_lbn;
  validity.min_blocks = flat.min_blocks;
  validity.max_blocks = flat.max_blocks;
  validity.max_depth = flat.max_depth;
  validity.reads = flat.reads != 0;
  validity.writes = flat.writes != 0;
  validity.note = text_of(table.note());
  if (table.demerits() == nullptr) return validity;
  for (const wire::Demerit* d : *table.demerits())
    validity.demerits.push_back({text_of(d->workload()), d->requests(), d->drive_mean_ms(),
                                 d->demerit_ms(), d->demerit_percent(), d->folded_phase_share()});
  return validity;
}

}  // namespace

Table view_table(
    std::span<const std::byte> bytes, const std::string& origin,
    std::shared_ptr<const void> owner) {  // NOLINT(performance-unnecessary-value-param)
  const wire::Drive& envelope = envelope_of(bytes, origin);
  const engine::TablesView view = view_of(envelope, origin);
  if (const auto defect = engine::tables_defect(view)) damaged(origin, *defect);
  Table table;
  table.identity = identity_of(*envelope.identity(), view.layout.totals);
  if (table.identity.blocks > view.layout.totals.blocks)
    damaged(origin, "its drive has more blocks than its layout maps");
  if (table.identity.block_bytes == 0) damaged(origin, "its drive has blocks without bytes");
  const wire::Provenance& provenance = *envelope.provenance();
  table.provenance.method = text_of(provenance.method());
  table.provenance.source = text_of(provenance.source());
  table.provenance.date = text_of(provenance.date());
  table.validity = validity_of(envelope, view.validity);
  table.model_sha256 = text_of(provenance.model_sha256());
  table.platter = text_of(envelope.platter());
  table.bytes = bytes.size();
  table.tables = std::make_shared<const engine::Tables>(view, std::move(owner));
  return table;
}

Table copy_table(std::string_view bytes, const std::string& origin) {
  const auto aligned = std::make_shared<std::vector<std::uint64_t>>((bytes.size() + 7) / 8);
  std::memcpy(aligned->data(), bytes.data(), bytes.size());
  return view_table({reinterpret_cast<const std::byte*>(aligned->data()), bytes.size()}, origin,
                    aligned);
}

Table load_table(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return view_table(file->bytes(), path, file);
}

bool begins_table(std::string_view bytes) {
  return bytes.size() >= kSmallestEnvelope && wire::DriveBufferHasIdentifier(bytes.data());
}

bool is_table_file(const std::string& path) {
  if (path.ends_with(".ptab")) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return false;  // the opening of a pipe would wait
  std::ifstream file(path, std::ios::binary);
  char begin[kSmallestEnvelope] = {};
  return file.read(begin, sizeof begin) && wire::DriveBufferHasIdentifier(begin);
}

}  // namespace platter::emit_table
