// An emulator's contents as the blocks of a target.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "emulator/contents/contents.h"
#include "virtual_drive/contents.h"

namespace platter::emulator {

class DriveContents final : public virtual_drive::Contents {
 public:
  // `bytes` outlives it.
  DriveContents(emulator::Contents& bytes, std::uint32_t block_bytes)
      : bytes_(bytes), block_bytes_(block_bytes) {}

  bool read(std::uint64_t lbn, std::span<std::uint8_t> to) const override {
    return note(bytes_.read(lbn * block_bytes_, to));
  }
  bool write(std::uint64_t lbn, std::span<const std::uint8_t> from) override {
    return note(bytes_.write(lbn * block_bytes_, from));
  }
  void keep() override { has_to_last_ = true; }

  // Since the last question.
  int take_error() { return std::exchange(error_, 0); }
  bool take_has_to_last() { return std::exchange(has_to_last_, false); }

 private:
  bool note(int error) const {
    if (error != 0) error_ = error;
    return error == 0;
  }

  emulator::Contents& bytes_;
  std::uint32_t block_bytes_;
  mutable int error_ = 0;
  bool has_to_last_ = false;
};

}  // namespace platter::emulator
