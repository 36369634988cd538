// Tables of the past and of the future: what was written once is read and predicts what it did,
// what a later 1.x adds is passed over, another major version is refused by its name.

#include <flatbuffers/idl.h>
#include <flatbuffers/util.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "catch.h"
#include "emit/table/table.h"
#include "engine/engine.h"
#include "model/file.h"
#include "virtual_drive/catalogue.h"

using namespace platter;

namespace {

const std::string kGolden = PLATTER_SOURCE_DIR "/tests/golden/table/";

emit_table::Table table_of(const std::string& bytes) {
  return emit_table::read_table(std::as_bytes(std::span(bytes)), "test.ptab");
}

// NAME.times, one request a line: its time, LBN, blocks, whether it writes, and when
// the library of the table's time had it complete; in nanoseconds.
void predicts_as_then(const std::string& name, int format) {
  INFO(name << ' ' << format);
  const std::string path = kGolden + name + "." + std::to_string(format) + ".ptab";
  const emit_table::Table table = emit_table::load_table(path);
  CHECK(table.format == static_cast<std::uint32_t>(format));
  engine::Engine engine(table.tables);
  std::istringstream lines(model::read_file(kGolden + name + ".times"));
  Nanoseconds arrival_ns = 0, completion_ns = 0;
  std::size_t requests = 0;
  for (engine::Request request;
       lines >> arrival_ns >> request.lbn >> request.blocks >> request.write >> completion_ns;
       ++requests)
    REQUIRE(engine.service(request, arrival_ns).completion_ns == completion_ns);
  CHECK(requests == 500);
}

std::string atlas10k() {
  for (const auto& entry : virtual_drive::validated_drives())
    if (std::string_view(entry.name) == "quantum-atlas10k")
      return emit_table::compile_table(virtual_drive::catalogue_model(entry));
  return {};
}

}  // namespace

TEST_CASE("tables of earlier formats predict what they did, to the nanosecond") {
  predicts_as_then("small", 5);
  predicts_as_then("quantum-atlas10k", 5);
  predicts_as_then("long-pieces", 5);
  predicts_as_then("small", 6);
  predicts_as_then("bands", 6);
  predicts_as_then("quantum-atlas10k", 6);
  predicts_as_then("bands", 7);
  predicts_as_then("quantum-atlas10k", 7);
}

TEST_CASE("what a model's table says today is what it said in format 6") {
  const emit_table::Table then = emit_table::load_table(kGolden + "quantum-atlas10k.6.ptab");
  const emit_table::Table now = table_of(atlas10k());
  CHECK(then.format == 6);
  CHECK(now.format == 7);
  CHECK(then.tables->sections() == now.tables->sections());
  CHECK(then.identity.product == now.identity.product);
  CHECK(then.validity.note == now.validity.note);
  CHECK(now.bytes < then.bytes);
}
