// The fuzzer of one reader: PLATTER_FUZZ_FORMAT names the format, or "" for the detection and the
// decompressors.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/one_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const platter::trace::Format format = platter::trace::format_of(PLATTER_FUZZ_FORMAT);
  platter::trace::try_input({reinterpret_cast<const char*>(data), size}, format);
  return 0;
}
