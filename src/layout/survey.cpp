#include "layout/survey.h"

#include <fmt/core.h>

#include "layout/cannot_map.h"

namespace platter::layout {

namespace {

// Beyond what page 40h can say of a disk drive's geometry, or any drive was built with.
constexpr std::uint32_t kMostCylinders = 1U << 24, kMostHeads = 256, kMostSectors = 1U << 20;

std::uint64_t key_of(const scsi::PhysicalAddress& place) {
  return (static_cast<std::uint64_t>(place.cylinder) * kMostHeads + place.head) * kMostSectors +
         place.sector;
}

std::string text(const scsi::PhysicalAddress& place) {
  return fmt::format("cylinder {}, head {}, sector {}", place.cylinder, place.head, place.sector);
}

}  // namespace

Survey::Survey(Translator& translator, std::uint64_t limit)
    : translator_(translator), blocks_(translator.blocks()), limit_(limit) {}

bool Survey::answers() {
  ++translations_;
  return translator_.translate(0).has_value();
}

void Survey::check_geometry(std::uint64_t lbn, const scsi::PhysicalAddress& place) const {
  // A drive may count only the cylinders that hold user data: spares lie beyond them.
  const std::uint64_t cylinders = translator_.cylinders();
  const bool beyond = place.cylinder >= kMostCylinders || place.head >= kMostHeads ||
                      place.sector >= kMostSectors ||
                      (translator_.heads() > 0 && place.head >= translator_.heads()) ||
                      (cylinders > 0 && place.cylinder >= 2 * cylinders + 1000);
  if (!beyond) return;
  throw CannotMap(ExitStatus::protocol,
                  fmt::format("{} translates block {} to {}, beyond its own geometry; its address "
                              "translation cannot be used",
                              name(), lbn, text(place)));
}

Answer Survey::ask(std::uint64_t lbn) {
  if (translations_ >= limit_) throw OutOfTranslations{};
  ++translations_;
  const auto translation = translator_.translate(lbn);
  if (!translation || translation->places.empty()) {
    throw CannotMap(
        ExitStatus::protocol,
        fmt::format("{} translates block 0 but not block {} of {}; its address translation "
                    "cannot be used",
                    name(), lbn, blocks_));
  }
  if (translation->places.size() > 1) {
    throw CannotMap(
        ExitStatus::unsupported,
        fmt::format("{} keeps block {} in {} sectors; only drives with one sector a block "
                    "can be mapped by address translation",
                    name(), lbn, translation->places.size()));
  }
  check_geometry(lbn, translation->places[0]);
  return {translation->places[0], translation->remapped || translation->alternate_track};
}

const Answer& Survey::at(std::uint64_t lbn) {
  const auto known = known_.find(lbn);
  if (known != known_.end()) return known->second;
  const Answer answer = ask(lbn);
  const auto [other, is_new] = block_at_.emplace(key_of(answer.place), lbn);
  if (!is_new) {
    throw CannotMap(
        ExitStatus::protocol,
        fmt::format("{} translates the blocks {} and {} to the same place ({}); its address "
                    "translation cannot be used",
                    name(), other->second, lbn, text(answer.place)));
  }
  return known_.emplace(lbn, answer).first->second;
}

std::optional<scsi::PlaceContent> Survey::back(const scsi::PhysicalAddress& place) {
  const std::uint64_t key = key_of(place);
  const auto known = asked_back_.find(key);
  if (known != asked_back_.end()) return known->second;
  if (translations_ >= limit_) throw OutOfTranslations{};
  ++translations_;
  return asked_back_[key] = translator_.translate_back(place);
}

bool Survey::answers_back() {
  if (!answers_back_) {
    scsi::PhysicalAddress nowhere = at(0).place;
    nowhere.sector += kMostSectors / 2;
    answers_back_ = back(at(0).place) == scsi::PlaceContent{0} && !back(nowhere);
  }
  return *answers_back_;
}

void Survey::ask_again(std::uint64_t count) {
  const std::uint64_t every = known_.size() / std::max<std::uint64_t>(1, count) + 1;
  std::uint64_t index = 0;
  for (const auto& [lbn, answer] : known_) {
    if (index++ % every != 0) continue;
    const Answer again = ask(lbn);
    if (again.place == answer.place) continue;
    throw CannotMap(
        ExitStatus::protocol,
        fmt::format("{} translated block {} first to {}, then to {}; its address translation "
                    "cannot be used",
                    name(), lbn, text(answer.place), text(again.place)));
  }
}

}  // namespace platter::layout
