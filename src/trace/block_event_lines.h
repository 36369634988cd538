// What blkparse and ftrace have in common: a line is an event, events become requests.
#pragma once

#include <utility>

#include "trace/block_events.h"
#include "trace/line_reader.h"

namespace platter::trace {

class BlockEventLines : public LineReader {
 public:
  BlockEventLines(Input input, bool queued)
      : LineReader(std::move(input), Separator::blanks), events_(queued) {}

  bool next(Record& record) final;
  Place place(Part part) const final { return events_.place(part); }
  std::string device_text(std::uint32_t device) const final { return device_text_of_linux(device); }

 protected:
  // Which fields say when, where and how much: a sector and a number of sectors.
  struct Fields {
    std::size_t time, sector, sectors;
  };

  // Of an event whose action, time, device and direction are known: its extent, its outcome and its
  // places. False: it has no extent, and is none.
  bool add(const Line& line, BlockEvent event, const Fields& fields);

 private:
  BlockEvents events_;
  bool ended_ = false;
};

}  // namespace platter::trace
