// A SCSI target around the service-time engine, with the imperfections that its model asks for. It
// has no clock: when a command comes and when its answer is fetched is the caller's, who may follow
// virtual time (virtual_device.h), real time, or the time of a simulation.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "engine/layout_map.h"
#include "model/drive_model.h"
#include "scsi/device.h"
#include "virtual_drive/contents.h"
#include "virtual_drive/zone_list.h"

namespace platter::virtual_drive {

class Target {
 public:
  static constexpr std::uint32_t kMostOutstanding = 64;

  // A drive that was powered on at time 0. `model.imperfections` absent: none. `contents`, which
  // outlive it: nullptr for its own (sector_store.h). Throws Error(bad_input) for a model that
  // lacks what an engine needs.
  explicit Target(const model::DriveModel& model, Contents* contents = nullptr);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // A command that the host issued at that time. `tag` is no other's that is outstanding (holds()).
  // Past kMostOutstanding it is due at once, with TASK SET FULL. It may be told late, behind what
  // was due meanwhile: the engine takes back what it can of what was not taken (engine.h, submit).
  // An ORDERED command waits until all before it have ended, and those behind wait for it; one at
  // the HEAD OF QUEUE goes before all that wait for the media (SAM-5 clause 8.6).
  void submit(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns);
  bool holds(std::uint32_t tag) const;
  std::size_t outstanding() const;

  // A look at the time from which on take() may have something, if nothing else is submitted: no
  // completion comes earlier. Whoever waits until then and gets nothing, looks again: what the
  // media are done with may still be delayed on its way to the host. nullopt: nothing is
  // outstanding.
  std::optional<Nanoseconds> next_due();
  // The earliest completion that is due by then; nullopt: none. Times need not grow from call to
  // call, but what was due by one of them is not taken back for a command that is told late.
  std::optional<scsi::Completion> take(Nanoseconds now_ns);
  // What an outstanding command will answer with, once it is due and if it succeeds: for who copies
  // before then. Empty: it has no data, or waits for others. Valid until the next call.
  std::span<const std::uint8_t> data_of(std::uint32_t tag) const;
  // A completion's data that nobody needs any more: then commands to come allocate none.
  void reuse(std::vector<std::uint8_t> data);

  // ABORT TASK: the command has no completion (SAM-5 clause 7.2). What the media have begun they
  // finish. false: there is none of that tag, or it was taken.
  bool abort(std::uint32_t tag, Nanoseconds now_ns);
  // LOGICAL UNIT RESET, and the reset of its bus: outstanding commands are dropped, settings return
  // to their saved values, the next command is told; what is in the cache stays (SAM-5 clause 6.3).
  void reset(Nanoseconds now_ns);
  // Power goes and comes back: so does a reset, and the arm parks, and the cache is lost. The
  // contents are the caller's to lose.
  void power_cycle(Nanoseconds now_ns);

  // Its zones, which whoever keeps the drive's contents keeps beside them; none of most drives.
  ZoneList& zones();
  // As a power cut at that time would leave them.
  std::vector<ZoneList::State> zones_after_cut(std::span<const std::uint32_t> numbers,
                                               Nanoseconds now_ns) const;
  // From now on a power cut takes what was written and is not on the media: zones lose it, too.
  void lose_cache();

  // LBNs that were written and are not on the media at that time, in ascending order, none twice: a
  // power cut would lose what they were given.
  std::vector<engine::Engine::Range> unwritten(Nanoseconds now_ns) const;

  // Requests that came too late to be served as if in time.
  std::uint64_t late_arrivals() const;
  // Requests that lay outside what the model was checked for (engine.h).
  std::uint64_t outside_validity() const;

  // The truth, for those who may know it: the model as it is emulated, the seed in use where the
  // model left it open, and the platter's lead at power-on.
  const model::DriveModel& truth() const;
  const engine::LayoutMap& layout() const;
  Nanoseconds power_on_phase_ns() const;
  std::uint64_t seed() const;  // of the imperfections, drawn where they name none

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace platter::virtual_drive
