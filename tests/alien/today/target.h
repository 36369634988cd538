// The SCSI side: libata's translation (SAT), a SAS drive, or a bridge on USB.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "drive.h"

namespace today {

using Bytes = std::vector<std::uint8_t>;

struct Request {
  std::uint64_t issue_ns = 0;
  std::uint32_t tag = 0;
  std::uint8_t lun = 0, attribute = 0, direction = 0;
  std::uint32_t transfer_length = 0;
  Bytes cdb, data;
};

struct Answer {
  std::uint8_t status = 0;
  Bytes sense, data;
  std::uint32_t residual = 0;
};

class Target {
 public:
  Target(const Design& design, Drive& drive);

  // What is said, once the drive has done it; and what the drive has to do for it.
  Answer execute(const Request& request, Job& job);
  int depth() const { return design_.depth; }
  void reset();

 private:
  struct Sense {
    int key, code, qualifier;
  };
  Answer refused(Sense sense) const;
  Bytes inquiry(const Bytes& cdb, bool& bad);
  Bytes vital(int page, bool& bad);
  Bytes identify();
  Answer mode_sense(const Request& request);
  Answer mode_select(const Request& request, Job& job);
  Bytes mode_page(int page, int control);
  Answer pass_through(const Request& request, Job& job);
  Answer access(const Request& request, Job& job);
  Bytes contents(std::int64_t lbn, std::int64_t count) const;
  void store(std::int64_t lbn, std::int64_t count, const Bytes& data);
  bool ata() const { return design_.path != Path::sas; }

  const Design& design_;
  Drive& drive_;
  std::unordered_map<std::int64_t, Bytes> stored_;
  bool attention_;
  int commands_ = 0;
};

}  // namespace today
