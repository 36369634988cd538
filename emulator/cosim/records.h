// The records of the guest's process 1 (guest/record.h), out of a stream that comes in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace platter::emulator {

struct Record {
  std::uint32_t kind = 0;
  std::string_view bytes{};
  std::int32_t number() const;  // of those that hold one; 0: it does not
};

class RecordReader {
 public:
  // Calls `take` for what is whole now. false: it is no stream of records.
  bool feed(std::span<const char> piece, const std::function<void(const Record&)>& take);

 private:
  std::string kept_{};
};

}  // namespace platter::emulator
