// The translate address diagnostic page, 40h: from a block to its place and back (SBC-3
// clauses 6.2.2 and 6.2.3; SCSI-2 clause 9.3.1). Remembers the last SEND DIAGNOSTIC for the RECEIVE
// that follows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "virtual_drive/personality.h"
#include "virtual_drive/sense_data.h"
#include "virtual_drive/told_places.h"

namespace platter::virtual_drive {

class AddressTranslation {
 public:
  AddressTranslation(const Personality& drive, const engine::LayoutMap& map);

  // SEND DIAGNOSTIC with a page in its parameter list. Formats: those that the firmware names, each
  // to any other or to itself, but places to blocks only if it translates back.
  Reply send(std::span<const std::uint8_t> parameters);
  // RECEIVE DIAGNOSTIC RESULTS. With PCV = 0: what the last SEND asked for.
  Reply receive(const scsi::Command& command) const;
  void forget() { answer_.clear(); }

 private:
  Reply translate(std::span<const std::uint8_t> parameters);
  bool takes(std::uint8_t format) const;

  const Personality& drive_;
  ToldPlaces places_;
  std::vector<std::uint8_t> answer_;  // the page that the last SEND prepared
};

}  // namespace platter::virtual_drive
