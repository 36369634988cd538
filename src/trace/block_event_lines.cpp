#include "trace/block_event_lines.h"

#include <fmt/format.h>

#include <limits>

namespace platter::trace {

bool BlockEventLines::next(Record& record) {
  while (!events_.take(record)) {
    if (ended_) return false;
    Record unused;
    if (LineReader::next(unused)) continue;
    ended_ = true;
    events_.end();
  }
  return true;
}

bool BlockEventLines::add(const Line& line, BlockEvent event, const Fields& fields) {
  event.sector = line.integer<std::uint64_t>(fields.sector, "the sector");
  event.bytes =
      std::uint64_t{line.integer<std::uint32_t>(fields.sectors, "the number of sectors")} * kSector;
  if (event.bytes == 0) return false;
  const std::uint64_t begin = sectors_to_bytes(line, fields.sector, event.sector);
  if (event.bytes > std::numeric_limits<std::uint64_t>::max() - begin)
    line.fail(fields.sector, fmt::format("sector {} lies past the end of any drive", event.sector));
  const std::string_view last = line.last();
  event.failed = event.action == BlockEvent::Action::complete && last.starts_with('[') &&
                 last != "[0]";
  event.time = line.place(fields.time);
  event.lbn = line.place(fields.sector);
  event.blocks = line.place(fields.sectors);
  events_.add(event);
  return true;
}

}  // namespace platter::trace
