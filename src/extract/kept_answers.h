// What the drive said of its places, kept while its layout is asked for: a run that is gone on with
// in the middle of that asks the same questions in the same order, and the drive is spared those
// that it has answered.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "layout/translator.h"

namespace platter::extract {

struct Answer {
  std::optional<scsi::PhysicalAddress> place;  // that was asked for; none: a block was
  std::optional<std::uint64_t> lbn;            // the block: asked for, or at the place
  scsi::Translation translation;               // of a block
};

// Answers from what was kept, else from the drive.
class KeptAnswers final : public layout::Translator {
 public:
  KeptAnswers(layout::Translator& drive, std::vector<Answer>& answers);

  const std::string& name() const override { return drive_.name(); }
  std::uint64_t blocks() const override { return drive_.blocks(); }
  std::uint32_t heads() const override { return drive_.heads(); }
  std::uint32_t cylinders() const override { return drive_.cylinders(); }
  std::optional<scsi::Translation> translate(std::uint64_t lbn) override;
  std::optional<scsi::PlaceContent> translate_back(const scsi::PhysicalAddress& place) override;
  std::optional<layout::DefectPlaces> defects(bool primary, bool grown) override {
    return drive_.defects(primary, grown);
  }
  std::optional<std::uint32_t> sector_from_index(std::uint64_t lbn) override {
    return drive_.sector_from_index(lbn);
  }

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  static Place key_of(const scsi::PhysicalAddress& place) {
    return {place.cylinder, place.head, place.sector};
  }

  layout::Translator& drive_;
  std::vector<Answer>& answers_;
  std::map<std::uint64_t, scsi::Translation> of_blocks_;  // of earlier sessions
  std::map<Place, scsi::PlaceContent> of_places_;
};

}  // namespace platter::extract
