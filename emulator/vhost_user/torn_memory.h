// Memory that others share with us can be cut off under us: their file is made shorter, or its file
// system is full, and the next access is a SIGBUS, which would end the process. Here it makes zeros
// of the whole mapping, which nobody else has, and the mapping is marked as torn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace platter::emulator {

class TornMemory {
 public:
  // So many mappings are guarded at most in the whole process.
  static constexpr std::size_t kMost = 16384;

  // Guards a mapping as long as it lives. is_guarded() is false where there are too many.
  TornMemory(std::uint8_t* mapping, std::size_t bytes);
  ~TornMemory();
  TornMemory(TornMemory&& other) noexcept : number_(other.number_) { other.number_ = kNone; }
  TornMemory& operator=(TornMemory&&) = delete;

  bool is_guarded() const { return number_ != kNone; }
  bool is_torn() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t number_ = kNone;
};

}  // namespace platter::emulator
