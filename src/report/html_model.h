// The chapters of the report that a model fills: what it is, seeks, parameters, provenance.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::report::html {

std::string model_name(const model::DriveModel& model);  // for people; never empty

std::string facts(const model::DriveModel& model);         // capacity, rotation, seeks, ...
std::string how_measured(const model::DriveModel& model);  // a paragraph

// `id` begins the ids of what is in the chapter.
std::string seek_chapter(const model::DriveModel& model, const std::string& id);
std::string overheads_chapter(const model::DriveModel& model, const std::string& id);
std::string cache_chapter(const model::DriveModel& model, const std::string& id);
std::string parameters_chapter(const model::DriveModel& model, const std::string& id);
std::string validity_chapter(const model::DriveModel& model, const std::string& id);
std::string provenance_chapter(const model::DriveModel& model, const std::string& id);
std::string missing_chapter(const model::DriveModel& model, const std::string& id);

// A diagram of what the cache does.
// "" where the segments are not known.
std::string cache_diagram(const model::DriveModel& model);

// Where the time of one request goes: overheads, seek, rotation, media, bus.
std::string request_bars(const model::DriveModel& model);

// The chapter of the map: zones as rings, rates and shares, the order of tracks, skews, defects.
std::string map_chapter(const model::DriveModel& model, const std::string& id);

}  // namespace platter::report::html
