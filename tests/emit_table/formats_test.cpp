// Tables of version 1.0 that were written once: they are read and predict what they did, and the
// same model's table says the same.

#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "catch.h"
#include "emit/table/table.h"
#include "emit/table/text_forms.h"
#include "engine/engine.h"
#include "model/file.h"
#include "source_folder.h"
#include "virtual_drive/catalogue.h"

using namespace platter;

namespace {

const std::string kGolden = source_folder() + "/tests/golden/table/";

// NAME.times, one request a line: its time, LBN, blocks, whether it writes, and when
// the library of the table's time had it complete; in nanoseconds.
void predicts_as_then(const std::string& name) {
  INFO(name);
  const emit_table::Table table = emit_table::load_table(kGolden + name + ".7.ptab");
  CHECK(table.format == 7);
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

// All that a table says, but who wrote it and the model's digest, which is of that, too.
std::string said_by(const std::string& table) {
  std::istringstream lines(emit_table::as_csv(std::as_bytes(std::span(table))));
  std::string said;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("drive,,platter,") && !line.starts_with("provenance,,model_sha256,"))
      said += line + '\n';
  return said;
}

}  // namespace

TEST_CASE("tables of version 1.0 predict what they did, to the nanosecond") {
  predicts_as_then("bands");
  predicts_as_then("quantum-atlas10k");
}

TEST_CASE("a model's table says what it did") {
  const std::string today = said_by(atlas10k());
  CHECK(today == said_by(model::read_file(kGolden + "quantum-atlas10k.7.ptab")));
  CHECK(today.find("layout.nodes") != std::string::npos);
}
