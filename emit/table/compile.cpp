#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "emit/table/table.h"
#include "emit/table/wire.h"
#include "model/error.h"
#include "model/json.h"
#include "model/version.h"

namespace platter::emit_table {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

std::string sha256_of(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw Error(ExitStatus::internal, "the cryptographic library cannot compute SHA-256");
  std::string hex;
  for (unsigned i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

template <typename Flat>
auto structs(FlatBufferBuilder& builder, std::span<const Flat> items) {
  return builder.CreateVectorOfStructs(to_wire(items.data()), items.size());
}

template <typename Number>
Offset<Vector<Number>> numbers(FlatBufferBuilder& builder, std::span<const Number> items) {
  return builder.CreateVector(items.data(), items.size());
}

Offset<wire::Identity> identity_of(FlatBufferBuilder& builder, const model::Identity& identity) {
  const auto name = builder.CreateString(identity.name);
  const auto vendor = builder.CreateString(identity.vendor);
  const auto product = builder.CreateString(identity.product);
  const auto revision = builder.CreateString(identity.revision);
  const auto serial = builder.CreateString(identity.serial);
  return wire::CreateIdentity(builder, name, vendor, product, revision, serial, identity.blocks,
                              identity.block_bytes);
}

Offset<wire::Provenance> provenance_of(FlatBufferBuilder& builder, const model::DriveModel& model) {
  const auto method = builder.CreateString(model.provenance.method);
  const auto source = builder.CreateString(model.provenance.source);
  const auto date = builder.CreateString(model.provenance.date);
  const auto digest = builder.CreateString(sha256_of(model::to_json_text(model)));
  return wire::CreateProvenance(builder, method, source, date, digest);
}

Offset<Vector<Offset<wire::Demerit>>> demerits_of(FlatBufferBuilder& builder,
                                                  const model::Validity& validity) {
  std::vector<Offset<wire::Demerit>> demerits;
  for (const model::Demerit& d : validity.demerits) {
    const auto workload = builder.CreateString(d.workload);
    demerits.push_back(wire::CreateDemerit(builder, workload, d.requests, d.drive_mean_ms,
                                           d.demerit_ms, d.demerit_percent, d.folded_phase_share));
  }
  return builder.CreateVector(demerits);
}

}  // namespace

std::string compile_table(const model::DriveModel& model) {
  const engine::Tables tables(model);
  const engine::TablesView view = tables.view();
  const engine::LayoutView& layout = view.layout;
  FlatBufferBuilder builder(64 * 1024);
  const auto platter = builder.CreateString(model::kToolVersion);
  const auto identity = identity_of(builder, model.identity);
  const auto provenance = provenance_of(builder, model);
  const auto demerits = demerits_of(builder, model.validity);
  const auto note = builder.CreateString(model.validity.note);
  const auto nodes = structs(builder, layout.nodes);
  const auto tracks = structs(builder, layout.tracks);
  const engine::RunsView& runs = layout.runs;
  const auto run_lists = structs(builder, runs.lists);
  const auto courses = structs(builder, runs.courses);
  const auto sizes = structs(builder, runs.sizes);
  const auto run_jumps = numbers(builder, runs.jumps);
  const auto run_cylinders = numbers(builder, runs.cylinders);
  const auto run_courses = numbers(builder, runs.course_numbers);
  const auto run_sizes = numbers(builder, runs.size_numbers);
  const auto chunk_slots = numbers(builder, runs.chunk_slots);
  const auto chunk_angles = numbers(builder, runs.chunk_angles);
  const auto extents = structs(builder, layout.extents);
  const auto root_slots = numbers(builder, layout.root_slots);
  const auto root_buckets = numbers(builder, layout.root_buckets);
  const auto root_zones = numbers(builder, layout.root_zones);
  const auto piece_lbns = numbers(builder, layout.piece_lbns);
  const auto piece_shifts = numbers(builder, layout.piece_shifts);
  const auto piece_buckets = numbers(builder, layout.piece_buckets);
  const auto stretches = structs(builder, layout.stretches);
  const auto remaps = structs(builder, layout.remaps);
  const auto seek_distances = numbers(builder, view.seek_distances);
  const auto seek_lines = structs(builder, view.seek_lines);
  const auto seek_buckets = numbers(builder, view.seek_buckets);
  wire::FinishDriveBuffer(
      builder,
      wire::CreateDrive(
          builder, engine::kFlatVersion, platter, identity, provenance, demerits, note,
          to_wire(&view.validity), to_wire(&view.motion), to_wire(&view.overheads),
          to_wire(&view.bus), to_wire(&view.cache), to_wire(&view.queue), to_wire(&layout.totals),
          nodes, tracks, run_lists, courses, sizes, run_jumps, run_cylinders, run_courses,
          run_sizes, chunk_slots, chunk_angles, extents, root_slots, root_buckets, root_zones,
          piece_lbns, piece_shifts, piece_buckets, stretches, remaps, seek_distances, seek_lines,
          seek_buckets, view.written == engine::WrittenTable{} ? nullptr : to_wire(&view.written)));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace platter::emit_table
