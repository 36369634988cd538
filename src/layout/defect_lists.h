// The drive's defect lists as hints about places: in the sectors that its translation gives, or,
// where they are in bytes from the index, as far as it is found out which sectors those are.
#pragma once

#include <optional>
#include <string>

#include "layout/mapper.h"

namespace platter::layout {

struct DefectLists {
  std::optional<DefectPlaces> primary, grown;  // nullopt: the drive does not give it

  // They name sectors as translations do.
  bool name_sectors() const;
};

DefectLists ask_for_defects(Translator& drive);

// What the lists say without knowing more of the drive: of places in other units only the track.
Defects as_given(const DefectLists& lists);

struct LocatedDefects {
  Defects defects;
  std::string how;  // places in other units became sectors; empty: they did not
};

// Places in other units as sectors, as far as a map made without them tells: where numbers start at
// the index, where the drive also says a block's bytes from the index, or where the skews follow
// from holes in the numbers of listed tracks. Asks for blocks of such tracks; may repair the map.
LocatedDefects located(const DefectLists& lists, Mapper& mapper, Survey& survey, Translator& drive);

// What was given, in which format, and how far it was used; for the model's provenance.
std::string in_words(const DefectLists& lists, const LocatedDefects& used);

}  // namespace platter::layout
