#include "emit/small/simplified_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emit/small/distance.h"
#include "emit/small/plain_zone.h"
#include "emit/small/spares.h"
#include "emit/small/thin_seeks.h"
#include "emit/small/units.h"
#include "engine/seek_table.h"
#include "model/error.h"
#include "model/interruption.h"

namespace platter::emit_small {
namespace {

using model::DriveModel;

constexpr std::size_t kLongestName = 48, kLongestText = 80;
constexpr std::uint64_t kLooks = 4000;  // blocks that are compared to choose
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// Not within a character of UTF-8.
void shorten(std::string& text, std::size_t longest) {
  if (text.size() <= longest) return;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
}

DriveModel with_short_texts(DriveModel model) {
  for (std::string* text : {&model.identity.name, &model.identity.vendor, &model.identity.product,
                            &model.identity.revision, &model.identity.serial,
                            &model.provenance.method, &model.provenance.date})
    shorten(*text, kLongestName);
  shorten(model.provenance.source, kLongestText);
  shorten(model.validity.note, kLongestText);
  return model;
}

// How much is kept.
struct Kept {
  std::size_t zones = kAll, seek_points = kAll;
  std::uint64_t tolerance = 0;  // slots (spares.h)
};

class Simplifier {
 public:
  Simplifier(const DriveModel& whole, std::size_t most_bytes, const BytesOf& bytes_of)
      : whole_(whole),
        short_(with_short_texts(whole)),
        most_bytes_(most_bytes),
        bytes_of_(bytes_of),
        map_(whole.layout),
        seeks_(whole),
        units_(units_of(whole.layout, map_)),
        order_(chosen_order()) {
    short_.layout.not_understood.clear();
    short_.layout.timed.reset();
    short_.layout.remaps.clear();
  }

  std::optional<DriveModel> nearest() {
    std::optional<DriveModel> best;
    double least_ms = std::numeric_limits<double>::infinity();
    for (const std::size_t points :
         {kAll, std::size_t{96}, std::size_t{64}, std::size_t{48}, std::size_t{32}, std::size_t{24},
          std::size_t{16}, std::size_t{12}, std::size_t{8}}) {
      const DriveModel thin = thinned(points);
      for (const std::uint64_t tolerance : {0, 1, 2, 4, 8, 16, 1 << 30}) {
        stop_if_asked();
        const std::optional<DriveModel> model = most_zones(thin, tolerance);
        if (!model) continue;
        const double harm = harm_ms(*model);
        if (harm >= least_ms) continue;
        least_ms = harm;
        best = model;
      }
    }
    return best;
  }

 private:
  bool fits(const DriveModel& model) const { return bytes_of_(model) <= most_bytes_; }

  DriveModel thinned(std::size_t points) const {
    DriveModel thin = short_;
    if (points != kAll) thin_seeks(thin, points);
    return thin;
  }

  // The most zones that go with these seeks and that tolerance.
  std::optional<DriveModel> most_zones(const DriveModel& thin, std::uint64_t tolerance) {
    std::size_t low = 1, high = std::min<std::size_t>(units_.size(), 48);
    std::optional<DriveModel> best = laid_out(thin, low, tolerance);
    if (!fits(*best)) return std::nullopt;
    while (low < high) {
      const std::size_t middle = (low + high + 1) / 2;
      DriveModel tried = laid_out(thin, middle, tolerance);
      if (fits(tried)) {
        low = middle;
        best = std::move(tried);
      } else {
        high = middle - 1;
      }
    }
    return best;
  }

  DriveModel laid_out(DriveModel model, std::size_t zones, std::uint64_t tolerance) {
    model.layout.zones.clear();
    model.layout.skips.clear();
    std::uint64_t slot = 0;
    const std::vector<std::size_t> firsts = groups_of(units_, zones);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::size_t end = i + 1 < firsts.size() ? firsts[i + 1] : units_.size();
      if (end - firsts[i] == 1 && is_simple(units_[firsts[i]]))
        keep(units_[firsts[i]], firsts[i], tolerance, model.layout, slot);
      else
        merge(firsts[i], end, order_, model.layout, slot);
    }
    return model;
  }

  // Whether it is said in as few nodes as a plain zone, or nearly.
  bool is_simple(const Unit& unit) { return nodes_of(unit) <= 4 || plain(unit).has_value(); }

  std::size_t nodes_of(const Unit& unit) const {
    std::size_t nodes = 0;
    for (std::size_t i = 0; i < unit.zones; ++i)
      nodes += nodes_in(whole_.layout.zones[unit.first_zone + i]);
    return nodes;
  }
  static std::size_t nodes_in(const model::LayoutNode& node) {
    std::size_t nodes = 1;
    for (const model::LayoutNode& child : node.children) nodes += nodes_in(child);
    return nodes;
  }

  void keep(const Unit& unit, std::size_t number, std::uint64_t tolerance, model::Layout& layout,
            std::uint64_t& slot) {
    const std::optional<model::LayoutNode> node = nodes_of(unit) > 2 ? plain(unit) : std::nullopt;
    if (node) layout.zones.push_back(*node);
    for (std::size_t i = 0; i < unit.zones && !node; ++i)
      layout.zones.push_back(whole_.layout.zones[unit.first_zone + i]);
    auto& kept = spares_[{number, tolerance}];
    if (!kept) kept = simplified(within(whole_.layout.skips, unit.slots), unit.slots, tolerance);
    append(*kept, unit.slots.first, slot, layout);
    slot += unit.slots.end - unit.slots.first;
  }

  const TrackOrder& tracks_of(const Unit& unit) {
    const auto known = orders_.try_emplace(unit.first_zone);
    if (known.second) known.first->second = order_of(map_, unit);
    return known.first->second;
  }
  double angle_rev(const Unit& unit) const {
    return engine::rev_from_angle(map_.track_of_slot(unit.slots.first).angle);
  }

  // A plain zone of the same tracks in the same places, but for their heads: a serpentine is as
  // quick as one that always begins with the first head.
  std::optional<model::LayoutNode> plain(const Unit& unit) {
    const TrackOrder& tracks = tracks_of(unit);
    if (tracks.sectors == 0 || tracks.band > 1) return std::nullopt;
    const PlainZone zone = plain_zone({&unit, 1}, tracks, Order::cylinders, angle_rev(unit),
                                      tracks.sectors);
    if (zone.slots != unit.slots.end - unit.slots.first) return std::nullopt;
    return zone.node;
  }

  void merge(std::size_t first, std::size_t end, Order order, model::Layout& layout,
             std::uint64_t& slot) {
    const std::span units = std::span(units_).subspan(first, end - first);
    const Unit& largest = *std::ranges::max_element(units, {}, &Unit::blocks);
    const TrackOrder& tracks = tracks_of(largest);
    const PlainZone zone = plain_zone(units, tracks, tracks.band > 1 ? order : Order::cylinders,
                                      angle_rev(units.front()));
    layout.zones.push_back(zone.node);
    append(zone.skips, 0, slot, layout);
    slot += zone.slots;
  }

  static void append(const std::vector<model::Skip>& skips, std::uint64_t from, std::uint64_t to,
                     model::Layout& layout) {
    for (model::Skip skip : skips) {
      skip.first_slot = skip.first_slot - from + to;
      layout.skips.push_back(skip);
    }
  }

  // Of drives that go band by band: how blocks lie nearest to their cylinders.
  Order chosen_order() {
    Order best = Order::bands;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Order order : {Order::bands, Order::alternating_bands}) {
      model::Layout layout;
      std::uint64_t slot = 0;
      const std::vector<std::size_t> firsts = groups_of(units_, 16);
      for (std::size_t i = 0; i < firsts.size(); ++i)
        merge(firsts[i], i + 1 < firsts.size() ? firsts[i + 1] : units_.size(), order, layout,
              slot);
      const Glance seen = glance(map_, engine::LayoutMap(layout), kLooks);
      if (seen.mean_cylinders >= nearest) continue;
      nearest = seen.mean_cylinders;
      best = order;
    }
    return best;
  }

  // By how much a request is off, about: two latencies that have nothing to do with each other
  // differ by a third of a revolution.
  double harm_ms(const DriveModel& model) const {
    const engine::Tables tables(model), whole(whole_);
    const Glance seen = glance(map_, tables.layout, kLooks);
    const double period_ms = to_ms(whole.rotation.period_ns());
    const auto cylinders = static_cast<std::uint32_t>(seen.mean_cylinders);
    return to_ms(farthest_seek_ns(whole, tables)) + (1 - seen.in_phase_share) * period_ms / 3 +
           to_ms(seeks_.time_ns(cylinders));
  }

  const DriveModel& whole_;
  DriveModel short_;
  std::size_t most_bytes_;
  const BytesOf& bytes_of_;
  engine::LayoutMap map_;
  engine::SeekTable seeks_;
  std::vector<Unit> units_;
  std::map<std::size_t, TrackOrder> orders_{};  // by a unit's first zone
  std::map<std::pair<std::size_t, std::uint64_t>, std::optional<std::vector<model::Skip>>>
      spares_{};
  Order order_;
};

}  // namespace

SimplifiedModel simplified_model(const DriveModel& whole, std::size_t most_bytes,
                                 const BytesOf& bytes_of) {
  if (DriveModel model = with_short_texts(whole); bytes_of(model) <= most_bytes)
    return {std::move(model), true};
  std::optional<DriveModel> model = Simplifier(whole, most_bytes, bytes_of).nearest();
  if (!model)
    throw Error(ExitStatus::unsupported,
                fmt::format("the model's drive does not fit into {} bytes", most_bytes));
  return {std::move(*model), false};
}

}  // namespace platter::emit_small
