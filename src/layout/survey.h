// Every translation that was asked for, each kept and asked only once; answers that no drive can
// give end the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "layout/translator.h"

namespace platter::layout {

struct Answer {
  scsi::PhysicalAddress place;
  bool remapped = false;  // the drive says that an alternate sector or track holds the block
};

// As many translations as were allowed have been asked for.
struct OutOfTranslations {};

class Survey {
 public:
  Survey(Translator& translator, std::uint64_t limit);

  std::uint64_t blocks() const { return blocks_; }
  const std::string& name() const { return translator_.name(); }
  std::uint32_t heads() const { return translator_.heads(); }
  // Whether the drive translates at all: asks for block 0.
  bool answers();
  // lbn < blocks(). Throws Error(protocol) for an answer that cannot be: none, a place beyond any
  // geometry, the place of another block; OutOfTranslations past the limit.
  const Answer& at(std::uint64_t lbn);
  const std::map<std::uint64_t, Answer>& known() const { return known_; }
  // What is at a place, asked once; nullopt: no such place, or no answer.
  std::optional<scsi::PlaceContent> back(const scsi::PhysicalAddress& place);

  // Whether the drive says what lies at a place, and of places that it does not have that it has
  // none: asks for the place of block 0 and for an impossible one.
  bool answers_back();

  // Asks again for up to `count` of the known blocks. Throws Error(protocol) if one has moved.
  void ask_again(std::uint64_t count);

  std::uint64_t translations() const { return translations_; }
  // From now on all questions are past the limit.
  void stop() { limit_ = 0; }
  // As many as `limit` are allowed, those asked before included.
  void allow(std::uint64_t limit) { limit_ = limit; }

 private:
  Answer ask(std::uint64_t lbn);
  void check_geometry(std::uint64_t lbn, const scsi::PhysicalAddress& place) const;

  Translator& translator_;
  std::uint64_t blocks_, limit_;
  std::map<std::uint64_t, Answer> known_;
  std::unordered_map<std::uint64_t, std::uint64_t> block_at_;  // key of a place -> LBN
  std::unordered_map<std::uint64_t, std::optional<scsi::PlaceContent>> asked_back_;
  std::optional<bool> answers_back_;
  std::uint64_t translations_ = 0;
};

}  // namespace platter::layout
