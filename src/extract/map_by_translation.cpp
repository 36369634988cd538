#include "extract/map_by_translation.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/layout_map.h"
#include "estimate/layout_angles.h"
#include "estimate/passing_sectors.h"
#include "estimate/zone_shape.h"
#include "extract/translated_map.h"
#include "extract/worth_of_translation.h"
#include "layout/extract.h"
#include "model/validate.h"
#include "mtbrc/angle.h"
#include "mtbrc/empty_units.h"
#include "mtbrc/passing_sectors.h"
#include "mtbrc/targets.h"
#include "statistics/robust.h"

namespace platter::extract {
namespace {

struct OutOfTime {};

// Answers until the deadline has passed, and keeps what each question took.
class LimitedTranslator final : public layout::Translator {
 public:
  LimitedTranslator(layout::Translator& drive, const mtbrc::Context& context,
                    const std::optional<WorthOfTranslation>& worth)
      : drive_(drive), context_(context), worth_(worth) {}

  const std::string& name() const override { return drive_.name(); }
  std::uint64_t blocks() const override { return drive_.blocks(); }
  std::uint32_t heads() const override { return drive_.heads(); }
  std::uint32_t cylinders() const override { return drive_.cylinders(); }
  std::optional<scsi::Translation> translate(std::uint64_t lbn) override {
    const Nanoseconds before_ns = context_.drive.now_ns();
    const std::uint64_t asked = context_.drive.translations();
    std::optional<scsi::Translation> answer = drive_.translate(lbn);
    if (context_.drive.translations() == asked + 1) {
      took_ms_.push_back(to_ms(context_.drive.now_ns() - before_ns));
      all_ms_ += std::min(took_ms_.back(), kSlow_ms);
      if (worth_) worth_->asked(all_ms_ * 1e-3);
    }
    return in_time(std::move(answer));
  }
  // The mean of what the drive was asked. Where that is slow, so are reads.
  double question_s() const {
    constexpr double kUsual_s = 0.5e-3;
    return took_ms_.empty() ? kUsual_s : all_ms_ * 1e-3 / static_cast<double>(took_ms_.size());
  }
  // Of those that the drive was asked.
  const std::vector<double>& took_ms() const { return took_ms_; }
  std::optional<scsi::PlaceContent> translate_back(const scsi::PhysicalAddress& place) override {
    return in_time(drive_.translate_back(place));
  }
  std::optional<layout::DefectPlaces> defects(bool primary, bool grown) override {
    return in_time(drive_.defects(primary, grown));
  }
  std::optional<std::uint32_t> sector_from_index(std::uint64_t lbn) override {
    return in_time(drive_.sector_from_index(lbn));
  }

 private:
  template <class Answer>
  Answer in_time(Answer answer) const {
    if (context_.deadline_ns > 0 && context_.drive.now_ns() > context_.deadline_ns)
      throw OutOfTime{};
    return answer;
  }

  static constexpr double kSlow_ms = 10;
  layout::Translator& drive_;
  const mtbrc::Context& context_;
  const std::optional<WorthOfTranslation>& worth_;
  std::vector<double> took_ms_;
  double all_ms_ = 0;
};

}  // namespace

FoundMap MapByTranslation::find(std::vector<Answer>& answers) {
  layout::DriveTranslator drive(context_.drive, name_);
  KeptAnswers kept(drive, answers);
  std::optional<WorthOfTranslation> worth;
  if (other_way_s_) worth.emplace(context_.drive.blocks(), *other_way_s_);
  LimitedTranslator translator(kept, context_, worth);
  layout::Options how;
  how.seed = context_.seed;
  if (context_.precision != mtbrc::Precision::high) {
    how.random_checks = 120;
    how.all_listed = false;
  }
  if (worth)
    how.grown = [&](const layout::Growth& growth) {
      worth->grown(growth, translator.question_s());
    };
  layout::Extraction found;
  try {
    found = layout::by_address_translation(translator, how);
  } catch (const TooDear& dear) {
    found.layout.reason = dear.why;
    found.notes = {"layout: " + dear.why};
  } catch (const layout::CannotMap& error) {
    found.layout.reason = error.what();
    found.notes = {{model::Code::translation_contradicted, "layout: " + found.layout.reason}};
  } catch (const OutOfTime&) {
    found.layout.reason = fmt::format(
        "the budget of {:.0f} s ended before the drive's map was complete", budget_s_.value_or(0));
    found.notes = {{model::Code::layout_unfinished, "layout: " + found.layout.reason}};
  }
  question_time_ = {};
  if (const auto took = statistics::median_estimate(translator.took_ms()))
    question_time_ = {.value = took->value,
                      .unit = "ms",
                      .error = took->error,
                      .method = "median over the layout extraction",
                      .samples = took->samples,
                      .reason = ""};
  take_up(found.layout);
  return {std::move(found.layout), std::move(found.notes)};
}

void MapByTranslation::take_up(const model::Layout& found) {
  translated_ = {};
  if (!found.zones.empty()) translated_ = mtbrc::grouped_by_empty_units(found);
}

// Every unknown angle takes a visit of a track at the least, every zone some more.
double MapByTranslation::visits() const {
  constexpr double kVisitsOfZone = 4;
  const engine::LayoutMap map(translated_);
  const std::vector<std::uint64_t> starts = model::zone_starts(translated_);
  double visits = 0;
  for (std::size_t i = 0; i < translated_.zones.size(); ++i) {
    const estimate::ZoneShape shape(translated_.zones[i], starts[i], map);
    if (shape.solvable()) visits += kVisitsOfZone + static_cast<double>(shape.unknowns());
  }
  return visits;
}

FoundMap MapByTranslation::with_angles() {
  constexpr double kOfPassing = 0.4;
  estimate::PassingSectors passing;
  {
    const mtbrc::PartOfTime part(context_, kOfPassing);
    passing = mtbrc::measure_passing_sectors(context_, translated_,
                                             mtbrc::targets_of(context_).passing);
  }
  JudgedMap judged = judge_map(translated_, passing);
  FoundMap found{std::move(judged.layout), std::move(judged.notes)};
  if (found.layout.zones.empty()) return found;
  mtbrc::AngleOptions how = mtbrc::targets_of(context_).angles;
  how.left_zones = std::move(judged.left_zones);
  estimate::LayoutAngles angles = mtbrc::measure_layout_angles(context_, found.layout, how);
  found.layout = std::move(angles.layout);
  std::ranges::move(angles.notes, std::back_inserter(found.notes));
  if (found.layout.zones.size() != translated_.zones.size())
    found.notes.push_back(
        fmt::format("layout: {} zones in the end, for the {} that address translation tells "
                    "have parts whose tracks turn by other angles",
                    found.layout.zones.size(), translated_.zones.size()));
  return found;
}

}  // namespace platter::extract
