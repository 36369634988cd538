// The Caching mode page of a virtual drive (SBC-3, clause 6.4.5): what it shows of the model's
// policies, which of its fields can be changed, and what the policies are once they were.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/drive_model.h"

namespace platter::virtual_drive {

// Throws Error(bad_input) for a name that is no field's (scsi/caching_fields.h).
void check_field_names(const std::vector<std::string>& names);

class CachingPage {
 public:
  CachingPage(const model::Cache& cache, const model::Firmware& firmware);

  const std::vector<std::uint8_t>& defaults() const { return defaults_; }
  // The bits that MODE SELECT may change. What a drive cannot do, no field can turn on.
  const std::vector<std::uint8_t>& changeable() const { return changeable_; }

  // The first byte of a page with changes in changeable bits only that the drive cannot take;
  // nullopt: it can.
  std::optional<std::size_t> wrong_byte(const std::vector<std::uint8_t>& page) const;
  // Number and size of the segments follow from each other: the page as the drive shows it.
  std::vector<std::uint8_t> shown(std::vector<std::uint8_t> page) const;

  // Under these settings: RCD, WCE and DRA, and the policies as the other fields change them.
  engine::CacheSettings settings(const std::vector<std::uint8_t>& page) const;
  model::Cache policies(model::Cache cache, const std::vector<std::uint8_t>& page) const;

 private:
  std::uint64_t total_blocks() const;
  bool divides() const;
  bool acts(const std::string& field) const;
  std::vector<std::uint8_t> obeyed(std::vector<std::uint8_t> page) const;

  model::Cache cache_;
  std::vector<std::string> ignored_;
  std::vector<std::uint8_t> defaults_, changeable_;
};

}  // namespace platter::virtual_drive
