// A drive that only translates: it answers from a layout, with the numbering, the lists and the
// lies that a test wants. And the comparison of an extracted layout with the true one, block by
// block.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "layout/translator.h"
#include "model/drive_model.h"

namespace platter::layout::testing {

enum class Sectors { from_first, without_holes, from_index };

struct Behaviour {
  Sectors sectors = Sectors::from_first;
  std::uint32_t base = 0;  // the lowest sector number
  bool gives_primary = true, gives_grown = true;
  bool says_remapped = true;  // ALTSEC
  bool translates_back = true;
  bool lists_from_index = false;  // whatever the numbers start at
};

class SyntheticTranslator : public Translator {
 public:
  SyntheticTranslator(const model::Layout& layout, Behaviour behaviour);

  // Slots that the defect lists name, ascending.
  std::vector<std::uint64_t> primary, grown;

  const std::string& name() const override { return name_; }
  std::uint64_t blocks() const override { return map_.blocks(); }
  std::uint32_t heads() const override { return map_.heads(); }
  std::uint32_t cylinders() const override { return map_.cylinders(); }
  std::optional<scsi::Translation> translate(std::uint64_t lbn) override;
  std::optional<scsi::PlaceContent> translate_back(const scsi::PhysicalAddress& place) override;
  std::optional<DefectPlaces> defects(bool primary, bool grown) override;

 private:
  scsi::PhysicalAddress address(std::uint64_t slot) const;
  std::uint32_t shift(const engine::Track& track) const;

  std::string name_ = "synthetic drive";
  engine::LayoutMap map_;
  Behaviour behaviour_;
};

// "" if every block lies on the same cylinder and head in both, and, with `slots`, in the same slot
// of a track with as many slots; else the first difference in words. Blocks that the found layout
// does not claim are not compared.
std::string difference(const model::Layout& truth, const model::Layout& found, bool slots);

}  // namespace platter::layout::testing
