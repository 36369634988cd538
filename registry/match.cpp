#include "registry/match.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

#include "model/error.h"
#include "registry/annotations.h"
#include "registry/privacy.h"
#include "registry/reference.h"
#include "registry/search_index.h"

namespace platter::registry {
namespace {

double figure(const Entry& entry, const char* key) {
  return std::strtod(entry.annotation(key).c_str(), nullptr);
}

bool says(const Entry& entry, const char* key, const std::string& value) {
  return !value.empty() && entry.annotation(key) == value;
}

Closeness closeness_of(const AttachedDrive& drive, const std::vector<std::string>& identities,
                       const Entry& entry) {
  const model::Identity& identity = drive.identity;
  const auto known = std::find(identities.begin(), identities.end(), entry.annotation(kDriveKey));
  if (known != identities.end()) return Closeness::same_drive;
  const bool product = entry.annotation("vnd.platter.vendor") == identity.vendor &&
                       says(entry, "vnd.platter.product", identity.product);
  if (!product) return Closeness::nearest;
  return says(entry, "vnd.platter.revision", identity.revision) ? Closeness::same_firmware
                                                                : Closeness::same_product;
}

// Smaller is better. Dates are ISO 8601, whose letters sort as their times do.
bool is_better(const Match& a, const Match& b) {
  const auto key = [](const Match& match) {
    return std::tuple(match.closeness, match.distance, !match.entry.latest,
                      match.entry.annotation("vnd.platter.method") != "characterized");
  };
  if (key(a) != key(b)) return key(a) < key(b);
  const std::string date_a = a.entry.annotation("org.opencontainers.image.created");
  const std::string date_b = b.entry.annotation("org.opencontainers.image.created");
  if (date_a != date_b) return date_a > date_b;
  const std::uint64_t version_a = version_number(a.entry.tag);
  const std::uint64_t version_b = version_number(b.entry.tag);
  if (version_a != version_b) return version_a > version_b;
  return a.entry.reference() < b.entry.reference();
}

// Under its serial number, and under the stand-in that this registry would publish. A drive without
// a serial number is recognized by nothing.
std::vector<std::string> identities_of(const Store& store, model::Identity identity) {
  if (identity.serial.empty()) return {};
  std::vector<std::string> identities = {drive_identity(identity)};
  if (const std::string stand_in = known_stand_in(store, identity); !stand_in.empty()) {
    identity.serial = stand_in;
    identities.push_back(drive_identity(identity));
  }
  return identities;
}

void look_up(const Store& store, const Query& query, std::vector<Entry>& entries) {
  for (Entry& found : search(store, query).entries) {
    const auto same = [&](const Entry& entry) {
      return entry.reference() == found.reference() && entry.digest == found.digest;
    };
    if (std::none_of(entries.begin(), entries.end(), same)) entries.push_back(std::move(found));
  }
}

Range of_size(std::uint32_t block_bytes) {
  const auto size = static_cast<double>(block_bytes);
  return {.least = size, .most = size};
}

std::vector<Match> merged(std::vector<Match> best, std::vector<Match> more, std::size_t most) {
  for (Match& one : more)
    best.insert(std::upper_bound(best.begin(), best.end(), one, is_better), std::move(one));
  if (best.size() > most) best.erase(best.begin() + static_cast<std::ptrdiff_t>(most), best.end());
  return best;
}

}  // namespace

const char* name_of(Closeness closeness) {
  switch (closeness) {
    case Closeness::same_drive:
      return "same drive";
    case Closeness::same_firmware:
      return "same product and firmware";
    case Closeness::same_product:
      return "same product";
    case Closeness::nearest:
      break;
  }
  return "nearest by figures";
}

double distance_between(const AttachedDrive& drive, const Entry& entry) {
  const double block_bytes = figure(entry, "vnd.platter.block_bytes");
  const double bytes = figure(entry, "vnd.platter.blocks") * block_bytes;
  const double own_bytes = static_cast<double>(drive.identity.blocks) * drive.identity.block_bytes;
  if (block_bytes != drive.identity.block_bytes || bytes <= 0 || own_bytes <= 0)
    return std::numeric_limits<double>::infinity();
  double distance = std::abs(std::log2(bytes / own_bytes));
  const double rpm = figure(entry, "vnd.platter.rpm");
  if (drive.rpm > 0 && rpm > 0) distance += std::abs(rpm / drive.rpm - 1) / 0.1;
  return distance;
}

std::vector<Match> match(const AttachedDrive& drive, const std::vector<std::string>& identities,
                         const std::vector<Entry>& entries, std::size_t most) {
  std::vector<Match> matches;
  for (const Entry& entry : entries) {
    Match found{entry, closeness_of(drive, identities, entry), 0};
    if (found.closeness == Closeness::nearest) found.distance = distance_between(drive, entry);
    if (std::isfinite(found.distance)) matches.push_back(std::move(found));
  }
  std::sort(matches.begin(), matches.end(), is_better);
  if (!matches.empty() && matches.front().closeness != Closeness::nearest)
    std::erase_if(matches,
                  [](const Match& found) { return found.closeness == Closeness::nearest; });
  if (matches.size() > most)
    matches.erase(matches.begin() + static_cast<std::ptrdiff_t>(most), matches.end());
  return matches;
}

void require_recognizable(const Store& store, const model::Identity& identity,
                          const std::vector<Match>& matches) {
  if (identity.serial.empty() || !known_stand_in(store, identity).empty()) return;
  for (const Match& found : matches)
    if (found.entry.drive.find("-hidden-") != std::string::npos)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}: has models of hidden serial numbers, {} among them, and no whole "
                      "serial.key to tell whether one is of this drive; put the key back",
                      store.folder(), found.entry.drive));
}

std::vector<Match> match(const Store& store, const AttachedDrive& drive, std::size_t most) {
  const std::vector<std::string> identities = identities_of(store, drive.identity);
  std::vector<Entry> entries;
  for (const std::string& identity : identities)
    look_up(store, {.annotations = {{kDriveKey, identity}}}, entries);
  if (!drive.identity.product.empty()) {
    look_up(store,
            {.annotations = {{"vnd.platter.vendor", drive.identity.vendor},
                             {"vnd.platter.product", drive.identity.product}}},
            entries);
  }
  if (!entries.empty()) return match(drive, identities, entries, most);
  // Every drive of its block size; the best are kept, so that none lies in memory for long.
  std::vector<Match> best;
  const Query same_blocks{.block_size = of_size(drive.identity.block_bytes)};
  search(store, same_blocks, [&](const Entry& entry) {
    best = merged(std::move(best), match(drive, identities, {entry}, 1), most);
  });
  return best;
}

}  // namespace platter::registry
