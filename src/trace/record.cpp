#include "trace/record.h"

#include <fmt/format.h>

namespace platter::trace {

std::string to_text(const Place& place) {
  return place.binary ? fmt::format("record {}, byte {}", place.number, place.column)
                      : fmt::format("line {}, column {}", place.number, place.column);
}

BadRecord::BadRecord(const std::string& name, const Place& where, const std::string& what)
    : Error(ExitStatus::bad_input, fmt::format("{}, {}: {}", name, to_text(where), what)),
      place_(where),
      finding_(what) {}

}  // namespace platter::trace
