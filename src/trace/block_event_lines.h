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

  static constexpr const char* kCommands = "commands past the block layer";

  // What an event is of that reads or writes nothing, by its flags (blk_fill_rwbs() of Linux) and
  // by a command behind them; nullptr if it does.
  static const char* other_than_data(const Line& line, std::size_t operation);
  // Each counts the line and is false: it holds no request.
  bool pass_over(const Line& line, std::size_t field, const char* what, bool issued);
  bool form(const Line& line, const char* what);
  // True: the line says that events are lost, and is counted.
  bool lost(const Line& line);

  // Of an event whose action, time, device and direction are known: its extent, its outcome and its
  // places. False: it has no extent, and is none.
  bool add(const Line& line, BlockEvent event, const Fields& fields);

 private:
  BlockEvents events_;
  bool ended_ = false;
};

}  // namespace platter::trace
