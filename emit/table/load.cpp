#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "emit/table/parts.h"
#include "emit/table/table.h"
#include "emit/table/whole_file.h"
#include "model/error.h"
#include "model/file.h"
#include "model/printable.h"

namespace platter::emit_table {
namespace {

constexpr std::size_t kSmallestEnvelope = 8;  // root offset and file identifier
constexpr std::uint32_t kFirstFormat = 7;     // of version 1.0; those before it had no version

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
  throw Error(ExitStatus::bad_input, fmt::format("{}: {}", origin, why));
}

[[noreturn]] void damaged(const std::string& origin, const std::string& what) {
  refuse(origin,
         fmt::format("is a damaged table: {}; write it again with platter emit table", what));
}

// What the root tables of all formats begin with. Before format 7 there was only the first.
struct Version : private flatbuffers::Table {
  std::uint32_t format() const { return GetField<std::uint32_t>(wire::Drive::VT_FORMAT, 0); }
  std::uint16_t major() const { return GetField<std::uint16_t>(wire::Drive::VT_MAJOR, 0); }
  std::uint16_t minor() const { return GetField<std::uint16_t>(wire::Drive::VT_MINOR, 0); }
  bool Verify(flatbuffers::Verifier& verifier) const {  // the name that FlatBuffers calls it by
    return VerifyTableStart(verifier) &&
           VerifyField<std::uint32_t>(verifier, wire::Drive::VT_FORMAT, 4) &&
           VerifyField<std::uint16_t>(verifier, wire::Drive::VT_MAJOR, 2) &&
           VerifyField<std::uint16_t>(verifier, wire::Drive::VT_MINOR, 2) && verifier.EndTable();
  }
};

// The FlatBuffers verifier: every offset within the file.
template <typename Root>
const Root& verified(std::span<const std::byte> bytes, const std::string& origin) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!verifier.VerifyBuffer<Root>(wire::DriveIdentifier()))
    damaged(origin, "its envelope leads outside of the file");
  return *flatbuffers::GetRoot<Root>(data);
}

// What a reader has to know and this one does not.
void refuse_needs(const wire::Drive& drive, const std::string& origin) {
  if (drive.needs() == nullptr) return;
  for (const flatbuffers::String* need : *drive.needs()) {
    if (std::ranges::find(additions(), need->string_view(), &Addition::name) != additions().end())
      continue;
    refuse(origin, fmt::format("needs a reader that knows \"{}\", which this platter does not; "
                               "take a newer platter",
                               model::printable(need->str())));
  }
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

std::vector<model::Demerit> demerits_of(
    const flatbuffers::Vector<flatbuffers::Offset<wire::Demerit>>* from) {
  std::vector<model::Demerit> demerits;
  if (from == nullptr) return demerits;
  for (const wire::Demerit* d : *from)
    demerits.push_back({text_of(d->workload()), d->requests(), d->drive_mean_ms(), d->demerit_ms(),
                        d->demerit_percent(), d->folded_phase_share()});
  return demerits;
}

std::vector<model::StandIn> stand_ins_of(
    const flatbuffers::Vector<flatbuffers::Offset<wire::StandIn>>* from) {
  std::vector<model::StandIn> list;
  if (from == nullptr) return list;
  for (const wire::StandIn* one : *from) {
    const auto known = std::min(static_cast<std::uint8_t>(one->known()),
                                static_cast<std::uint8_t>(model::Known::unknown));
    list.push_back({text_of(one->figure()), static_cast<model::Known>(known), text_of(one->acts()),
                    "", text_of(one->reason())});
  }
  return list;
}

engine::TableParts parts_in(const wire::Drive& drive, const std::string& origin) {
  try {
    return parts_of(drive);
  } catch (const Contradiction& contradiction) {
    damaged(origin, contradiction.what());
  }
}

model::Validity validity_of(const engine::ValidityTable& flat) {
  model::Validity validity;
  validity.first_lbn = flat.first_lbn;
  validity.last_lbn = flat.last_lbn;
  validity.min_blocks = flat.min_blocks;
  validity.max_blocks = flat.max_blocks;
  validity.max_depth = flat.max_depth;
  validity.reads = flat.reads != 0;
  validity.writes = flat.writes != 0;
  return validity;
}

Table table_of(const wire::Drive& drive, const std::string& origin) {
  auto tables = engine::tables_of(parts_in(drive, origin));
  if (!tables) damaged(origin, tables.error());
  Table table;
  table.tables = *tables;
  const engine::FlatLayout& totals = table.tables->layout.view().totals;
  table.identity = identity_of(*drive.identity(), totals);
  if (table.identity.blocks > totals.blocks)
    damaged(origin, "its drive has more blocks than its layout maps");
  if (table.identity.block_bytes == 0) damaged(origin, "its drive has blocks without bytes");
  const wire::Provenance& provenance = *drive.provenance();
  table.provenance.method = text_of(provenance.method());
  table.provenance.source = text_of(provenance.source());
  table.provenance.date = text_of(provenance.date());
  table.model_sha256 = text_of(provenance.model_sha256());
  table.validity = validity_of(table.tables->validity);
  table.validity.demerits = demerits_of(drive.demerits());
  table.validity.note = text_of(drive.validity()->note());
  table.platter = text_of(drive.platter());
  table.stand_ins = stand_ins_of(drive.stand_ins());
  return table;
}

Table table_of_version(std::span<const std::byte> bytes, const std::string& origin) {
  const auto& version = verified<Version>(bytes, origin);
  if (version.format() < kFirstFormat)
    refuse(origin, fmt::format("is a table of format {}, which is no longer read; write it again "
                               "with platter emit table",
                               version.format()));
  if (version.major() != kTableMajor)
    refuse(origin, fmt::format("is a table of version {}.{}, but this platter reads version {}; "
                               "take a platter of its time, or write it again with platter emit "
                               "table",
                               version.major(), version.minor(), kTableMajor));
  const auto& drive = verified<wire::Drive>(bytes, origin);
  refuse_needs(drive, origin);
  if (drive.simplified() != nullptr)
    refuse(origin,
           "is a small table, which says less than its model and is no longer read; write "
           "it again with platter emit table");
  Table table = table_of(drive, origin);
  table.bytes = bytes.size();
  table.format = drive.format();
  return table;
}

}  // namespace

Table read_table(std::span<const std::byte> bytes, const std::string& origin) {
  if (bytes.size() < kSmallestEnvelope || !wire::DriveBufferHasIdentifier(bytes.data()))
    refuse(origin, "is no table file; write one with platter emit table");
  if (bytes.size() % 8 != 0) damaged(origin, "its length is no multiple of 8");
  std::vector<std::uint64_t> aligned;
  std::span<const std::byte> at = bytes;
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) != 0) {
    aligned.resize(bytes.size() / 8);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    at = std::as_bytes(std::span(aligned));
  }
  return table_of_version(at, origin);
}

Table load_table(const std::string& path) {
  const WholeFile file(path);
  return read_table(file.bytes(), path);
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
