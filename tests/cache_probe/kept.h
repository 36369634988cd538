// A record written to a file and read from it.
#pragma once

#include <sstream>

#include "cache_probe/record.h"
#include "samples/file.h"

namespace platter::cache_probe {

inline Record kept_and_read(const Record& record) {
  std::stringstream text;
  samples::Writer file(text, {});
  if (record.setting.period_ns > 0) write_setting(file, record.setting);
  for (const Observation& seen : record.observations) write_probe(file, seen);
  Record again;
  samples::Reader(text, "kept").each([&](const samples::Line& line) { add_to(again, line); });
  return again;
}

}  // namespace platter::cache_probe
