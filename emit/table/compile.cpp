#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <string>
#include <vector>

#include "emit/table/parts.h"
#include "emit/table/table.h"
#include "model/error.h"
#include "model/json.h"
#include "model/stand_ins.h"
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
  const auto digest = builder.CreateString(sha256_of(model::known_json_text(model)));
  return wire::CreateProvenance(builder, method, source, date, digest);
}

Offset<Vector<Offset<wire::Demerit>>> demerits_of(FlatBufferBuilder& builder,
                                                  const std::vector<model::Demerit>& stated) {
  std::vector<Offset<wire::Demerit>> demerits;
  for (const model::Demerit& d : stated) {
    const auto workload = builder.CreateString(d.workload);
    demerits.push_back(wire::CreateDemerit(builder, workload, d.requests, d.drive_mean_ms,
                                           d.demerit_ms, d.demerit_percent, d.folded_phase_share));
  }
  return builder.CreateVector(demerits);
}

// None where all that the model speaks of was measured.
Offset<Vector<Offset<wire::StandIn>>> stand_ins_of(FlatBufferBuilder& builder,
                                                   const model::DriveModel& model) {
  std::vector<Offset<wire::StandIn>> list;
  for (const model::StandIn& one : model::stand_ins(model)) {
    if (!is_spoken_of(one)) continue;
    const auto figure = builder.CreateString(one.path);
    const auto acts = builder.CreateString(one.acts);
    const auto reason = builder.CreateString(one.reason);
    list.push_back(
        wire::CreateStandIn(builder, figure, static_cast<wire::Known>(one.known), acts, reason));
  }
  return list.empty() ? 0 : builder.CreateVector(list);
}

std::vector<std::string> needs_of(const engine::TableSections& sections) {
  std::vector<std::string> needs;
  for (const Addition& addition : additions())
    if (addition.is_in(sections)) needs.emplace_back(addition.name);
  return needs;
}

}  // namespace

std::string compile_table(const model::DriveModel& model) {
  const engine::Tables tables(model);
  if (engine::has_tracks_at_one_place(tables.layout.view().totals))
    throw Error(ExitStatus::unsupported,
                fmt::format("the model of {} has two tracks at one cylinder and head, which no "
                            "table holds",
                            model.identity.name));
  FlatBufferBuilder builder(64 * 1024);
  const auto platter = builder.CreateString(model::kToolVersion);
  const auto identity = identity_of(builder, model.identity);
  const auto provenance = provenance_of(builder, model);
  const auto demerits = demerits_of(builder, model.validity.demerits);
  const WireSections sections = write_sections(builder, tables.sections(), model.validity.note);
  const auto seek = write_seek(builder, tables.seeks);
  const auto layout = write_layout(builder, tables.layout);
  const auto stand_ins = stand_ins_of(builder, model);
  const auto arms = write_arms(builder, tables.arms);
  const auto power = write_power(builder, tables.power);
  const auto shingling = write_shingling(builder, tables.shingling);
  const std::vector<std::string> needs = needs_of(tables.sections());
  const TableVersion version = needs.empty() ? kWithoutAdditions : kWithAdditions;
  const auto needed = needs.empty() ? 0 : builder.CreateVectorOfStrings(needs);
  wire::FinishDriveBuffer(
      builder,
      wire::CreateDrive(builder, version.format, kTableMajor, version.minor, platter, needed,
                        identity, provenance, demerits, sections.validity, sections.motion, seek,
                        sections.overheads, sections.bus, sections.cache, sections.queue, layout, 0,
                        stand_ins, arms, power, shingling));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace platter::emit_table
