// The fuzzers of one list of targets (PLATTER_FUZZ_TARGETS); the environment's PLATTER_FUZZ_TARGET
// names the one that runs; "?" lists them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const platter::fuzz::Target target = [] {
    const char* name = std::getenv("PLATTER_FUZZ_TARGET");
    platter::fuzz::require(name != nullptr, "PLATTER_FUZZ_TARGET names no target");
    const bool list = std::string_view(name) == "?";
    for (const platter::fuzz::Target& each : platter::fuzz::PLATTER_FUZZ_TARGETS()) {
      if (each.name == name) return each;
      if (list) std::printf("%s\n", each.name.c_str());
    }
    if (list) {  // at exit() libFuzzer ends the program before what was printed is written
      std::fflush(stdout);
      std::_Exit(0);
    }
    platter::fuzz::require(false, "PLATTER_FUZZ_TARGET names none of these targets");
    std::abort();
  }();
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
