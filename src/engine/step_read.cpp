// Reads: hits, hits whose end is still to be read, and what comes from the media.
#include <algorithm>

#include "engine/read_ahead.h"
#include "engine/step.h"

namespace platter::engine {

// How many blocks of a read must be in the buffer before the drive reconnects to send them.
std::uint64_t Step::watermark(const Request& request) const {
  // What is sent in portions begins with the first of them.
  if (tables_.bus.watermark_by_request > 1)
    return std::min<std::uint64_t>(tables_.bus.watermark_by_request, request.blocks);
  // A segment whose size is not known limits nothing.
  const std::uint32_t room = segments_.largest() > 0 ? segments_.largest() : request.blocks;
  const double of = tables_.bus.watermark_by_request ? std::min(request.blocks, room)
                                                     : segments_.largest();
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(of * tables_.bus.high_read_watermark),
                                   1, request.blocks);
}

// The bus sends the blocks in order, as they come: in the gap before the transfer that it has been
// given already, if they fit there, else behind it.
Nanoseconds Step::send(const Delivery& delivery, Nanoseconds start) {
  const Nanoseconds in_gap = delivery.end_ns(std::max(start, core_.bus_gap_ns));
  if (in_gap <= core_.bus_begin_ns) {
    core_.bus_gap_ns = in_gap;
    return in_gap + overheads_.read_completion;
  }
  const Nanoseconds begin = reserve_bus(start);
  core_.bus_free_ns = delivery.end_ns(begin);
  return core_.bus_free_ns + overheads_.read_completion;
}

// Behind all transfers that the bus has been given; what is free in front of this one is the gap.
Nanoseconds Step::reserve_bus(Nanoseconds start) {
  core_.bus_gap_ns = core_.bus_free_ns;
  core_.bus_begin_ns = std::max(start, core_.bus_free_ns);
  return core_.bus_begin_ns;
}

// Per block; what is read for the cache alone takes none of the bus.
Nanoseconds Step::sending_ns(const Request& request) const {
  return request.prefetch ? 0 : tables_.bus.read_block_ns;
}

Nanoseconds Step::read_hit(const Request& request, Nanoseconds now, std::uint32_t segment) {
  Background& background = core_.background;
  const Delivery delivery(request.lbn, request.blocks, sending_ns(request));
  Nanoseconds start = decoded_ns(hit_overhead(request)) + overheads_.data_preparation;
  if (background.kind == Kind::destage && !tables_.cache.destage_behind) {
    // The drive disconnects until the write is on the media.
    start = std::max(decoded_ns(overheads_.read_miss[after_write()]) +
                         overheads_.read_disconnect[after_write()],
                     background.cursor.time_ns) +
            overheads_.first_reselect + overheads_.data_preparation;
  } else if (background.kind == Kind::read_ahead) {
    if (background.segment != segment) {
      if (tables_.cache.read_ahead_streams == 0 || goes_on_behind_hit(segment))
        stop_read_ahead(now);
    } else if (!tables_.cache.read_ahead_fixed_end) {
      background.limit = std::max(background.limit,
                                  reads_on_until(request, segment, background.cursor.at));
      if (tables_.cache.read_ahead_to_its_end) background.must = background.limit;
    }
  }
  start = std::max(start, segments_[segment].ready_ns);
  segments_.touch(segment);
  const Nanoseconds completion = send(delivery, start);
  if (background.kind == Kind::none && goes_on_behind_hit(segment)) {
    send_heads(segments_[segment].end, std::max(now, core_.media_free_ns),
               request.disturbance.phase_ns);
    start_read_ahead(request, segment);
  }
  return completion;
}

// The first blocks are in the segment, the rest come from the media behind its end.
Nanoseconds Step::read_partial(const Request& request, Nanoseconds now, std::uint32_t segment) {
  Background& background = core_.background;
  const std::uint64_t end = request.lbn + request.blocks;
  Delivery delivery(request.lbn, request.blocks, sending_ns(request));
  const Nanoseconds start = std::max(
      decoded_ns(hit_overhead(request)) + overheads_.data_preparation, segments_[segment].ready_ns);
  MediaCursor& cursor = background.cursor;
  if (background.kind == Kind::read_ahead && background.segment == segment) {
    mechanics_.read_until_lbn(cursor, end, &delivery);  // goes on reading, now for this request
  } else {
    stop_read_ahead(now);
    send_heads(segments_[segment].end,
               std::max(decoded_ns(overheads_.read_miss[after_write()]), core_.media_free_ns),
               request.disturbance.phase_ns);
    Mechanics::FirstAccess how;
    how.disturbance = request.disturbance;
    how.minimum_seek_ns = overheads_.minimum_read_seek_delay;
    how.beside_ns = beside_ns_;
    mechanics_.access(cursor, end, how, nullptr, &delivery, nullptr);
  }
  background.kind = Kind::none;
  segments_.touch(segment);
  segments_.edit(segment).become(Segment::Content::read);
  segments_.edit(segment).ready_ns = cursor.time_ns;
  segments_.grow(segment, end);
  leave_media(cursor);
  start_read_ahead(request, segment);
  return send(delivery, start);
}

Nanoseconds Step::read_media(const Request& request, Nanoseconds now) {
  if (core_.background.kind == Kind::destage) finish_destage();  // media_free_ns waits for it
  stop_read_ahead(now);
  const CacheTable& cache = tables_.cache;
  const std::uint64_t end = request.lbn + request.blocks;
  const Nanoseconds command = decoded_ns(overheads_.read_miss[after_write()]);
  MediaCursor& cursor = send_heads(request.lbn, std::max(command, core_.media_free_ns),
                                   request.disturbance.phase_ns);
  Mechanics::FirstAccess how;
  how.disturbance = request.disturbance;
  how.zero_latency = cache.zero_latency_read;
  how.minimum_seek_ns = overheads_.minimum_read_seek_delay;
  how.beside_ns = beside_ns_;
  // What is verified or prefetched is not sent: the answer comes when the last block has passed.
  Delivery delivery = request.verify || request.prefetch
                          ? Delivery(request.lbn, request.blocks, 0, request.blocks)
                          : Delivery(request.lbn, request.blocks, tables_.bus.read_block_ns,
                                     watermark(request),
                                     std::max<std::uint64_t>(tables_.bus.watermark_by_request, 1));
  const bool kept = reads_cached() && !request.verify;
  const bool keeps_free_blocks = kept && cache.read_free_blocks != 0;
  std::uint64_t first_passed = request.lbn;
  mechanics_.access(cursor, end, how, nullptr, &delivery,
                    keeps_free_blocks ? &first_passed : nullptr);
  leave_media(cursor);
  if (kept) keep_read(request, cursor, first_passed);

  const Nanoseconds disconnected = command + overheads_.read_disconnect[after_write()];
  return send(delivery, std::max(disconnected, delivery.filled_ns()) + overheads_.first_reselect +
                            overheads_.data_preparation);
}

// The request and what the drive will read behind it, as far as a segment may hold it.
std::uint32_t Step::blocks_wanted(const Request& request, const MediaCursor& cursor) const {
  Segment whole;
  whole.first = whole.end = request.lbn;
  whole.size = segments_.largest();
  if (tables_.cache.segments_grow) return std::min(request.blocks, whole.size);
  const bool reads_on = state_.settings.read_ahead && reads_on_behind_;
  const std::uint64_t end = reads_on ? read_ahead_limit(tables_, request, whole, cursor.at)
                                     : request.lbn + request.blocks;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(end - request.lbn, whole.size));
}

// What was read goes into a segment, with all that passed in front of it, and the drive reads on
// behind it.
void Step::keep_read(const Request& request, const MediaCursor& cursor,
                     std::uint64_t first_passed) {
  const CacheTable& cache = tables_.cache;
  const std::uint64_t end = request.lbn + request.blocks;
  const auto taken = segments_.take_for_read(cache.pooled() ? blocks_wanted(request, cursor) : 0);
  if (!taken) return;
  Segment& segment = segments_.edit(*taken);
  segment.become(Segment::Content::read);
  segment.first = first_passed;
  segment.end = request.lbn;
  segment.ready_ns = cursor.time_ns;
  segments_.grow(*taken, end);
  start_read_ahead(request, *taken);
  if (cache.discards_after_transfer && !request.prefetch) segment.first = segment.end;
}

bool Step::is_hit(const Request& request, Nanoseconds now_ns) const {
  const Background& background = core_.background;
  if (request.write || request.force_unit_access || request.verify || !reads_cached() ||
      (background.kind == Kind::destage && !tables_.cache.destage_behind))
    return false;
  const Segments::Found found = segments_.find_read(request);
  if (found.match == Segments::Match::whole) return segments_[found.segment].ready_ns <= now_ns;
  if (background.kind != Kind::read_ahead) return false;
  MediaCursor cursor = background.cursor;
  mechanics_.read_until_time(cursor, background.limit, now_ns);
  const std::uint64_t size = segments_[background.segment].size;
  const std::uint64_t first = std::max(segments_[background.segment].first,
                                       cursor.next_lbn > size ? cursor.next_lbn - size : 0);
  return request.lbn >= first && request.lbn + request.blocks <= cursor.next_lbn;
}

Completion Step::read(const Request& request, Nanoseconds now) {
  Completion done;
  const auto reading = [&] {
    const Background& background = core_.background;
    return background.kind == Kind::read_ahead ? background.segment : Segments::kNone;
  };
  const bool may_hit = reads_cached() && !request.force_unit_access && !request.verify;
  Segments::Found found;
  if (may_hit) found = segments_.find_read(request, reading());
  // What waits for its destage is not on the media yet.
  if (core_.dirty > 0 && found.match != Segments::Match::whole) {
    bring_to_media(request, false, std::nullopt);
    if (may_hit) found = segments_.find_read(request, reading());
  }
  if (tables_.cache.read_ahead_after_sequential)
    reads_on_behind_ = found.match != Segments::Match::none || segments_.carries_on(request) ||
                       (request.lbn == core_.last_end_lbn && !core_.last_was_write);
  if (found.match == Segments::Match::partial && core_.background.kind == Kind::destage) {
    // What is being written holds the arm; afterwards this is a read from the media.
    found = {};
  }
  switch (found.match) {
    case Segments::Match::whole:
      done.completion_ns = read_hit(request, now, found.segment);
      done.cache_hit = true;
      break;
    case Segments::Match::partial:
      done.completion_ns = read_partial(request, now, found.segment);
      done.media_access = true;
      break;
    case Segments::Match::none:
      done.completion_ns = read_media(request, now);
      done.media_access = true;
      break;
  }
  return done;
}

}  // namespace platter::engine
