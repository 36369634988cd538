// Whether a zone ends at one of its tracks, by the tracks behind it.
#pragma once

#include <cstdint>

#include "layout/survey.h"
#include "layout/track_meter.h"
#include "layout/track_reader.h"

namespace platter::layout {

// The track ends early, and so do those behind it: a zone of shorter tracks begins. Where it ends
// its cylinder the spares of that are likelier, and the zone begins behind it.
bool tracks_grow_short(Survey& survey, TrackReader& reader, const Zone& zone, std::uint64_t track,
                       const TrackMeasure& found);

// Spares or reserved tracks at the end of a cylinder, after many cylinders without: zones are told
// apart by them even if the tracks behind are as long (their angles may begin anew).
bool first_spares_end_zone(Survey& survey, TrackReader& reader, const Zone& zone,
                           std::uint64_t track, const TrackMeasure& found);

}  // namespace platter::layout
