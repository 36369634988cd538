#include "array/array_player.h"

#include <algorithm>
#include <utility>

namespace platter::array {
namespace {

// Whose an access is: the kind in the ticket's upper half, the place in its lower one.
enum class Owner : std::uint8_t { request, stripe, copy_read, copy_write, superblock };

std::uint64_t ticket_of(Owner owner, std::uint32_t place) {
  return static_cast<std::uint64_t>(owner) << 32 | place;
}
Owner owner_of(std::uint64_t ticket) { return static_cast<Owner>(ticket >> 32); }
std::uint32_t place_of(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket); }

constexpr std::uint32_t kCopyBytes = 64 * 1024;  // a mirror is rebuilt in pieces of that size
constexpr std::uint64_t kCheckpoints = 16;
constexpr Nanoseconds kCheckpointEach = 600'000'000'000;

}  // namespace

ArrayPlayer::ArrayPlayer(const ArraySetup& setup, Members members)
    : setup_(setup),
      members_(std::move(members)),
      page_blocks_(std::max(1u, kPageBytes / setup.block_bytes)),
      mirrors_(setup.geometry.members),
      barriers_(setup.block_bytes),
      stripes_(setup.geometry.level == Level::raid5 ? setup.stripes : 0, setup.geometry.members) {
  if (setup_.failure) {
    mirrors_[setup_.failure->member].readable = false;
    if (setup_.failure->present) pace_.emplace(setup_.rebuild, setup_.geometry.members);
  }
}

std::optional<replay::Player::Done> ArrayPlayer::next_by(Nanoseconds time_ns) {
  while (done_.empty()) {
    const std::optional<Nanoseconds> event_ns = next_event();
    if (!event_ns || *event_ns > time_ns) return std::nullopt;
    step(*event_ns);
  }
  return next();
}

replay::Player::Done ArrayPlayer::next() {
  while (done_.empty()) step(*next_event());
  const Done done = done_.front();
  done_.pop_front();
  return done;
}

void ArrayPlayer::issue(std::uint64_t number, Nanoseconds time_ns) {
  if (rebuilds() && !begun_) begin_rebuild(time_ns);
  const std::uint32_t request = new_request(number, time_ns);
  if (setup_.geometry.level == Level::raid1)
    prepared_.write ? write_or_hold(request) : read_mirror(request);
  else if (setup_.geometry.level == Level::raid0 || (!prepared_.write && !setup_.failure))
    issue_pieces(request);
  else
    bring_to_stripes(request);
  settle(time_ns);
}

std::uint32_t ArrayPlayer::new_request(std::uint64_t number, Nanoseconds time_ns) {
  if (free_requests_.empty()) {
    free_requests_.push_back(static_cast<std::uint32_t>(requests_.size()));
    requests_.emplace_back();
  }
  const std::uint32_t place = free_requests_.back();
  free_requests_.pop_back();
  requests_[place] = {
      .number = number, .issue_ns = time_ns, .lbn = prepared_.lbn, .blocks = prepared_.blocks};
  return place;
}

void ArrayPlayer::end_part(std::uint32_t place, bool media, Nanoseconds now_ns) {
  Outstanding& request = requests_[place];
  request.media |= media;
  if (--request.parts_left > 0) return;
  if (setup_.geometry.level == Level::raid1 && rebuilds()) barriers_.end_request(request.lbn);
  done_.push_back({.number = request.number,
                   .issue_ns = request.issue_ns,
                   .response_ns = now_ns - request.issue_ns,
                   .media = request.media});
  free_requests_.push_back(place);
}

void ArrayPlayer::issue_pieces(std::uint32_t request) {
  pieces_of(setup_.geometry, prepared_.lbn, prepared_.blocks, pieces_);
  requests_[request].parts_left = static_cast<std::uint32_t>(pieces_.size());
  for (const Piece& piece : pieces_)
    members_.add({piece.member, piece.lbn, piece.blocks, prepared_.write,
                  ticket_of(Owner::request, request)});
}

void ArrayPlayer::read_mirror(std::uint32_t request) {
  if (rebuilds()) {
    barriers_.begin_request(prepared_.lbn, false);
    mirrors_[setup_.failure->member].readable = in_step(prepared_.lbn + prepared_.blocks);
  }
  const std::uint32_t member = choose(mirrors_, prepared_.lbn, setup_.balance);
  Mirror& mirror = mirrors_[member];
  ++mirror.pending;
  mirror.next_read = prepared_.lbn + prepared_.blocks;
  requests_[request].parts_left = 1;
  members_.add(
      {member, prepared_.lbn, prepared_.blocks, false, ticket_of(Owner::request, request)});
}

void ArrayPlayer::write_or_hold(std::uint32_t request) {
  if (write_mirrors(request)) return;
  barriers_.hold(requests_[request].lbn);
  held_.push_back(request);
}

bool ArrayPlayer::write_mirrors(std::uint32_t request) {
  Outstanding& written = requests_[request];
  if (rebuilds() && !barriers_.begin_request(written.lbn, true)) return false;
  for (std::uint32_t i = 0; i < mirrors_.size(); ++i) {
    if (setup_.failure && setup_.failure->member == i && !setup_.failure->present) continue;
    ++mirrors_[i].pending;
    ++written.parts_left;
    members_.add({i, written.lbn, written.blocks, true, ticket_of(Owner::request, request)});
  }
  return true;
}

void ArrayPlayer::bring_to_stripes(std::uint32_t request) {
  pieces_of(setup_.geometry, prepared_.lbn, prepared_.blocks, pieces_);
  const std::size_t before = waiting_.size();
  for (const Piece& piece : pieces_)
    for (std::uint64_t lbn = piece.lbn; lbn < piece.lbn + piece.blocks;) {
      const auto first = static_cast<std::uint32_t>(lbn % page_blocks_);
      const auto end = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(page_blocks_, first + (piece.lbn + piece.blocks - lbn)));
      waiting_.push_back(
          {lbn / page_blocks_, piece.member, {request, first, end}, prepared_.write});
      lbn += end - first;
    }
  std::stable_sort(waiting_.begin() + static_cast<std::ptrdiff_t>(before), waiting_.end(),
                   [](const PagePart& a, const PagePart& b) { return a.stripe < b.stripe; });
  requests_[request].parts_left = static_cast<std::uint32_t>(waiting_.size() - before);
  bring_waiting();
}

// All parts of a stripe go there together. A request for whose stripe there is no place waits with
// the rest, and holds up no other.
void ArrayPlayer::bring_waiting() {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const std::uint32_t request = at->part.request;
    const auto of_others = [&](const PagePart& part) { return part.part.request != request; };
    const std::uint64_t number = at->stripe;
    const std::uint32_t slot = at->waits ? stripes_.take_at_last(number) : stripes_.take(number);
    if (slot == StripeCache::kNone) {
      at->waits = true;
      at = std::find_if(at, waiting_.end(), of_others);
      continue;
    }
    Stripe& stripe = stripes_[slot].stripe;
    stripe.parity = parity_member(setup_.geometry,
                                  number * page_blocks_ / setup_.geometry.chunk_blocks);
    const auto end = std::find_if(at, waiting_.end(), [&](const PagePart& part) {
      return of_others(part) || part.stripe != number;
    });
    for (auto part = at; part != end; ++part) {
      Page& page = stripe.pages[part->member];
      (part->write ? page.to_write : page.to_read).push_back(part->part);
    }
    at = waiting_.erase(at, end);
    touched_.push_back(slot);
  }
}

std::optional<Nanoseconds> ArrayPlayer::next_event() const {
  std::optional<Nanoseconds> event_ns = members_.next_time();
  const std::optional<Nanoseconds> wakes_ns = rebuilds() ? pace_->wakes_ns() : std::nullopt;
  if (wakes_ns && (!event_ns || *wakes_ns < *event_ns)) return wakes_ns;
  return event_ns;
}

void ArrayPlayer::step(Nanoseconds time_ns) {
  if (rebuilds() && pace_->wakes_ns() == time_ns)
    pace_->wake();
  else
    take(members_.next());
  settle(time_ns);
}

void ArrayPlayer::take(const Members::Ended& ended) {
  if (rebuilds()) pace_->ended(ended.member, std::uint64_t{ended.blocks} * setup_.block_bytes);
  for (const std::uint64_t ticket : ended.tickets) {
    const std::uint32_t place = place_of(ticket);
    switch (owner_of(ticket)) {
      case Owner::request: {
        const Outstanding& request = requests_[place];
        if (setup_.geometry.level == Level::raid1) {
          --mirrors_[ended.member].pending;
          mirrors_[ended.member].head = request.lbn + request.blocks;
        }
        end_part(place, ended.media, ended.time_ns);
        break;
      }
      case Owner::stripe: {
        StripeCache::Slot& slot = stripes_[place];
        slot.media |= ended.media;
        if (--slot.under_way == 0) touched_.push_back(place);
        break;
      }
      case Owner::copy_read:
      case Owner::copy_write:
        take_copy(ticket, ended);
        break;
      case Owner::superblock:
        --checkpoint_.superblocks_left;
        break;
    }
  }
}

void ArrayPlayer::take_copy(std::uint64_t ticket, const Members::Ended& ended) {
  const std::uint32_t place = place_of(ticket);
  const Copy& copy = copies_.all[place];
  mirrors_[ended.member].head = copy.lbn + copy.blocks;
  if (owner_of(ticket) == Owner::copy_write) {
    for (Mirror& mirror : mirrors_) --mirror.pending;
    copies_.free.push_back(place);
    barriers_.end_copy(copy.lbn);
    rebuilt(copy.blocks);
    return;
  }
  copies_.read.push_back(place);
}

// All that follows at this time.
void ArrayPlayer::settle(Nanoseconds now_ns) {
  do {
    run_thread(now_ns);
  } while (rebuilds() && ask_for_window(now_ns));
  issue_held();
  members_.flush(now_ns, Members::From::no_plug);
  stripes_.grow_if_scarce();
}

// Writes that waited for copies in their region; the rebuild has looked first.
void ArrayPlayer::issue_held() {
  std::erase_if(held_, [this](std::uint32_t request) {
    if (!write_mirrors(request)) return false;
    barriers_.let_go(requests_[request].lbn);
    return true;
  });
}

// md's thread for the array (raid1d(), raid5d()). Superblocks come first, and it waits for them.
void ArrayPlayer::run_thread(Nanoseconds now_ns) {
  members_.flush(now_ns, Members::From::no_plug);  // what requests brought
  if (checkpoint_.superblocks_due && !(copies_.read.empty() && touched_.empty()))
    write_superblocks(now_ns);
  if (checkpoint_.superblocks_left > 0) return;
  write_copies();
  while (look_at_stripes(now_ns)) {
  }
  members_.flush(now_ns);
}

// (md_update_sb())
void ArrayPlayer::write_superblocks(Nanoseconds now_ns) {
  checkpoint_.superblocks_due = false;
  checkpoint_.in_step_to = checkpoint_.block;
  for (std::uint32_t i = 0; i < setup_.geometry.members; ++i)
    members_.add({i, setup_.superblocks[i], 1, true, ticket_of(Owner::superblock, i)});
  checkpoint_.superblocks_left = setup_.geometry.members;
  members_.flush(now_ns, Members::From::no_plug);
}

void ArrayPlayer::write_copies() {
  for (const std::uint32_t place : copies_.read) {
    const Copy& copy = copies_.all[place];
    const std::uint32_t target = setup_.failure->member;
    pace_->issued(target, std::uint64_t{copy.blocks} * setup_.block_bytes);
    members_.add({target, copy.lbn, copy.blocks, true, ticket_of(Owner::copy_write, place)});
  }
  copies_.read.clear();
}

bool ArrayPlayer::look_at_stripes(Nanoseconds now_ns) {
  if (touched_.empty()) return false;
  std::vector<std::uint32_t> slots;
  slots.swap(touched_);
  for (const std::uint32_t slot : slots) look_at(slot, now_ns);
  bring_waiting();
  return true;
}

void ArrayPlayer::look_at(std::uint32_t place, Nanoseconds now_ns) {
  StripeCache::Slot& slot = stripes_[place];
  if (slot.under_way > 0 || slot.is_idle) return;
  const bool syncs = slot.stripe.sync_wanted;
  const bool is_whole = rebuilds() && in_step((slot.stripe.number + 1) * page_blocks_);
  handle(slot.stripe, page_blocks_, is_whole ? std::nullopt : setup_.failure, handled_);
  for (const std::uint32_t request : handled_.ended) end_part(request, slot.media, now_ns);
  for (const PageAccess& access : handled_.accesses) {
    members_.add({access.member, slot.stripe.number * page_blocks_, page_blocks_, access.write,
                  ticket_of(Owner::stripe, place)});
    if (syncs) pace_->issued(access.member, std::uint64_t{page_blocks_} * setup_.block_bytes);
  }
  slot.under_way = static_cast<std::uint32_t>(handled_.accesses.size());
  if (handled_.synced) rebuilt(page_blocks_);
  if (slot.under_way == 0) {
    slot.media = false;
    if (!slot.stripe.busy() && taken_ != place) stripes_.release(place);
  }
}

// A spare that takes a place in the array is noted in the superblocks; they are written when all
// that may be asked for at once was asked for (remove_and_add_spares(), md_start_sync()).
void ArrayPlayer::begin_rebuild(Nanoseconds now_ns) {
  begun_ = true;
  checkpoint_.at_ns = now_ns;
  pace_->begin(now_ns);
  while (ask_for_window(now_ns)) {
  }
  write_superblocks(now_ns);
}

// Asks for what the rebuild may ask for until it waits; whether that was anything. Only then md's
// thread looks at the stripes, and the pieces of a mirror leave the plug.
bool ArrayPlayer::ask_for_window(Nanoseconds now_ns) {
  const bool mirror = setup_.geometry.level == Level::raid1;
  bool any = false;
  while (rebuild_at_ < setup_.geometry.member_blocks &&
         pace_->turn(now_ns) == RebuildPace::Turn::ask && !waits_for_checkpoint(now_ns)) {
    const auto blocks = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(mirror ? kCopyBytes / setup_.block_bytes : page_blocks_,
                                setup_.geometry.member_blocks - rebuild_at_));
    if (!(mirror ? ask_for_copy(blocks, now_ns) : ask_for_stripe(now_ns))) break;
    any = true;
    rebuild_at_ += blocks;
    pace_->asked(std::uint64_t{blocks} * setup_.block_bytes);
  }
  members_.flush(now_ns, Members::From::plug_of_sleeper);
  return any;
}

// Each sixteenth of a member and each ten minutes, when all that was asked for is done, the
// superblocks say how far it came (md_do_sync()).
bool ArrayPlayer::waits_for_checkpoint(Nanoseconds now_ns) {
  if (rebuild_at_ - checkpoint_.block <= setup_.geometry.member_blocks / kCheckpoints &&
      now_ns < checkpoint_.at_ns + kCheckpointEach)
    return false;
  if (!pace_->nothing_is_active()) return true;
  checkpoint_.block = rebuild_at_;
  checkpoint_.at_ns = now_ns;
  checkpoint_.superblocks_due = true;
  return false;
}

bool ArrayPlayer::ask_for_copy(std::uint32_t blocks, Nanoseconds now_ns) {
  const Barriers::Copy turn = barriers_.begin_copy(rebuild_at_);
  if (turn == Barriers::Copy::gives_way_for_a_tick) pace_->sleep_for_a_tick(now_ns);
  if (turn != Barriers::Copy::begins) return false;
  if (copies_.free.empty()) {
    copies_.free.push_back(static_cast<std::uint32_t>(copies_.all.size()));
    copies_.all.emplace_back();
  }
  const std::uint32_t place = copies_.free.back();
  copies_.free.pop_back();
  copies_.all[place] = {rebuild_at_, blocks};
  const std::uint32_t source = setup_.failure->member == 0 ? 1 : 0;  // the first that is in step
  for (Mirror& mirror : mirrors_) ++mirror.pending;  // until the copy is made, on all members
  pace_->issued(source, std::uint64_t{blocks} * setup_.block_bytes);
  members_.add({source, rebuild_at_, blocks, false, ticket_of(Owner::copy_read, place)});
  return true;
}

// Where there is no stripe it waits for one, and when it has it, gives way for a tick before it
// asks (raid5_sync_request()).
bool ArrayPlayer::ask_for_stripe(Nanoseconds now_ns) {
  if (!taken_) {
    const std::uint64_t number = rebuild_at_ / page_blocks_;
    const std::uint32_t slot = lacks_stripe_ ? stripes_.take_at_last(number)
                                             : stripes_.take(number);
    if (slot == StripeCache::kNone) {
      lacks_stripe_ = true;
      return false;
    }
    taken_ = slot;
    if (std::exchange(lacks_stripe_, false)) {
      pace_->sleep_for_a_tick(now_ns);
      return false;
    }
  }
  const std::uint32_t slot = *std::exchange(taken_, std::nullopt);
  Stripe& stripe = stripes_[slot].stripe;
  stripe.parity = parity_member(setup_.geometry, rebuild_at_ / setup_.geometry.chunk_blocks);
  stripe.sync_wanted = true;
  stripe.in_step = false;
  touched_.push_back(slot);
  return true;
}

void ArrayPlayer::rebuilt(std::uint64_t blocks) {
  rebuilt_blocks_ += blocks;
  pace_->done(blocks * setup_.block_bytes);
  if (rebuilt_blocks_ < setup_.geometry.member_blocks) return;
  mirrors_[setup_.failure->member].readable = true;
  setup_.failure.reset();
  pace_.reset();
}

}  // namespace platter::array
