#include "drive.h"

#include <signal.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pattern.h"
#include "scsi/bytes.h"
#include "small_drives.h"

namespace trust {
namespace {

using platter::scsi::Command;
using platter::scsi::Completion;
using platter::scsi::Direction;
using platter::scsi::get_be;
using platter::scsi::get_be16;
using platter::scsi::put_be;
using platter::scsi::Status;

constexpr std::uint8_t kRequestSense = 0x03, kInquiry = 0x12, kReportLuns = 0xa0,
                       kModeSelect6 = 0x15, kModeSelect10 = 0x55, kServiceActionIn = 0x9e,
                       kSynchronize10 = 0x35, kSynchronize16 = 0x91;
constexpr std::uint16_t kCaching = 0x08;
constexpr std::uint8_t kForced = 0x08;  // FUA in READ and WRITE (10) to (16)
constexpr double kDestaged_ns = 30e6;   // mean time that a written block waits in the cache

bool is_read(std::uint8_t opcode) { return opcode == 0x08 || opcode == 0x28 || opcode == 0x88; }
bool is_write(std::uint8_t opcode) { return opcode == 0x0a || opcode == 0x2a || opcode == 0x8a; }
bool is_verify(std::uint8_t opcode) { return opcode == 0x2f || opcode == 0x8f; }
bool is_select(std::uint8_t opcode) { return opcode == kModeSelect6 || opcode == kModeSelect10; }
bool is_sync(std::uint8_t opcode) { return opcode == kSynchronize10 || opcode == kSynchronize16; }
bool always_answered(std::uint8_t opcode) {
  return opcode == kInquiry || opcode == kReportLuns || opcode == kRequestSense;
}

Command test_unit_ready() {
  Command command;
  command.cdb_length = 6;
  return command;
}

std::string hex(const Page& bytes) {
  static const char* const kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  return text;
}

Page unhex(const std::string& text) {
  Page bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

Json pages_json(const Pages& pages) {
  Json json = Json::object();
  for (const auto& [code, page] : pages) json[std::to_string(code)] = hex(page);
  return json;
}

Pages pages_from(const Json& json) {
  Pages pages;
  for (const auto& [code, page] : json.items())
    pages[static_cast<std::uint16_t>(std::stoi(code))] = unhex(page);
  return pages;
}

// The pages of a parameter list, or of a reply, behind header and block descriptors.
Pages pages_in(const Page& data, bool short_form) {
  const std::size_t header = short_form ? 4 : 8;
  if (data.size() < header) return {};
  std::size_t at = header + (short_form ? data[3] : get_be16(&data[6]));
  Pages pages;
  while (at + 2 <= data.size()) {
    const bool subpage = data[at] & 0x40;
    if (subpage && at + 4 > data.size()) break;
    const std::size_t length = subpage ? 4u + get_be16(&data[at + 2]) : 2u + data[at + 1];
    if (at + length > data.size()) break;
    Page page(data.begin() + static_cast<std::ptrdiff_t>(at),
              data.begin() + static_cast<std::ptrdiff_t>(at + length));
    page[0] &= 0x7f;
    const auto code = static_cast<std::uint16_t>((page[0] & 0x3f) | (subpage ? page[1] << 8 : 0));
    pages[code] = std::move(page);
    at += length;
  }
  return pages;
}

const char* name_of(Obeys obeys) {
  return obeys == Obeys::yes ? "yes" : obeys == Obeys::refuses ? "refuses" : "lies";
}

Obeys obeys_from(const std::string& name) {
  return name == "yes" ? Obeys::yes : name == "refuses" ? Obeys::refuses : Obeys::lies;
}

}  // namespace

Json Build::to_json() const {
  Json json;
  json["drive"] = drive;
  json["seed"] = seed;
  if (serial) json["serial"] = *serial;
  json["has_serial"] = has_serial;
  json["garbage"] = torn == Torn::garbage;
  json["synchronize"] = name_of(synchronize);
  json["forced_reads"] = name_of(forced_reads);
  json["forced_writes"] = name_of(forced_writes);
  json["verifies"] = verifies;
  json["descriptor_sense"] = descriptor_sense;
  json["lowest_aligned"] = lowest_aligned;
  if (write_cache) json["write_cache"] = *write_cache;
  return json;
}

Build Build::from_json(const Json& json) {
  Build build;
  build.drive = json.at("drive");
  build.seed = json.at("seed");
  if (json.contains("serial")) build.serial = json.at("serial").get<std::string>();
  build.has_serial = json.at("has_serial");
  build.torn = json.at("garbage") ? Torn::garbage : Torn::unreadable;
  build.synchronize = obeys_from(json.at("synchronize"));
  build.forced_reads = obeys_from(json.at("forced_reads"));
  build.forced_writes = obeys_from(json.at("forced_writes"));
  build.verifies = json.at("verifies");
  build.descriptor_sense = json.at("descriptor_sense");
  build.lowest_aligned = json.at("lowest_aligned");
  if (json.contains("write_cache")) build.write_cache = json.at("write_cache").get<bool>();
  return build;
}

Json State::to_json() const {
  return {{"build", build.to_json()},
          {"starts", starts},
          {"power_losses", power_losses},
          {"powered", powered},
          {"contents", contents},
          {"other", other},
          {"at_first", pages_json(at_first)},
          {"saved", pages_json(saved)},
          {"current", pages_json(current)}};
}

State State::from_json(const Json& json) {
  State state;
  state.build = Build::from_json(json.at("build"));
  state.starts = json.at("starts");
  state.power_losses = json.at("power_losses");
  state.powered = json.at("powered");
  state.contents = json.at("contents");
  state.other = json.at("other");
  state.at_first = pages_from(json.at("at_first"));
  state.saved = pages_from(json.at("saved"));
  state.current = pages_from(json.at("current"));
  return state;
}

// What was decided about a command when it came.
struct AttackedDrive::InFlight {
  enum class Effect : std::uint8_t {
    normal,
    none,
    torn,
    garbled,
    garbled_below_cache,
    arrived,
    half
  };

  Command command{};
  Nature nature{};
  bool forced = false;  // FUA, and the drive obeys it
  bool immediate = false;
  std::optional<Status> status{};
  Bytes sense_data{};
  Effect effect = Effect::normal;
  bool not_fetched = false, lies = false, half_residual = false, malformed = false;
  bool power_goes = false, vanishes = false, host_dies = false;
  std::optional<Kind> deferred{};
};

// A cached write that will not get to the media.
struct AttackedDrive::Deferred {
  std::uint64_t lbn = 0;
  Bytes sense_data{};
  int commands_left = 0;
};

AttackedDrive::AttackedDrive(State& state, std::vector<Fault> faults, Log& log, int host)
    : state_(state), faults_(std::move(faults)), log_(log), host_(host) {
  ++state_.starts;
  const Build& build = state_.build;
  random_.seed(mix(mix(build.seed) ^ state_.starts));
  platter::model::DriveModel model = model_of(build.drive, build.lowest_aligned);
  if (build.serial) model.identity.serial = *build.serial;
  device_ = std::make_unique<platter::virtual_drive::VirtualDevice>(model, "trust");
  Geometry geometry;
  geometry.blocks = model.identity.blocks == 0
                        ? device_->layout().blocks()
                        : std::min(model.identity.blocks, device_->layout().blocks());
  geometry.block_bytes = model.identity.block_bytes;
  geometry.per_physical = std::max(
      1u, model.identity.physical_block_bytes / model.identity.block_bytes);
  geometry.lowest_aligned = build.lowest_aligned;
  contents_ = std::make_unique<Contents>(geometry, build.seed, build.torn);
  other_ = std::make_unique<Contents>(geometry, mix(build.seed), build.torn);
  if (!state_.contents.is_null()) contents_->from_json(state_.contents);
  if (!state_.other.is_null()) other_->from_json(state_.other);
  power_up();
  log_.line({{"event", "start"}, {"start", state_.starts}, {"powered", state_.powered}});
  state_.powered = true;
}

AttackedDrive::~AttackedDrive() = default;

// The virtual drive was just built; a drive that was on has the settings that it had, and says
// nothing.
void AttackedDrive::power_up() {
  execute(test_unit_ready());
  pages_ = all_pages();
  const bool first = state_.at_first.empty();
  if (first) {
    state_.saved = state_.current = pages_;
    if (state_.build.write_cache && pages_.contains(kCaching)) {
      Page& page = state_.current[kCaching];
      page[2] = static_cast<std::uint8_t>((page[2] & ~0x04) |
                                          (*state_.build.write_cache ? 0x04 : 0));
    }
  }
  if (first || state_.powered) set_pages(state_.current);
  if (first) state_.at_first = pages_;
  if (!state_.powered && !first) attentions_.push_back(sense(6, 0x29, 0x01));
}

// One command behind the host's back; what the virtual drive turns away is sent again.
Completion AttackedDrive::execute(const Command& command) {
  Completion completion;
  for (int i = 0; i < 50; ++i) {
    completion = device_->execute(command).value();
    if (completion.status == Status::good) break;
    advance_to(now_ns() + 1'000'000);
  }
  return completion;
}

Pages AttackedDrive::all_pages() {
  constexpr std::uint16_t kMost = 4096;
  Command command;
  command.cdb = {0x5a, 0x08, 0x3f, 0xff};
  put_be(&command.cdb[7], 2, kMost);
  command.cdb_length = 10;
  command.direction = Direction::from_device;
  command.transfer_length = kMost;
  const Completion completion = execute(command);
  return completion.status == Status::good ? pages_in(completion.data, false) : Pages{};
}

void AttackedDrive::set_pages(const Pages& pages) {
  for (const auto& [code, page] : pages) {
    if (const auto held = pages_.find(code); held != pages_.end() && held->second == page) continue;
    Command command;
    command.data.assign(4, 0);
    command.data.insert(command.data.end(), page.begin(), page.end());
    command.cdb = {kModeSelect6, 0x10, 0, 0, static_cast<std::uint8_t>(command.data.size())};
    command.cdb_length = 6;
    command.direction = Direction::to_device;
    command.transfer_length = static_cast<std::uint32_t>(command.data.size());
    execute(command);
  }
  pages_ = all_pages();
}

std::int64_t AttackedDrive::now_ns() { return device_->clock().now_ns(); }
void AttackedDrive::advance_to(std::int64_t time_ns) { device_->clock().sleep_until_ns(time_ns); }

bool AttackedDrive::write_cache() const {
  const auto page = pages_.find(kCaching);
  return page != pages_.end() && (page->second[2] & 0x04);
}

bool AttackedDrive::read_cache() const {
  const auto page = pages_.find(kCaching);
  return page != pages_.end() && !(page->second[2] & 0x01);
}

Bytes AttackedDrive::sense(std::uint8_t key, std::uint8_t asc, std::uint8_t ascq,
                           std::optional<std::uint64_t> lbn, bool is_deferred,
                           std::optional<bool> descriptor) const {
  if (descriptor.value_or(state_.build.descriptor_sense)) {
    Bytes bytes{static_cast<std::uint8_t>(is_deferred ? 0x73 : 0x72), key, asc, ascq, 0, 0, 0, 0};
    if (lbn) {
      bytes[7] = 12;
      bytes.insert(bytes.end(), {0x00, 0x0a, 0x80, 0x00});
      bytes.resize(20);
      put_be(&bytes[12], 8, *lbn);
    }
    return bytes;
  }
  Bytes bytes(18, 0);
  bytes[0] = is_deferred ? 0x71 : 0x70;
  bytes[2] = key;
  bytes[7] = 10;
  bytes[12] = asc;
  bytes[13] = ascq;
  if (lbn && *lbn <= 0xffffffff) {
    bytes[0] |= 0x80;
    put_be(&bytes[3], 4, *lbn);
  }
  return bytes;
}

Nature AttackedDrive::nature_of(const Command& command) const {
  Nature nature;
  const std::uint8_t* cdb = command.cdb.data();
  const std::uint8_t opcode = cdb[0];
  nature.read = is_read(opcode);
  nature.write = is_write(opcode);
  nature.verify = is_verify(opcode);
  nature.sync = is_sync(opcode);
  nature.select = is_select(opcode);
  nature.media = nature.read || nature.write || nature.verify;
  if (opcode == 0x08 || opcode == 0x0a) {
    nature.lbn = get_be(cdb + 1, 3) & 0x1fffff;
    nature.blocks = cdb[4] == 0 ? 256 : cdb[4];
  } else if (opcode >> 5 == 1) {
    nature.lbn = get_be(cdb + 2, 4);
    nature.blocks = get_be16(cdb + 7);
  } else if (nature.media || nature.sync) {
    nature.lbn = get_be(cdb + 2, 8);
    nature.blocks = static_cast<std::uint32_t>(get_be(cdb + 10, 4));
  }
  const bool asks = opcode >> 5 != 0 && (cdb[1] & kForced);
  nature.cached = nature.write && write_cache() &&
                  !(asks && state_.build.forced_writes == Obeys::yes);
  if (nature.write) {
    const auto before = longest_.find(nature.lbn);
    nature.growing = before != longest_.end() && before->second < nature.blocks;
  }
  return nature;
}

void AttackedDrive::report(const char* event, std::uint64_t lbn, std::uint64_t blocks, Json more) {
  more["event"] = event;
  more["n"] = counts_[Class::any];
  more["t"] = now_ns();
  more["lbn"] = lbn;
  more["blocks"] = blocks;
  log_.line(more);
}

void AttackedDrive::log_torn(const std::vector<std::uint64_t>& blocks) {
  if (!blocks.empty()) log_.line({{"event", "torn"}, {"lbns", blocks}});
}

void AttackedDrive::kill_host(int signal) {
  if (host_ > 1) ::kill(host_, signal);
}

void AttackedDrive::forget_settings() {
  device_->reset();
  execute(test_unit_ready());  // takes the virtual drive's own word of it
  pages_ = all_pages();
}

// Those that act behind every command: only when nothing is outstanding.
void AttackedDrive::act_later(Kind kind) {
  switch (kind) {
    case Kind::reset:
      forget_settings();
      attentions_.push_back(sense(6, 0x29, 0x00));
      break;
    case Kind::parameters_changed:
      forget_settings();
      attentions_.push_back(sense(6, 0x2a, 0x01));
      break;
    case Kind::reset_silent:
      forget_settings();
      break;
    case Kind::replaced:
      log_torn(contents_->lose_cache(random_));
      std::swap(contents_, other_);
      replaced_ = !replaced_;
      forget_settings();
      attentions_.push_back(sense(6, 0x29, 0x01));
      break;
    default:
      break;
  }
}

void AttackedDrive::act(Kind kind, InFlight& flight) {
  const auto refuse = [&](Status status, Bytes bytes = {}) {
    flight.status = status;
    flight.sense_data = std::move(bytes);
    flight.effect = InFlight::Effect::none;
  };
  const auto fail = [&](std::uint8_t key, std::uint8_t asc, std::uint8_t ascq, bool tells_where,
                        InFlight::Effect effect = InFlight::Effect::none) {
    refuse(Status::check_condition,
           sense(key, asc, ascq, tells_where ? std::optional(flight.nature.lbn) : std::nullopt));
    flight.effect = effect;
  };
  using enum InFlight::Effect;
  switch (kind) {
    case Kind::power_loss:
      lose_power();
      throw PowerLost{};
    case Kind::power_loss_before:
      if (flight.nature.write) flight.effect = none;
      lose_power();
      throw PowerLost{};
    case Kind::power_loss_after:
      flight.power_goes = true;
      return;
    case Kind::vanish:
      throw Vanished{};
    case Kind::vanish_after:
      flight.vanishes = true;
      return;
    case Kind::hang:
      throw Hung{};
    case Kind::kill_host:
      kill_host(SIGKILL);
      throw Vanished{};
    case Kind::kill_host_after:
      flight.host_dies = true;
      return;
    case Kind::interrupt_host:
      return kill_host(SIGINT);
    case Kind::terminate_host:
      return kill_host(SIGTERM);
    case Kind::write_medium:
      return fail(3, 0x0c, 0x02, true);
    case Kind::write_medium_torn:
      return fail(3, 0x0c, 0x02, true, torn);
    case Kind::write_medium_arrived:
      return fail(3, 0x0c, 0x02, true, arrived);
    case Kind::write_hardware:
      return fail(4, 0x44, 0x00, false, torn);
    case Kind::write_fault:
      return fail(4, 0x03, 0x00, false, torn);
    case Kind::write_aborted:
      return fail(0xb, 0x47, 0x00, false);
    case Kind::write_aborted_torn:
      return fail(0xb, 0x47, 0x00, false, torn);
    case Kind::write_protect:
      protected_ = true;
      return fail(7, 0x27, 0x00, false);
    case Kind::write_garbled:
      flight.effect = garbled;
      return;
    case Kind::write_garbled_below_cache:
      flight.effect = garbled_below_cache;
      return;
    case Kind::deferred:
    case Kind::deferred_descriptor:
    case Kind::deferred_hardware:
      flight.deferred = kind;
      return;
    case Kind::read_medium: {
      const std::uint64_t lbn = flight.nature.lbn + random_() % std::max(1u, flight.nature.blocks);
      log_.line({{"event", "gone-bad"}, {"lbns", contents_->spoil(lbn, true, random_)}});
      return;
    }
    case Kind::read_medium_once:
      return fail(3, 0x11, 0x00, true);
    case Kind::read_hardware:
      return fail(4, 0x44, 0x00, false);
    case Kind::read_aborted:
      return fail(0xb, 0x47, 0x00, false);
    case Kind::read_recovered:
      flight.sense_data = sense(1, 0x17, 0x01, flight.nature.lbn);
      return;
    case Kind::verify_medium:
      return fail(3, 0x11, 0x00, true);
    case Kind::sync_fails:
      return fail(3, 0x0c, 0x02, false, torn);
    case Kind::sync_lies:
      flight.lies = true;
      return;
    case Kind::select_fails:
      return fail(4, 0x44, 0x00, false);
    case Kind::select_ignored:
      return refuse(Status::good);
    case Kind::busy:
      return refuse(Status::busy);
    case Kind::task_set_full:
      return refuse(Status::task_set_full);
    case Kind::reservation:
      return refuse(Status::reservation_conflict);
    case Kind::unit_attention:
      attentions_.push_back(sense(6, 0x29, 0x00));
      return;
    case Kind::reset:
    case Kind::reset_silent:
    case Kind::parameters_changed:
    case Kind::replaced:
      later_.push_back(kind);
      return;
    case Kind::not_ready:
      return fail(2, 0x04, 0x01, false);
    case Kind::spun_down:
      spun_down_ = true;
      return fail(2, 0x04, 0x02, false);
    case Kind::no_sense:
      flight.not_fetched = true;
      return fail(0xb, 0x47, 0x00, false);
    case Kind::short_transfer:
      flight.effect = half;
      return;
    case Kind::wrong_residual:
      flight.half_residual = true;
      return;
    case Kind::malformed_reply:
      flight.malformed = true;
      return;
    case Kind::lose_block: {
      const auto& fault = *std::ranges::find(faults_, kind, &Fault::kind);
      const std::uint64_t lbn = fault.lbn.value_or(random_() % contents_->geometry().blocks);
      contents_->spoil(lbn, state_.build.torn == Torn::unreadable, random_);
      report("spoilt", lbn, 1);
      return;
    }
  }
}

void AttackedDrive::decide(InFlight& flight) {
  const std::uint8_t opcode = flight.command.opcode();
  const Nature& nature = flight.nature;
  const Build& build = state_.build;
  const auto check = [&](Bytes bytes) {
    flight.status = Status::check_condition;
    flight.sense_data = std::move(bytes);
    flight.effect = InFlight::Effect::none;
  };
  const bool asks = opcode >> 5 != 0 && (nature.read || nature.write) &&
                    (flight.command.cdb[1] & kForced);
  const Obeys obeys = nature.read ? build.forced_reads : build.forced_writes;
  flight.forced = asks && obeys == Obeys::yes;
  flight.immediate = nature.sync && (flight.command.cdb[1] & 0x02);
  flight.lies = nature.sync && build.synchronize == Obeys::lies;

  for (Fault& fault : faults_) {
    Nature seen = nature;
    if (fault.kind == Kind::lose_block) seen.blocks = 0;
    const auto lbn = fault.kind == Kind::lose_block ? std::exchange(fault.lbn, std::nullopt)
                                                    : std::nullopt;
    const bool fires = fault.fires(seen, random_);
    if (lbn) fault.lbn = lbn;
    if (!fires) continue;
    report("fault", nature.lbn, nature.blocks,
           {{"kind", kind_of(fault.kind).name}, {"opcode", opcode}});
    act(fault.kind, flight);
  }
  if (flights_.size() == 1)  // this one
    for (const Kind kind : std::exchange(later_, {})) act_later(kind);

  if (always_answered(opcode)) {
    flight.status.reset();
    const auto& cdb = flight.command.cdb;
    if (opcode == kInquiry && (cdb[1] & 1) && cdb[2] == 0x80 && !build.has_serial)
      check(sense(5, 0x24, 0x00));
    return;
  }
  if (!attentions_.empty()) {
    check(attentions_.front());
    attentions_.erase(attentions_.begin());
    return;
  }
  if (deferred_ && (--deferred_->commands_left <= 0 || nature.sync)) {
    contents_->spoil(deferred_->lbn, build.torn == Torn::unreadable, random_);
    report("deferred-error", deferred_->lbn, 1);
    check(std::exchange(deferred_, nullptr)->sense_data);
    return;
  }
  if (flight.status) return;
  if (spun_down_ && (nature.media || nature.sync || opcode == 0x00))
    return check(sense(2, 0x04, 0x02));
  if (protected_ && nature.write) return check(sense(7, 0x27, 0x00));
  if (asks && obeys == Obeys::refuses) return check(sense(5, 0x24, 0x00));
  if (nature.sync && build.synchronize == Obeys::refuses) return check(sense(5, 0x20, 0x00));
  if (nature.verify && (!build.verifies || (flight.command.cdb[1] & 0x06)))
    return check(sense(5, build.verifies ? 0x24 : 0x20, 0x00));
}

// What the virtual drive is asked, for its time.
Command AttackedDrive::forwarded(const InFlight& flight) const {
  if (flight.status && !flight.nature.media) return test_unit_ready();
  if (flight.status && (*flight.status != Status::check_condition || flight.sense_data.size() < 3 ||
                        flight.nature.verify))
    return test_unit_ready();
  Command command = flight.command;
  if (flight.nature.verify) {
    constexpr std::uint32_t kMost = 64;
    command.cdb = {};
    command.cdb[0] = 0x28;
    command.cdb[1] = kForced;
    put_be(&command.cdb[2], 4, flight.nature.lbn);
    put_be(&command.cdb[7], 2, std::min(kMost, flight.nature.blocks));
    command.cdb_length = 10;
    command.direction = Direction::none;
    command.transfer_length = 0;
    command.data.clear();
    return command;
  }
  const bool asks = command.opcode() >> 5 != 0 && (flight.nature.read || flight.nature.write);
  if (asks && !flight.forced) command.cdb[1] &= static_cast<std::uint8_t>(~kForced);
  return command;
}

void AttackedDrive::submit(const Command& command, std::uint32_t tag) {
  if (flights_.contains(tag)) throw std::invalid_argument("a tag is used twice");
  contents_->destage(now_ns(), random_);
  InFlight& flight = flights_[tag];
  flight.command = command;
  flight.nature = nature_of(command);
  for (const Class of : {Class::any, Class::media, Class::read, Class::write, Class::cached,
                         Class::growing, Class::sync, Class::verify, Class::select})
    if (flight.nature.is(of)) ++counts_[of];
  const Nature& nature = flight.nature;
  if (nature.write)
    report("write", nature.lbn, nature.blocks,
           {{"fua", bool(command.cdb[1] & kForced)},
            {"cached", nature.cached},
            {"growing", nature.growing}});
  if (nature.sync) report("sync", nature.lbn, nature.blocks);
  if (nature.select)
    log_.line({{"event", "select"}, {"n", counts_[Class::any]}, {"data", hex(command.data)}});
  decide(flight);
  if (nature.write) {
    auto& longest = longest_[nature.lbn];
    longest = std::max(longest, nature.blocks);
  }
  if (auto sent = device_->submit(forwarded(flight), tag); !sent)
    throw std::runtime_error(sent.error().sentence);
}

void AttackedDrive::finish_read(InFlight& flight, Completion& completion) {
  const bool media = flight.forced || !read_cache();
  const Nature& nature = flight.nature;
  // A read of the media brings there first what waits in the cache.
  if (media) contents_->flush(nature.lbn, nature.blocks);
  Bytes bytes = contents_->read(nature.lbn, nature.blocks, media);
  const std::size_t whole = std::size_t{nature.blocks} * contents_->geometry().block_bytes;
  if (bytes.size() < whole) {
    const std::uint64_t bad = nature.lbn + bytes.size() / contents_->geometry().block_bytes;
    completion.status = Status::check_condition;
    completion.sense = sense(3, 0x11, 0x00, bad);
    report("unreadable", bad, 1);
  }
  if (flight.effect == InFlight::Effect::half)
    bytes.resize(nature.blocks / 2 * contents_->geometry().block_bytes);
  if (flight.command.direction != Direction::from_device) bytes.clear();
  if (bytes.size() > flight.command.transfer_length) bytes.resize(flight.command.transfer_length);
  completion.data = std::move(bytes);
  completion.residual = flight.command.transfer_length -
                        static_cast<std::uint32_t>(completion.data.size());
  if (!flight.sense_data.empty() && completion.status == Status::good) {
    completion.status = Status::check_condition;
    completion.sense = flight.sense_data;
  }
}

void AttackedDrive::finish_write(InFlight& flight, Completion& completion) {
  const Nature& nature = flight.nature;
  std::span<const std::uint8_t> bytes(flight.command.data);
  const auto arrive = [&](std::span<const std::uint8_t> what) {
    if (nature.cached) {
      std::exponential_distribution<> waits(1 / kDestaged_ns);
      // Physical blocks go out of the cache in any order.
      for (std::uint64_t lbn = nature.lbn; !what.empty(); ++lbn) {
        contents_->write_cached(lbn, what.first(contents_->geometry().block_bytes),
                                now_ns() + static_cast<std::int64_t>(waits(random_)));
        what = what.subspan(contents_->geometry().block_bytes);
      }
    } else {
      contents_->write(nature.lbn, what);
    }
  };
  const std::uint64_t victim = nature.lbn + random_() % std::max(1u, nature.blocks);
  switch (flight.effect) {
    case InFlight::Effect::none:
      break;
    case InFlight::Effect::normal:
    case InFlight::Effect::arrived:
      arrive(bytes);
      break;
    case InFlight::Effect::torn:
      log_torn(contents_->tear_one(nature.lbn, bytes, random_));
      break;
    case InFlight::Effect::garbled:
      contents_->write(nature.lbn, bytes);
      contents_->spoil(victim, false, random_);
      report("spoilt", victim, 1);
      break;
    case InFlight::Effect::garbled_below_cache:
      contents_->write(nature.lbn, bytes);
      contents_->spoil_below_cache(victim, random_);
      report("spoilt", victim, 1);
      break;
    case InFlight::Effect::half: {
      const std::size_t half = nature.blocks / 2 * std::size_t{contents_->geometry().block_bytes};
      arrive(bytes.first(half));
      completion.residual = flight.command.transfer_length - static_cast<std::uint32_t>(half);
      break;
    }
  }
  if (flight.half_residual) completion.residual = flight.command.transfer_length / 2;
  if (!flight.deferred || deferred_) return;
  deferred_ = std::make_unique<Deferred>();
  deferred_->lbn = victim;
  deferred_->commands_left = static_cast<int>(1 + random_() % 30);
  const bool hardware = *flight.deferred == Kind::deferred_hardware;
  deferred_->sense_data = sense(hardware ? 4 : 3, hardware ? 0x44 : 0x0c, hardware ? 0 : 2, victim,
                                true, *flight.deferred == Kind::deferred_descriptor);
}

void AttackedDrive::finish_sync(InFlight& flight) {
  if (flight.lies) return;
  if (flight.effect == InFlight::Effect::none) return;
  const auto& nature = flight.nature;
  const std::uint64_t blocks = nature.blocks == 0
                                   ? contents_->geometry().blocks -
                                         std::min(nature.lbn, contents_->geometry().blocks)
                                   : nature.blocks;
  if (flight.effect == InFlight::Effect::torn) {
    const auto victim = contents_->any_dirty(nature.lbn, blocks, random_);
    contents_->flush(nature.lbn, blocks);
    if (victim) {
      contents_->spoil(*victim, state_.build.torn == Torn::unreadable, random_);
      report("spoilt", *victim, 1);
    }
    return;
  }
  contents_->flush(nature.lbn, blocks);
}

void AttackedDrive::finish_verify(InFlight& flight, Completion& completion) {
  const Nature& nature = flight.nature;
  completion.data.clear();
  completion.residual = 0;
  contents_->flush(nature.lbn, nature.blocks);
  if (const auto bad = contents_->first_unreadable(nature.lbn, nature.blocks)) {
    completion.status = Status::check_condition;
    completion.sense = sense(3, 0x11, 0x00, *bad);
    report("unreadable", *bad, 1);
  }
}

void AttackedDrive::finish_select(const InFlight& flight) {
  for (auto& [code, page] : pages_in(flight.command.data, flight.command.opcode() == kModeSelect6))
    pages_[code] = page;
  if (!write_cache()) contents_->flush();
  if (!read_cache()) contents_->forget_clean();
}

// INQUIRY and READ CAPACITY of another drive than the virtual one.
void AttackedDrive::change_what_is_told(const InFlight& flight, Completion& completion) const {
  const auto& cdb = flight.command.cdb;
  Bytes& data = completion.data;
  if (cdb[0] == kInquiry && (cdb[1] & 1) && data.size() > 4) {
    if (cdb[2] == 0x80 && replaced_) data.back() = data.back() == 'Z' ? 'Y' : 'Z';
    if (cdb[2] == 0x00 && !state_.build.has_serial)
      std::ranges::replace(data, std::uint8_t{0x80}, std::uint8_t{0x83});
  }
  if (cdb[0] == kServiceActionIn && (cdb[1] & 0x1f) == 0x10 && data.size() >= 16 &&
      state_.build.lowest_aligned != 0)
    put_be(&data[14], 2, (data[14] & 0xc0u) << 8 | state_.build.lowest_aligned);
}

Done AttackedDrive::finish(Completion completion) {
  const auto found = flights_.find(completion.tag);
  InFlight flight = std::move(found->second);
  flights_.erase(found);
  const Nature& nature = flight.nature;
  contents_->destage(now_ns(), random_);
  if (flight.status) {
    completion.status = *flight.status;
    completion.sense = flight.sense_data;
    completion.data.clear();
    completion.residual = flight.command.transfer_length;
    if (nature.write) finish_write(flight, completion);
    if (nature.sync) finish_sync(flight);
    if (flight.not_fetched) unfetched_ = std::exchange(completion.sense, {});
  } else if (completion.status == Status::good) {
    if (nature.read) finish_read(flight, completion);
    if (nature.write) finish_write(flight, completion);
    if (nature.sync) finish_sync(flight);
    if (nature.verify) finish_verify(flight, completion);
    if (nature.select) finish_select(flight);
    change_what_is_told(flight, completion);
    if (flight.command.opcode() == kRequestSense && unfetched_) {
      completion.data = *std::exchange(unfetched_, std::nullopt);
      if (completion.data.size() > flight.command.transfer_length)
        completion.data.resize(flight.command.transfer_length);
      completion.residual = flight.command.transfer_length -
                            static_cast<std::uint32_t>(completion.data.size());
    }
  }
  if (flight.power_goes) {
    lose_power();
    throw PowerLost{};
  }
  if (flight.host_dies) kill_host(SIGKILL);
  if (flight.vanishes || flight.host_dies) throw Vanished{};
  return {std::move(completion), flight.malformed};
}

std::optional<Done> AttackedDrive::reap() {
  auto completion = device_->reap().value();
  if (!completion) return std::nullopt;
  return finish(std::move(*completion));
}

std::optional<Done> AttackedDrive::reap_until(std::int64_t time_ns) {
  auto completion = device_->reap_until(time_ns).value();
  if (!completion) return std::nullopt;
  return finish(std::move(*completion));
}

void AttackedDrive::reset() {
  flights_.clear();
  forget_settings();
  attentions_.push_back(sense(6, 0x29, 0x03));
  log_.line({{"event", "host-reset"}});
}

void AttackedDrive::lose_power() {
  log_torn(contents_->lose_cache(random_));
  if (deferred_) contents_->spoil(deferred_->lbn, state_.build.torn == Torn::unreadable, random_);
  deferred_.reset();
  for (auto& [tag, flight] : flights_)
    if (flight.nature.write && flight.effect != InFlight::Effect::none &&
        flight.command.data.size() ==
            std::size_t{flight.nature.blocks} * contents_->geometry().block_bytes)
      log_torn(contents_->tear(flight.nature.lbn, flight.command.data, random_));
  flights_.clear();
  state_.powered = false;
  ++state_.power_losses;
  log_.line({{"event", "power-loss"}, {"n", counts_[Class::any]}, {"t", now_ns()}});
}

void AttackedDrive::drain() {
  flights_.clear();
  while (device_->reap().value()) {
  }
}

void AttackedDrive::save() {
  drain();
  if (deferred_) contents_->spoil(deferred_->lbn, state_.build.torn == Torn::unreadable, random_);
  deferred_.reset();
  if (state_.powered) set_pages({});
  state_.current = state_.powered ? pages_ : state_.saved;
  if (replaced_) std::swap(contents_, other_);
  replaced_ = false;
  state_.contents = contents_->to_json();
  state_.other = other_->to_json();
  Json counts;
  for (const auto& [of, count] : counts_) counts[std::string(name_of(of))] = count;
  log_.line({{"event", "end"},
             {"t", now_ns()},
             {"powered", state_.powered},
             {"counts", counts},
             {"dirty", contents_->dirty()}});
}

}  // namespace trust
