#include "report/place_list.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/json_text.h"
#include "report/track_list.h"

namespace platter::report {
namespace {

using Json = nlohmann::ordered_json;

Place place(const engine::LayoutMap& map, std::uint64_t slot, std::optional<std::uint64_t> lbn) {
  const engine::Track track = map.track_of_slot(slot);
  const MappedTrack mapped = mapped_track(map, track);
  Place result;
  result.lbn = lbn;
  result.pbn = {track.cylinder, track.head, static_cast<std::uint32_t>(slot - track.first_slot)};
  result.angle = map.angle_of_slot(track, slot);
  result.track_sectors = track.sectors;
  result.track_first_lbn = mapped.first_lbn;
  result.track_blocks = mapped.blocks;
  result.remapped = lbn && map.is_remapped(*lbn);
  return result;
}

// What was added goes on in pieces of some size.
class Pieces {
 public:
  explicit Pieces(const TakePiece& take) : take_(take) {}
  template <typename Form, typename... Values>
  void add(const Form& form, const Values&... values) {
    constexpr std::size_t kPiece = 1 << 16;
    fmt::format_to(fmt::appender(text_), form, values...);
    if (text_.size() >= kPiece) hand_on();
  }
  void hand_on() {
    take_({text_.data(), text_.size()});
    text_.clear();
  }

 private:
  const TakePiece& take_;
  fmt::memory_buffer text_{};
};

}  // namespace

Place place_of_lbn(const engine::LayoutMap& map, std::uint64_t lbn) {
  if (lbn >= map.blocks()) {
    throw Error(ExitStatus::usage,
                fmt::format("LBN {} is past the last one, {}", lbn, map.blocks() - 1));
  }
  return place(map, map.slot_of_lbn(lbn), lbn);
}

Place place_at(const engine::LayoutMap& map, const engine::Pbn& pbn) {
  const auto track = map.track_at(pbn.cylinder, pbn.head);
  if (!track) {
    throw Error(ExitStatus::usage, fmt::format("the model has no track at cylinder {}, head {}",
                                               pbn.cylinder, pbn.head));
  }
  if (pbn.sector >= track->sectors) {
    throw Error(ExitStatus::usage,
                fmt::format("cylinder {}, head {} has sectors 0 to {}, not {}", pbn.cylinder,
                            pbn.head, track->sectors - 1, pbn.sector));
  }
  return place(map, track->first_slot + pbn.sector, map.lbn_of_pbn(pbn));
}

engine::Pbn parse_pbn(const std::string& text) {
  engine::Pbn pbn;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint32_t* const parts[] = {&pbn.cylinder, &pbn.head, &pbn.sector};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto result = std::from_chars(at, end, *parts[i]);
    const bool last = i == 2;
    if (result.ec != std::errc() ||
        (last ? result.ptr != end : result.ptr == end || *result.ptr != ',')) {
      throw Error(
          ExitStatus::usage,
          fmt::format("{} is no place: cylinder, head and sector are needed, such as 12,0,5",
                      text));
    }
    at = result.ptr + 1;
  }
  return pbn;
}

std::string places_as_text(const std::vector<Place>& places) {
  std::string text = fmt::format("{:>12} {:>8} {:>4} {:>6} {:>11} {:>7} {:>12} {:>12}\n", "LBN",
                                 "cylinder", "head", "sector", "angle (rev)", "sectors",
                                 "first LBN", "last LBN");
  for (const Place& p : places) {
    const bool blocks = p.track_blocks > 0;
    text += fmt::format("{:>12} {:>8} {:>4} {:>6} {:>11.9f} {:>7} {:>12} {:>12}{}\n",
                        p.lbn ? fmt::format("{}", *p.lbn) : "-", p.pbn.cylinder, p.pbn.head,
                        p.pbn.sector, engine::rev_from_angle(p.angle), p.track_sectors,
                        blocks ? fmt::format("{}", p.track_first_lbn) : "-",
                        blocks ? fmt::format("{}", p.track_first_lbn + p.track_blocks - 1) : "-",
                        p.remapped ? "  remapped" : "");
  }
  for (const Place& p : places)
    if (!p.not_understood.empty())
      text += fmt::format("LBN {}: the map claims nothing: {}\n", p.lbn.value_or(0),
                          p.not_understood);
  return text;
}

std::string places_as_json(const std::vector<Place>& places) {
  Json json = model::json_head("platter-layout");
  json["places"] = Json::array();
  for (const Place& p : places) {
    const bool blocks = p.track_blocks > 0;
    Json row = {{"lbn", p.lbn ? Json(*p.lbn) : Json()},
                {"cylinder", p.pbn.cylinder},
                {"head", p.pbn.head},
                {"sector", p.pbn.sector},
                {"angle_rev", engine::rev_from_angle(p.angle)},
                {"track_sectors", p.track_sectors},
                {"track_first_lbn", blocks ? Json(p.track_first_lbn) : Json()},
                {"track_last_lbn", blocks ? Json(p.track_first_lbn + p.track_blocks - 1) : Json()},
                {"remapped", p.remapped}};
    if (!p.not_understood.empty()) row["not_understood"] = p.not_understood;
    json["places"].push_back(std::move(row));
  }
  return model::pretty(json);
}

void tracks_as_text(const engine::LayoutMap& map, const TakePiece& take) {
  Pieces pieces(take);
  for_each_track(map, [&](const MappedTrack& t) {
    pieces.add(FMT_COMPILE("{} {} {} {} {:.9f}\n"), t.first_lbn, t.blocks, t.cylinder, t.head,
               engine::rev_from_angle(t.angle));
  });
  pieces.hand_on();
}

void tracks_as_json(const engine::LayoutMap& map, const TakePiece& take) {
  std::string head = model::json_text(model::json_head("platter-tracks"));
  head.pop_back();
  Pieces pieces(take);
  pieces.add(FMT_COMPILE("{},\n\"tracks\": ["), head);
  const char* separator = "\n";
  for_each_track(map, [&](const MappedTrack& t) {
    pieces.add(
        FMT_COMPILE("{}{{\"first_lbn\": {}, \"sectors\": {}, \"cylinder\": {}, \"head\": {}, "
                    "\"angle_rev\": {}}}"),
        separator, t.first_lbn, t.blocks, t.cylinder, t.head,
        model::json_text(Json(engine::rev_from_angle(t.angle))));
    separator = ",\n";
  });
  pieces.add(FMT_COMPILE("\n]}}\n"));
  pieces.hand_on();
}

}  // namespace platter::report
