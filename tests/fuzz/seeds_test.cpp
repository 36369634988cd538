// The fuzzers' seeds, among them everything that ever was a finding (seeds/), through every reader.
#include <filesystem>

#include "catch.h"
#include "fuzz/one_input.h"
#include "model/file.h"
#include "source_folder.h"

using namespace platter;

TEST_CASE("every seed keeps the promises of every reader") {
  std::size_t count = 0;
  for (const char* folder : {"/tests/golden/traces", "/tests/fuzz/seeds"})
    for (const auto& entry : std::filesystem::directory_iterator(source_folder() + folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string bytes = model::read_file(entry.path());
      trace::try_input(bytes, trace::Format::detect);
      for (const std::string& name : trace::format_names()) {
        CAPTURE(entry.path(), name);
        CHECK_NOTHROW(trace::try_input(bytes, trace::format_of(name)));
        // Cut short and damaged in many places.
        for (std::size_t part = 1; part < 8; ++part) {
          std::string damaged = bytes.substr(0, bytes.size() * part / 8);
          trace::try_input(damaged, trace::format_of(name));
          damaged = bytes;
          damaged[bytes.size() * part / 8] = static_cast<char>(part * 37);
          trace::try_input(damaged, trace::format_of(name));
        }
      }
      ++count;
    }
  CHECK(count >= 15);
}
