// Writes: through to the media, or into a segment from which they are destaged.
#include <algorithm>

#include "engine/step.h"

namespace platter::engine {

// The request's data over the bus: when each block is in the buffer. `waits`: the drive had to
// disconnect first, because it was busy until not_before.
Supply Step::receive(const Request& request, Nanoseconds command, Nanoseconds not_before,
                     bool waits) {
  Nanoseconds start = command;
  received_late_ |= waits;
  if (waits)
    start = std::max(command + overheads_.write_disconnect, not_before) + overheads_.first_reselect;
  start = reserve_bus(start + overheads_.data_preparation);
  const Nanoseconds next_block_ns = request.same ? 0 : tables_.bus.write_block_ns;
  Supply supply{request.lbn, start + tables_.bus.write_block_ns, next_block_ns};
  if (overheads_.extra_write_disconnect) {
    // Such a drive waits for a good part of the data before it writes (DiskSim 4.0's figures: ten
    // blocks, fifteen of a request of 45 and more).
    const std::uint32_t enough = request.blocks < 45 ? std::min(request.blocks, 10u) : 15u;
    supply.begin_ns = supply.at(request.lbn + enough - 1);
  }
  core_.bus_free_ns = supply.at(request.lbn + request.blocks - 1);
  return supply;
}

Mechanics::FirstAccess Step::write_access(const Request& request) const {
  return {.disturbance = request.disturbance,
          .write = true,
          .zero_latency = tables_.cache.zero_latency_write != 0,
          .minimum_seek_ns = overheads_.minimum_seek_delay,
          .beside_ns = beside_ns_};
}

Nanoseconds Step::write_through(const Request& request, Nanoseconds now) {
  const bool waits = core_.background.kind == Kind::destage || core_.media_free_ns > now;
  if (core_.background.kind == Kind::destage) finish_destage();
  stop_read_ahead(now);
  if (core_.dirty > 0) bring_to_media(request, true, std::nullopt);
  Nanoseconds command = decoded_ns(overheads_.write_miss[after_write()]);
  Nanoseconds mechanical = command;
  // Such drives disconnect once more for a write that follows a write elsewhere.
  const bool extra = overheads_.extra_write_disconnect && !waits && core_.last_was_write &&
                     request.lbn != core_.last_end_lbn;
  if (extra) {
    const Nanoseconds decoded = decoded_ns(overheads_.extra_command);
    mechanical = decoded + overheads_.extra_seek_delta;
    command = decoded + overheads_.extra_first + overheads_.extra_inter + overheads_.first_reselect;
  }
  const Supply supply = receive(request, command, core_.media_free_ns, waits);
  MediaCursor& cursor = send_heads(request.lbn, std::max(mechanical, core_.media_free_ns),
                                   request.disturbance.phase_ns);
  const Mechanics::FirstAccess how = write_access(request);
  mechanics_.access(cursor, request.lbn + request.blocks, how, &supply, nullptr, nullptr);
  leave_media(cursor);
  const Nanoseconds written = cursor.time_ns;

  if (reads_cached()) {
    const std::uint32_t taken = take_for_write(request);
    Segment& segment = segments_.edit(taken);
    segment.become(Segment::Content::written);
    segment.first = segment.end = request.lbn;
    segment.ready_ns = core_.bus_free_ns;
    segments_.grow(taken, request.lbn + request.blocks);
    if (!tables_.cache.read_hit_on_written) segments_.release(taken);
  }
  const Nanoseconds reselect = extra ? overheads_.other_reselect : overheads_.first_reselect;
  const Nanoseconds received = core_.bus_free_ns +
                               (extra ? overheads_.extra_second : overheads_.write_disconnect);
  const Nanoseconds completion = std::max(written, received) + reselect;
  core_.bus_free_ns = std::max(core_.bus_free_ns, completion);
  return completion + overheads_.write_completion;
}

// Whether the request carries on a write that is still being destaged, and there is room.
bool Step::appends(const Request& request) const {
  const Background& background = core_.background;
  return background.kind == Kind::destage && tables_.cache.combine_writes &&
         background.cursor.next_lbn == request.lbn &&
         segments_[background.segment].end == request.lbn &&
         request.lbn + request.blocks - background.first <= write_room();
}

Nanoseconds Step::append(const Request& request) {
  Background& background = core_.background;
  const std::uint64_t end = request.lbn + request.blocks;
  const Nanoseconds command = decoded_ns(hit_overhead(request));
  const Supply supply = receive(request, command, 0, false);
  Mechanics::FirstAccess how;
  how.write = true;
  how.zero_latency = tables_.cache.zero_latency_write;
  mechanics_.access(background.cursor, end, how, &supply, nullptr, nullptr);
  segments_.grow(background.segment, end);
  segments_.touch(background.segment);
  leave_media(background.cursor);
  return core_.bus_free_ns + overheads_.write_completion;
}

Nanoseconds Step::write_back(const Request& request, Nanoseconds now) {
  if (appends(request)) return append(request);
  // One write is destaged at a time: the next one waits until its predecessor is on the media.
  std::optional<std::uint32_t> none;
  const bool destages = core_.background.kind == Kind::destage;
  const bool waits = destage_beyond_limit(request, none) || destages;
  if (waits) {
    core_.taken_until_ns = core_.media_free_ns;
    if (core_.background.kind == Kind::destage) finish_destage();
  }
  if (tables_.cache.write_hit_keeps_read_ahead && core_.background.kind == Kind::read_ahead)
    core_.background.must = core_.background.limit;
  stop_read_ahead(now);
  if (core_.dirty > 0) bring_to_media(request, true, std::nullopt);
  const Nanoseconds command = decoded_ns(hit_overhead(request));
  const std::uint64_t end = request.lbn + request.blocks;
  const std::uint32_t taken = take_for_write(request);
  const Supply supply = receive(request, command, core_.media_free_ns, waits);
  Nanoseconds received = core_.bus_free_ns;

  MediaCursor& cursor = send_heads(request.lbn, std::max(command, core_.media_free_ns),
                                   request.disturbance.phase_ns);
  const Mechanics::FirstAccess how = write_access(request);
  if (const std::uint32_t room = write_room(); request.blocks > room) {
    // More than may wait: the last part can come in only when the first is on the media.
    MediaCursor first = cursor;
    mechanics_.access(first, end - room, how, &supply, nullptr, nullptr);
    const Nanoseconds last = first.time_ns +
                             static_cast<Nanoseconds>(room) * tables_.bus.write_block_ns;
    received_late_ |= last > received;
    received = std::max(received, last);
    core_.bus_free_ns = received;
  }
  mechanics_.access(cursor, end, how, &supply, nullptr, nullptr);

  Segment& segment = segments_.edit(taken);
  segment.become(Segment::Content::written);
  segment.first = segment.end = request.lbn;
  segment.ready_ns = received;
  segments_.grow(taken, end);
  leave_media(cursor);
  begin_background(Kind::destage, taken, request.lbn, 0, 0);
  if (tables_.cache.destage_behind) segments_.set_leaving(taken);
  return received + overheads_.write_completion;
}

// Where all segments hold data that wait, one of them is written first.
std::uint32_t Step::take_for_write(const Request& request) {
  while (true) {
    if (const auto taken = segments_.take_for_write(request)) return *taken;
    destage_one();
  }
}

// Whether data that the request overwrites are on the way to the media.
bool Step::leaves(const Request& request) const {
  const Background& background = core_.background;
  return background.kind == Kind::destage &&
         holds_any_of(segments_[background.segment], request.lbn, request.lbn + request.blocks);
}

// The data wait in the buffer, together with what they carry on or overwrite.
Nanoseconds Step::write_behind(const Request& request, Nanoseconds now) {
  if (!tables_.cache.write_hit_keeps_read_ahead) stop_read_ahead(now);
  if (leaves(request)) destage_one();
  std::optional<std::uint32_t> target = segments_.absorbing(request);
  bring_to_media(request, true, target);
  destage_beyond_limit(request, target);
  if (target && !segments_.make_room_in(*target, request)) {
    destage_at_once(*target);
    target.reset();
  }
  if (target) {
    segments_.drop_overlapped(request);
  } else {
    while (!segments_.may_take_more_dirty()) destage_one();
    target = take_for_write(request);
  }
  const bool waits = waited_for_media_ && core_.media_free_ns > now;
  if (waits) core_.taken_until_ns = core_.media_free_ns;
  const Nanoseconds command = decoded_ns(hit_overhead(request));
  receive(request, command, core_.media_free_ns, waits);
  segments_.hold_dirty(*target, request, core_.bus_free_ns);
  return core_.bus_free_ns + overheads_.write_completion;
}

Completion Step::write(const Request& request, Nanoseconds now) {
  Completion done;
  if (writes_cached(request)) {
    done.completion_ns = tables_.cache.destage_behind && request.blocks <= write_room()
                             ? write_behind(request, now)
                             : write_back(request, now);
    done.cache_hit = true;
    done.media_access = received_late_;
  } else {
    done.completion_ns = write_through(request, now);
    done.media_access = true;
  }
  return done;
}

}  // namespace platter::engine
