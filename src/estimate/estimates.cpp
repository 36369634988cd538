#include "estimate/estimates.h"

#include <type_traits>

#include "estimate/block_transfer.h"
#include "estimate/completion_grid.h"
#include "estimate/overheads.h"
#include "estimate/watermark.h"
#include "estimate/write_settle.h"

namespace platter::estimate {
namespace {

template <Figure figure>
constexpr std::size_t kPlace = static_cast<std::size_t>(figure);

// `function` has the evidence and the figures that it needs; or, for those that are made of all
// samples alike, the samples.
template <Figure figure, auto function, Figure... needs>
constexpr Row row(std::string_view name) {
  static_assert(((kPlace<needs> < kPlace<figure>)&&...), "a figure stands behind what it needs");
  return {name, ((1U << kPlace<needs>) | ... | 0U), [](const Evidence& evidence, Figures& figures) {
            auto& made = std::get<kPlace<figure>>(figures);
            const Figures& known = figures;
            if constexpr (std::is_invocable_v<decltype(function), const Evidence&,
                                              decltype(std::get<kPlace<needs>>(known))...>)
              made = function(evidence, std::get<kPlace<needs>>(known)...);
            else if constexpr (sizeof...(needs) > 0)
              made = function(std::get<kPlace<needs>>(known)...);
            else
              made = function(evidence.samples());
          }};
}

using enum Figure;

}  // namespace

constexpr std::array<Row, kFigures> kEstimates = {
    row<rotation, estimate_rotation>("rotation"),
    row<grid, completion_grid>("completion grid"),
    row<same_track, estimate_same_track>("MTBRC on one track"),
    row<read_times, estimate_read_times, same_track>("read times"),
    row<write_supply, estimate_write_supply, same_track>("write supply"),
    row<hits, estimate_hits>("hits"),
    row<delay_spread, estimate_delay_spread, hits>("delay spread"),
    row<hit_transfer, estimate_hit_transfer, hits>("bus time of a block by hits"),
    row<block_transfer, estimate_block_transfer, hit_transfer>("bus time of a block"),
    row<write_block_transfer, estimate_write_block_transfer, hits, hit_transfer, write_supply>(
        "bus time of a written block"),
    row<write_data, estimate_write_data, same_track, write_supply, hit_transfer,
        write_block_transfer>("wait of writes for their data"),
    row<overheads, estimate_overheads, hits, same_track, read_times, write_supply, block_transfer,
        write_block_transfer>("overheads"),
    row<watermark, estimate_watermark, block_transfer>("watermark"),
    row<portions, estimate_portions, block_transfer>("portions"),
    row<seeks, estimate_seeks, read_times>("seeks"),
    row<head_switch, estimate_head_switch, read_times>("head switch"),
    row<write_settle, estimate_write_settle, same_track, read_times, write_supply, head_switch,
        write_data>("write settle"),
    row<write_seeks, estimate_write_seeks, same_track, read_times, write_supply, write_data>(
        "seeks of writes"),
};

void Estimates::make(std::size_t figure) {
  if ((made_ >> figure & 1U) != 0) return;
  for (std::size_t needed = 0; needed < figure; ++needed)
    if ((kEstimates[figure].needs >> needed & 1U) != 0) make(needed);
  kEstimates[figure].function(evidence_, figures_);
  made_ |= 1U << figure;
}

}  // namespace platter::estimate
