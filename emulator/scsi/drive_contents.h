// An emulator's contents as the blocks of a target: what each command did to them, until it ends.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/contents/contents.h"
#include "emulator/contents/volatile_contents.h"
#include "virtual_drive/contents.h"

namespace platter::emulator {

class DriveContents final : public virtual_drive::Contents {
 public:
  // `bytes` outlives it. Where it is volatile, a write is on the media when the drive says so.
  // `in_order`: what is on the media is of no use without what was written before it.
  DriveContents(emulator::Contents& bytes, std::uint32_t block_bytes, bool in_order = false)
      : bytes_(bytes),
        volatile_(dynamic_cast<VolatileContents*>(&bytes)),
        block_bytes_(block_bytes),
        in_order_(in_order) {}

  // What that command will write is not stored: it fails.
  void drop(std::uint32_t tag) { dropped_.push_back(tag); }
  void begin_command(std::uint32_t tag) override { tag_ = tag; }
  bool read(std::uint64_t lbn, std::span<std::uint8_t> to) const override {
    return note(bytes_.read(lbn * block_bytes_, to));
  }
  bool write(std::uint64_t lbn, std::span<const std::uint8_t> from) override;
  void forget(std::uint64_t lbn, std::uint64_t blocks) override {
    note(bytes_.discard(lbn * block_bytes_, blocks * block_bytes_));
  }
  void keep() override;

  // The command's answer is due, or there will be none: what it wrote is acknowledged. Returns 0 or
  // the errno of what could not be kept.
  int end_command(std::uint32_t tag);
  void end_all();
  // The power goes: what was begun never ends, and what is dirty is gone. 0 or an errno.
  int cut_power();

  // Since the last question: an errno, and the tags of commands of which the host has to keep what
  // was written so far.
  int take_error() { return std::exchange(error_, 0); }
  std::vector<std::uint32_t>& has_to_last() { return has_to_last_; }

 private:
  struct Begun {
    std::uint32_t tag;
    VolatileContents::Ticket ticket;
    bool flush, through;
  };
  bool note(int error) const {
    if (error != 0) error_ = error;
    return error == 0;
  }
  int end(const Begun& begun);
  bool is_dropped() const;

  emulator::Contents& bytes_;
  VolatileContents* const volatile_;
  std::uint32_t block_bytes_;
  bool in_order_;
  std::uint32_t tag_ = 0;
  std::vector<Begun> begun_{};  // of volatile contents
  std::vector<std::uint32_t> dropped_{};
  std::vector<std::uint32_t> has_to_last_{};
  mutable int error_ = 0;
};

}  // namespace platter::emulator
