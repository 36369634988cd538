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

bool BlockEventLines::pass_over(const Line& line, std::size_t field, const char* what,
                                bool issued) {
  if (issued)
    skips_.add(what, line.place(field));
  else
    skips_.add_form("other events of what was passed over", line.place(field));
  return false;
}

bool BlockEventLines::form(const Line& line, const char* what) {
  skips_.add_form(what, line.place(0));
  return false;
}

bool BlockEventLines::lost(const Line& line) {
  const std::optional<std::uint64_t> count = told_loss(line.whole());
  if (!count) return false;
  skips_.lose(*count, line.place(0));
  skips_.add_form("lines of lost events", line.place(0));
  return true;
}

const char* BlockEventLines::other_than_data(const Line& line, std::size_t operation) {
  const std::string_view flags = line[operation];
  // A command's bytes stand in parentheses; those of the block layer are empty.
  const std::size_t fields = std::min<std::size_t>(line.count(), Line::kMost);
  for (std::size_t i = operation + 1; i < std::min(operation + 3, fields); ++i)
    if (line[i].starts_with('(') && line[i] != "()") return kCommands;
  if (flags.find('D') != flags.npos) return "discards";
  if (flags.starts_with('Z')) return "commands of zones";
  if (flags.find('Z') != flags.npos) return "writes of zeros, without data";
  if (flags.find_first_of("RW") != flags.npos) return nullptr;
  return flags.find('F') != flags.npos ? "flushes" : kCommands;
}

bool BlockEventLines::add(const Line& line, BlockEvent event, const Fields& fields) {
  event.sector = line.integer<std::uint64_t>(fields.sector, "the sector");
  event.bytes =
      std::uint64_t{line.integer<std::uint32_t>(fields.sectors, "the number of sectors")} * kSector;
  if (event.bytes == 0) {
    skips_.add("requests of no sectors", line.place(fields.sectors));
    return false;
  }
  const std::uint64_t begin = sectors_to_bytes(line, fields.sector, event.sector);
  if (event.bytes > std::numeric_limits<std::uint64_t>::max() - begin)
    line.fail(fields.sector, fmt::format("sector {} lies past the end of any drive", event.sector));
  const std::string_view last = line.last();
  event.failed = event.action == BlockEvent::Action::complete && last.starts_with('[') &&
                 last != "[0]";
  event.time = line.place(fields.time);
  event.lbn = line.place(fields.sector);
  event.blocks = line.place(fields.sectors);
  const BlockEvents::Use use = events_.add(event);
  count(skips_, use, event.time);
  return use == BlockEvents::Use::begins;
}

}  // namespace platter::trace
