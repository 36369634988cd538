// What layout extraction asks of a drive: where a block is, which block is at a place, where the
// media defects are. A scsi::Drive answers by translate address pages and READ DEFECT DATA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/byte_translation.h"
#include "layout/cannot_map.h"
#include "scsi/drive.h"

namespace platter::layout {

// Listed places: as translate() gives places; or with sectors counted from the index, by the bytes
// of a block; or with sectors that say nothing of those that translate() gives.
enum class DefectUnit : std::uint8_t { sectors, sectors_from_index, tracks };

struct DefectPlaces {
  std::vector<scsi::PhysicalAddress> places;
  DefectUnit unit = DefectUnit::sectors;
  std::string format = "physical sectors";  // that the drive gave, in words
};

class Translator {
 public:
  virtual ~Translator() = default;
  virtual const std::string& name() const = 0;
  virtual std::uint64_t blocks() const = 0;
  // Heads and cylinders that the drive claims to have; 0 where it does not say.
  virtual std::uint32_t heads() const = 0;
  virtual std::uint32_t cylinders() const = 0;
  // nullopt: the drive does not answer.
  virtual std::optional<scsi::Translation> translate(std::uint64_t lbn) = 0;
  // nullopt: there is no such place, or the drive does not answer.
  virtual std::optional<scsi::PlaceContent> translate_back(const scsi::PhysicalAddress& place) = 0;
  // nullopt: the drive does not give this list.
  virtual std::optional<DefectPlaces> defects(bool primary, bool grown) = 0;
  // Where a block's sector lies counted from the index, if its number does not say so; nullopt: the
  // drive does not answer.
  virtual std::optional<std::uint32_t> sector_from_index(std::uint64_t) { return std::nullopt; }
};

// Where the drive knows places in bytes from the index only, they are told as sectors numbered from
// the index.
class DriveTranslator final : public Translator {
 public:
  // `name`: what the drive is called in sentences for people.
  DriveTranslator(scsi::Drive& drive, std::string name);
  const std::string& name() const override { return name_; }
  std::uint64_t blocks() const override { return drive_.blocks(); }
  std::uint32_t heads() const override { return heads_; }
  std::uint32_t cylinders() const override { return cylinders_; }
  std::optional<scsi::Translation> translate(std::uint64_t lbn) override;
  std::optional<scsi::PlaceContent> translate_back(const scsi::PhysicalAddress& place) override;
  std::optional<DefectPlaces> defects(bool primary, bool grown) override;
  std::optional<std::uint32_t> sector_from_index(std::uint64_t lbn) override;

 private:
  scsi::Drive& drive_;
  std::string name_;
  ByteTranslation bytes_;
  bool in_bytes_ = false;  // the drive's places are
  std::uint32_t heads_ = 0, cylinders_ = 0;
};

}  // namespace platter::layout
