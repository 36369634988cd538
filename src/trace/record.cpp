#include "trace/record.h"

#include <fmt/format.h>

#include <limits>

namespace platter::trace {

std::string to_text(const Place& place) {
  return place.binary ? fmt::format("record {}, byte {}", place.number, place.column)
                      : fmt::format("line {}, column {}", place.number, place.column);
}

BadRecord::BadRecord(const std::string& name, const Place& where, const std::string& what)
    : Error(ExitStatus::bad_input, fmt::format("{}, {}: {}", name, to_text(where), what)),
      place_(where),
      finding_(what) {}

std::uint64_t first_byte(const Request& request, std::uint32_t block_bytes) {
  if (request.lbn > std::numeric_limits<std::uint64_t>::max() / block_bytes)
    throw Error(ExitStatus::output,
                fmt::format("LBN {} is farther than a format in bytes can say", request.lbn));
  return request.lbn * block_bytes;
}

std::uint64_t byte_count(const Request& request, std::uint32_t block_bytes) {
  return std::uint64_t{request.blocks} * block_bytes;
}

std::uint64_t first_sector(const Request& request, std::uint32_t block_bytes) {
  constexpr std::uint32_t kSector = 512;
  const std::uint64_t byte = first_byte(request, block_bytes);
  if (byte % kSector != 0 || byte_count(request, block_bytes) % kSector != 0)
    throw Error(
        ExitStatus::output,
        fmt::format("LBN {} with {} blocks of {} bytes is no number of whole sectors of 512 "
                    "bytes, which this format counts; choose another one",
                    request.lbn, request.blocks, block_bytes));
  return byte / kSector;
}

}  // namespace platter::trace
