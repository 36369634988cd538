#include "identity/who.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "identity/reached.h"
#include "identity/serial_numbers.h"

namespace platter::identity {
namespace {

constexpr const char* kIdentify = "IDENTIFY DEVICE";
constexpr const char* kPage80h = "VPD page 80h";

std::string words_of(const Evidence& evidence) {
  return evidence.vendor + (evidence.vendor.empty() ? "" : " ") + evidence.product;
}

void name_by_scsi_side(const Evidence& evidence, Who& who) {
  auto& identity = who.identity;
  identity.vendor = evidence.vendor;
  identity.product = evidence.product;
  identity.revision = evidence.revision;
  identity.name = words_of(evidence);
  identity.serial.clear();
  identity.serial_by.clear();
  if (const auto why = evidence.serial.empty() ? std::nullopt : why_worthless(evidence.serial)) {
    who.doubts.push_back(
        fmt::format("the serial number {} of VPD page 80h tells no drive from "
                    "another: {}; it counts as none",
                    evidence.serial, *why));
    return;
  }
  identity.serial = evidence.serial;
  if (identity.serial.empty()) return;
  identity.serial_by = kPage80h;
  who.sureness = Sureness::told_number;
}

// The vendor of every ATA disk is ATA (SAT-4, standard INQUIRY data): so the disk is the same one
// behind a bridge and without.
void name_by_disk(const Evidence& evidence, const AtaDisk& disk, Who& who) {
  auto& identity = who.identity;
  const bool translated = evidence.vendor == "ATA" || names_model(evidence, disk);
  if (!disk.model.empty()) {
    if (!translated)
      identity.bridge = words_of(evidence) + (evidence.revision.empty() ? "" : " ") +
                        evidence.revision;
    identity.vendor = "ATA";
    identity.product = identity.name = disk.model;
  }
  if (!disk.firmware.empty()) identity.revision = disk.firmware;
  if (!tells(disk.serial)) return;
  identity.serial = disk.serial;
  identity.serial_by = kIdentify;
  who.sureness = Sureness::own_number;
  std::erase_if(who.doubts, [&](const std::string& doubt) {
    return doubt.starts_with("the serial number " + evidence.serial);
  });
}

// Neither a number nor a name says so: behind a dock of two equal disks it may be the other one.
bool told_by_size_alone(const AtaDisk& disk, const Evidence& evidence) {
  const bool has_name = !disk.serial.empty() || !disk.model.empty();
  const bool number = tells(evidence.serial) && tells(disk.serial);
  const bool named = names_model(evidence, disk) || has_name_of(evidence.designators, disk) ||
                     (evidence.page_89h && tells(evidence.page_89h->serial));
  return has_name && disk.bytes > 0 && !number && !named;
}

std::optional<std::string> doubt_of(Reached reached, const AtaDisk& disk,
                                    const Evidence& evidence) {
  const auto gigabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; };
  if (reached == Reached::other_disk)
    return fmt::format(
        "ATA PASS-THROUGH reaches another disk ({}, serial number {}, {:.1f} GB) than READ does "
        "(serial number {}, {:.1f} GB): nothing of it counts, and no SET FEATURES was sent",
        disk.model, disk.serial, gigabytes(disk.bytes),
        evidence.serial.empty() ? "not offered" : evidence.serial, gigabytes(evidence.bytes));
  if (reached == Reached::not_known)
    return fmt::format(
        "ATA PASS-THROUGH reaches a disk ({}, serial number {}) of which nothing says that it is "
        "the one that READ reads (serial number {}): nothing of it counts, and no SET FEATURES "
        "was sent",
        disk.model, disk.serial, evidence.serial.empty() ? "not offered" : evidence.serial);
  if (reached == Reached::this_disk && told_by_size_alone(disk, evidence))
    return fmt::format(
        "that ATA PASS-THROUGH reaches the disk that READ reads is told by its size alone ({}, "
        "serial number {}): where two such disks are connected, unplug the other one",
        disk.model, disk.serial.empty() ? "not offered" : disk.serial);
  return std::nullopt;
}

std::string doubt_of_page(const AtaDisk& disk) {
  return fmt::format(
      "VPD page 89h speaks of another disk ({}, serial number {}) than READ reads: nothing of it "
      "counts",
      disk.model, disk.serial.empty() ? "not offered" : disk.serial);
}

}  // namespace

bool begins_alike(const std::string& model, const std::string& name) {
  constexpr std::size_t kTelling = 6;
  const auto alike = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return name.size() >= kTelling && name.size() <= model.size() &&
         std::equal(name.begin(), name.end(), model.begin(), alike);
}

Who who_is(const Evidence& evidence, model::Identity given) {
  Who who;
  who.identity = std::move(given);
  who.identity.bridge.clear();
  who.reached = reached_by(evidence);
  name_by_scsi_side(evidence, who);
  if (is_this_disk(who))
    name_by_disk(evidence, *evidence.pass_through, who);
  else if (evidence.page_89h && !page_is_of_another(evidence))
    name_by_disk(evidence, *evidence.page_89h, who);
  else if (evidence.page_89h)
    who.doubts.push_back(doubt_of_page(*evidence.page_89h));
  if (const auto doubt = evidence.pass_through
                             ? doubt_of(who.reached, *evidence.pass_through, evidence)
                             : std::nullopt)
    who.doubts.push_back(*doubt);
  return who;
}

}  // namespace platter::identity
