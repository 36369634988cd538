#include "faults.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace trust {
namespace {

constexpr KindOf kKinds[] = {
    {Kind::power_loss, "power-loss", Class::media,
     "the power goes: writes in flight and the cache are old, new or torn"},
    {Kind::power_loss_before, "power-loss-before", Class::media,
     "the power goes before the command begins"},
    {Kind::power_loss_after, "power-loss-after", Class::media,
     "the power goes when it is done, and nobody is told"},
    {Kind::vanish, "vanish", Class::media,
     "the cable is pulled before the command; the drive keeps its power"},
    {Kind::vanish_after, "vanish-after", Class::media,
     "the cable is pulled when the command is done"},
    {Kind::hang, "hang", Class::media, "the command is never answered"},
    {Kind::kill_host, "kill-host", Class::media,
     "the parent process gets SIGKILL before the command"},
    {Kind::kill_host_after, "kill-host-after", Class::media,
     "the parent process gets SIGKILL when the command is done"},
    {Kind::interrupt_host, "interrupt-host", Class::media, "the parent process gets SIGINT"},
    {Kind::terminate_host, "terminate-host", Class::media, "the parent process gets SIGTERM"},
    {Kind::write_medium, "write-medium", Class::write, "3/0C/02, the blocks are as they were"},
    {Kind::write_medium_torn, "write-medium-torn", Class::write,
     "3/0C/02, one physical block is torn"},
    {Kind::write_medium_arrived, "write-medium-arrived", Class::write,
     "3/0C/02, but all has arrived"},
    {Kind::write_hardware, "write-hardware", Class::write, "4/44/00, one physical block is torn"},
    {Kind::write_fault, "write-fault", Class::write,
     "4/03/00, write fault, one physical block is torn"},
    {Kind::write_aborted, "write-aborted", Class::write, "B/47/00, the blocks are as they were"},
    {Kind::write_aborted_torn, "write-aborted-torn", Class::write,
     "B/47/00, one physical block is torn"},
    {Kind::write_protect, "write-protect", Class::write,
     "7/27/00 for this write and all that follow"},
    {Kind::write_garbled, "write-garbled", Class::write,
     "GOOD, but one physical block holds garbage"},
    {Kind::write_garbled_below_cache, "write-garbled-below-cache", Class::write,
     "GOOD, the media hold garbage, the cache what was written"},
    {Kind::deferred, "deferred", Class::cached,
     "GOOD, torn on its way to the media; 71h 3/0C/02 on a later command"},
    {Kind::deferred_descriptor, "deferred-descriptor", Class::cached,
     "the same as 73h, descriptor format"},
    {Kind::deferred_hardware, "deferred-hardware", Class::cached, "the same as 71h 4/44/00"},
    {Kind::read_medium, "read-medium", Class::read,
     "a physical block goes bad, 3/11/00 until it is written"},
    {Kind::read_medium_once, "read-medium-once", Class::read, "3/11/00 this time"},
    {Kind::read_hardware, "read-hardware", Class::read, "4/44/00 this time"},
    {Kind::read_aborted, "read-aborted", Class::read, "B/47/00 this time"},
    {Kind::read_recovered, "read-recovered", Class::read, "1/17/01 with all data"},
    {Kind::verify_medium, "verify-medium", Class::verify, "3/11/00 this time"},
    {Kind::sync_fails, "sync-fails", Class::sync, "3/0C/02, one of what waits is torn"},
    {Kind::sync_lies, "sync-lies", Class::sync, "GOOD, and nothing gets to the media"},
    {Kind::select_fails, "select-fails", Class::select, "4/44/00, the page is as it was"},
    {Kind::select_ignored, "select-ignored", Class::select, "GOOD, and the page is as it was"},
    {Kind::busy, "busy", Class::any, "BUSY"},
    {Kind::task_set_full, "task-set-full", Class::any, "TASK SET FULL"},
    {Kind::reservation, "reservation", Class::any, "RESERVATION CONFLICT"},
    {Kind::unit_attention, "unit-attention", Class::any, "6/29/00, though nothing was lost"},
    {Kind::reset, "reset", Class::any, "the settings are the saved ones again, told by 6/29/00"},
    {Kind::reset_silent, "reset-silent", Class::any,
     "the settings are the saved ones again, and nobody is told"},
    {Kind::parameters_changed, "parameters-changed", Class::any, "the same, told by 6/2A/01"},
    {Kind::not_ready, "not-ready", Class::any, "2/04/01, becoming ready, `count` times"},
    {Kind::spun_down, "spun-down", Class::media,
     "2/04/02 for this media command and all that follow"},
    {Kind::no_sense, "no-sense", Class::media,
     "CHECK CONDITION without sense data, which REQUEST SENSE fetches (B/47/00)"},
    {Kind::short_transfer, "short-transfer", Class::media,
     "GOOD, but the second half was not moved"},
    {Kind::wrong_residual, "wrong-residual", Class::write,
     "GOOD and all written, but the residual says a half"},
    {Kind::malformed_reply, "malformed-reply", Class::media,
     "a reply that the protocol does not allow"},
    {Kind::replaced, "replaced", Class::media,
     "another drive of this type is in its place, told by 6/29/00"},
    {Kind::lose_block, "lose-block", Class::media,
     "a block somewhere is spoilt, and nobody is told (no program can help)"},
};

constexpr std::pair<Class, std::string_view> kClasses[] = {
    {Class::any, "any"},     {Class::media, "media"},   {Class::read, "read"},
    {Class::write, "write"}, {Class::cached, "cached"}, {Class::growing, "growing"},
    {Class::sync, "sync"},   {Class::verify, "verify"}, {Class::select, "select"},
};

[[noreturn]] void fail(const std::string& text, const std::string& what) {
  throw std::invalid_argument(fmt::format("--fault {}: {}", text, what));
}

template <class T>
T number(const std::string& text, std::string_view value) {
  T result{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc{} || end != value.data() + value.size())
    fail(text, fmt::format("'{}' is no number", value));
  return result;
}

}  // namespace

std::span<const KindOf> kinds() { return kKinds; }

const KindOf& kind_of(Kind kind) { return *std::ranges::find(kKinds, kind, &KindOf::kind); }

std::string_view name_of(Class of) {
  return std::ranges::find(kClasses, of, &std::pair<Class, std::string_view>::first)->second;
}

bool Nature::is(Class of) const {
  switch (of) {
    case Class::any:
      return true;
    case Class::media:
      return media;
    case Class::read:
      return read;
    case Class::write:
      return write;
    case Class::cached:
      return cached;
    case Class::growing:
      return growing;
    case Class::sync:
      return sync;
    case Class::verify:
      return verify;
    case Class::select:
      return select;
  }
  return false;
}

// A fault that counts one class and acts on another waits for the next command that it can act on.
bool Fault::fires(const Nature& command, std::mt19937_64& random) {
  const bool touches = !lbn || (command.lbn <= *lbn && *lbn < command.lbn + command.blocks);
  const bool counts = command.is(of) && touches;
  if (counts) ++seen;
  if (count != 0 && fired >= count) return false;
  if (!armed && counts) {
    if (at)
      armed = count == 1 ? seen == *at : seen >= *at;
    else
      armed = std::uniform_real_distribution<>(0, 1)(random) < rate;
  }
  if (!armed || !command.is(kind_of(kind).natural)) return false;
  ++fired;
  armed = false;
  return true;
}

Fault parse_fault(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto kind = std::ranges::find(kKinds, name, &KindOf::name);
  if (kind == std::end(kKinds)) fail(text, "there is no such kind; see --list-faults");
  Fault fault{.kind = kind->kind, .of = kind->natural};
  std::string_view rest = colon == std::string::npos ? std::string_view{}
                                                     : std::string_view(text).substr(colon + 1);
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto option = rest.substr(0, end);
    const auto equals = std::min(option.find('='), option.size());
    const auto key = option.substr(0, equals);
    const auto value = equals < option.size() ? option.substr(equals + 1) : std::string_view{};
    if (key == "at")
      fault.at = number<std::uint64_t>(text, value);
    else if (key == "rate")
      fault.rate = number<double>(text, value);
    else if (key == "count")
      fault.count = number<std::uint64_t>(text, value);
    else if (key == "lbn")
      fault.lbn = number<std::uint64_t>(text, value);
    else if (key == "of") {
      const auto of = std::ranges::find(kClasses, value,
                                        &std::pair<Class, std::string_view>::second);
      if (of == std::end(kClasses)) fail(text, fmt::format("there is no class '{}'", value));
      fault.of = of->first;
    } else {
      fail(text, "the options are at=N, of=CLASS, count=N, rate=P and lbn=N");
    }
    rest = end < rest.size() ? rest.substr(end + 1) : std::string_view{};
  }
  if (!fault.at && fault.rate == 0) fault.at = 1;
  return fault;
}

}  // namespace trust
