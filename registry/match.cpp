#include "registry/match.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>

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
  const auto known = std::find(identities.begin(), identities.end(),
                               entry.annotation("vnd.platter.drive"));
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

std::vector<Match> match(const Store& store, const AttachedDrive& drive, std::size_t most) {
  return match(drive, identities_of(store, drive.identity), search(store).entries, most);
}

}  // namespace platter::registry
