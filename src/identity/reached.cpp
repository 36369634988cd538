#include "identity/reached.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "identity/serial_numbers.h"

namespace platter::identity {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// A translation names its own disk: vendor ATA, and the beginning of the model (SAT-4, standard
// INQUIRY data). So a dock that answers for two disks tells which one READ reads.
bool names_another_model(const Evidence& evidence, const AtaDisk& disk) {
  return evidence.vendor == "ATA" && !evidence.product.empty() && !disk.model.empty() &&
         !lower(disk.model).starts_with(lower(evidence.product));
}

// Bridges have one for all disks as well: 5000000000000001.
bool has_world_wide_name(const AtaDisk& disk) { return tells(disk.world_wide_name); }

bool names_another(const std::vector<std::string>& designators, const AtaDisk& disk) {
  constexpr std::size_t kLength = std::string_view("naa.5000c50012345678").size();
  return has_world_wide_name(disk) && !has_name_of(designators, disk) &&
         std::ranges::any_of(designators, [](const std::string& name) {
           return name.starts_with("naa.5") && name.size() == kLength && tells(name.substr(4));
         });
}

// Some bridges keep a few blocks to themselves, or count one too many.
bool about_as_large(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kFew = 1 << 20;  // bytes
  return (a > b ? a - b : b - a) <= kFew;
}

}  // namespace

bool tells(const std::string& serial) { return !serial.empty() && !why_worthless(serial); }

// INQUIRY has room for 16 characters of the 40, and some bridges keep them.
bool names_model(const Evidence& evidence, const AtaDisk& disk) {
  return begins_alike(disk.model, evidence.product) ||
         begins_alike(disk.model, evidence.vendor + evidence.product) ||
         begins_alike(disk.model, evidence.vendor + " " + evidence.product);
}

bool has_name_of(const std::vector<std::string>& designators, const AtaDisk& disk) {
  return has_world_wide_name(disk) &&
         std::ranges::find(designators, "naa." + lower(disk.world_wide_name)) != designators.end();
}

Reached reached_by(const Evidence& evidence) {
  if (!evidence.pass_through) return Reached::nothing;
  const AtaDisk& disk = *evidence.pass_through;
  const bool sizes = disk.bytes == 0 || about_as_large(disk.bytes, evidence.bytes);
  const bool number = tells(evidence.serial) && tells(disk.serial);
  if (number && same_number(evidence.serial, disk.serial))
    return sizes || names_model(evidence, disk) ? Reached::this_disk : Reached::other_disk;
  if (!sizes) return Reached::other_disk;
  const auto& page = evidence.page_89h;
  const bool both_tell = page && tells(page->serial) && tells(disk.serial);
  const bool is_of_page = both_tell && page->serial == disk.serial && page->model == disk.model;
  if (both_tell && !is_of_page) return Reached::other_disk;
  if (has_name_of(evidence.designators, disk)) return Reached::this_disk;
  // Nor does such a page prove anything then: it is of one of a dock's disks, too.
  if (names_another_model(evidence, disk)) return Reached::not_known;
  if (is_of_page) return Reached::this_disk;
  if (number) return names_model(evidence, disk) ? Reached::other_disk : Reached::not_known;
  if (names_another(evidence.designators, disk)) return Reached::not_known;
  // Sizes that agree (which says little: Who's doubts say so), or a translation in front of a disk
  // that says nothing of itself.
  const bool is_silent = disk.bytes == 0 && disk.serial.empty() && disk.model.empty();
  return disk.bytes > 0 || (is_silent && evidence.is_translated) ? Reached::this_disk
                                                                 : Reached::not_known;
}

bool page_is_of_another(const Evidence& evidence) {
  Evidence alone = evidence;
  alone.pass_through = std::exchange(alone.page_89h, std::nullopt);
  return reached_by(alone) == Reached::other_disk ||
         names_another_model(evidence, *evidence.page_89h);
}

}  // namespace platter::identity
