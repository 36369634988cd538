#include "emit/disksim/no_place.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace platter::emit_disksim {
namespace {

struct WithoutPlace {
  const char* name;
  std::optional<double> idle_value;  // nullopt: any
  const char* why;
};

constexpr const char* kSneaky =
    "serves part of a read while another request has the media, which the model does not";
constexpr const char* kOutput = "concerns what DiskSim prints";
constexpr const char* kScheduling = "concerns schedulers other than those of the model";
constexpr const char* kSeekType = "belongs to another seek type than the one that is set";

constexpr WithoutPlace kDisk[] = {
    {"Allow sneaky partial read hits", 0, kSneaky},
    {"Allow sneaky intermediate read hits", 0, kSneaky},
    {"Allow write prebuffering", 0,
     "takes data of a write while another request has the media, which the model does not"},
    {"Disconnect write if seek", 0,
     "frees the bus during a seek, which only other drives on it would notice"},
    {"Read directly to buffer", 1, "with 0 needs a sector buffer that the model does not have"},
    {"Print stats", {}, kOutput},
    {"Calc sector by sector", {}, "concerns how fast DiskSim computes"},
    {"Avg sectors per cylinder", {}, "is told to schedulers outside of the drive only"},
};

constexpr WithoutPlace kQueue[] = {
    {"Cylinder mapping strategy", {}, "is about what a scheduler outside of the drive knows"},
    {"Write initiation delay", 0, kScheduling},
    {"Read initiation delay", 0, kScheduling},
    {"Sequential stream scheme", 0, kScheduling},
    {"Maximum concat size", {}, "concerns the sequential stream scheme, which is noted on its own"},
    {"Overlapping request scheme", 0, kScheduling},
    {"Sequential stream diff maximum",
     {},
     "concerns the sequential stream scheme, which is noted on its own"},
    {"Scheduling timeout scheme", 0, kScheduling},
    {"Timeout time/weight",
     {},
     "concerns the scheduling timeout scheme, which is noted on its own"},
    {"Timeout scheduling", {}, "concerns the scheduling timeout scheme, which is noted on its own"},
    {"Scheduling priority scheme", 0, kScheduling},
    {"Priority scheduling",
     {},
     "concerns the scheduling priority scheme, which is noted on its own"},
};

// What the seek type in use needs has been read before these are asked for.
constexpr WithoutPlace kMechanics[] = {
    {"Percent error in rpms", 0,
     "is read by DiskSim and never used; the rotation speed is taken as it is"},
    {"Constant access time", {}, "belongs to another access time type than the one that is set"},
    {"Average seek time", {}, kSeekType},
    {"Constant seek time", {}, kSeekType},
    {"Single cylinder seek time", {}, kSeekType},
    {"Full strobe seek time", {}, kSeekType},
    {"Full seek curve", {}, kSeekType},
    {"First ten seek times", {}, kSeekType},
    {"HPL seek equation values", {}, kSeekType},
};

constexpr const char* kOneDrive = "concerns several components on one bus";

constexpr WithoutPlace kBus[] = {
    {"type", {}, kOneDrive},
    {"Arbitration type", {}, kOneDrive},
    {"Arbitration time", {}, "costs nothing in DiskSim on a bus between host and controller"},
    {"Read block transfer time",
     {},
     "costs nothing in DiskSim on a bus between host and controller"},
    {"Write block transfer time",
     {},
     "costs nothing in DiskSim on a bus between host and controller"},
    {"Print stats", {}, kOutput},
};

constexpr WithoutPlace kController[] = {
    {"Bulk sector transfer time", {}, "costs nothing in DiskSim in a controller of type 1"},
    {"Maximum queue length", {}, "concerns controllers with a queue, which are noted on their own"},
    {"Print stats", {}, kOutput},
    {"Scheduler", {}, "concerns controllers with a queue, which are noted on their own"},
    {"Cache", {}, "concerns controllers with a cache, which are noted on their own"},
    {"Max per-disk pending count",
     {},
     "concerns controllers with a queue, which are noted on their own"},
};

constexpr WithoutPlace kDriver[] = {
    {"type", {}, "is about who queues, not what the drive does"},
    {"Scheduler", {}, "is the host's"},
    {"Use queueing in subsystem", {}, "is about who queues, not what the drive does"},
    {"Constant access time", {}, "is zero or noted on its own"},
};

std::span<const WithoutPlace> table_of(std::string_view type) {
  if (type == "disksim_disk") return kDisk;
  if (type == "disksim_ioqueue") return kQueue;
  if (type == "disksim_bus") return kBus;
  if (type == "disksim_ctlr") return kController;
  if (type == "disksim_iodriver") return kDriver;
  return kMechanics;
}

}  // namespace

std::string Notes::idle_text() const {
  std::vector<Idle> groups;
  for (const Idle& one : idle) {
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const Idle& g) { return g.why == one.why; });
    if (same == groups.end()) {
      groups.push_back(one);
    } else {
      same->text += ", " + one.text;
    }
  }
  std::string text;
  for (const Idle& group : groups) {
    text += (text.empty() ? "without a place in the model and, as they are set, without effect: "
                          : "; ") +
            group.text;
    if (!group.why.empty()) text += " (" + group.why + ")";
  }
  return text;
}

void note_without_place(BlockReader& reader, Notes& notes) {
  const std::span<const WithoutPlace> table = table_of(reader.block().type);
  for (const NamedValue* unread : reader.unread()) {
    const auto row = std::find_if(table.begin(), table.end(),
                                  [&](const WithoutPlace& r) { return r.name == unread->name; });
    if (row == table.end()) continue;
    reader.take(unread->name);
    const std::string text = fmt::format("{} = {}", unread->name, to_text(unread->value));
    const bool idle = !row->idle_value || reader.real(unread->name) == *row->idle_value;
    if (idle) {
      notes.idle.push_back({text, row->idle_value ? "" : row->why});
    } else {
      notes.warnings.push_back(
          fmt::format("{} ({}) is ignored: it {}", text, unread->value.where.brief(), row->why));
    }
  }
}

void note_unknown(const BlockReader& reader, std::vector<std::string>& warnings) {
  for (const NamedValue* value : reader.unread()) {
    warnings.push_back(
        fmt::format("{} = {} ({}) is no parameter of {} that is known and is ignored", value->name,
                    to_text(value->value), value->value.where.brief(), reader.block().type));
  }
}

}  // namespace platter::emit_disksim
