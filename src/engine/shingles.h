// A drive-managed shingled drive: the host's requests become requests for the places where their
// blocks are (shingled/translation.h), and bands are cleaned when the drive is idle, or when the
// media cache is full. Above the queue and the steps, which know places alone.
#pragma once

#include "engine/request.h"
#include "engine/state.h"
#include "engine/tables.h"
#include "model/drive_model.h"

namespace platter::engine {

// What a model says of its translation layer; nothing acts where it says too little.
shingled::Settings compile_shingling(const model::DriveModel& model);
// The layout with the tracks of the media cache behind its blocks: as many as its first tracks
// have, on cylinders of their own at the outer edge, which all others lie behind.
model::Layout with_media_cache(const model::Layout& layout, std::uint64_t cache_blocks);

class Shingles {
 public:
  Shingles(const Tables& tables, State& state)
      : tables_(tables), state_(state), translation_(*state.translation()) {}

  // As Engine has them.
  Completion service(const Request& request, Nanoseconds now_ns);
  bool submit(const Request& request, Nanoseconds arrival_ns);

 private:
  void clean_until(Nanoseconds now_ns);
  Nanoseconds clean_band(Nanoseconds start_ns, Nanoseconds until_ns);
  void make_room(const Request& request, Nanoseconds now_ns);
  std::uint64_t begin(const Request& request, Nanoseconds now_ns);
  Completion serve_in_parts(const Request& request, Nanoseconds now_ns);

  const Tables& tables_;
  State& state_;
  shingled::Translation& translation_;
};

}  // namespace platter::engine
