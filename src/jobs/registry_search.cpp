#include "jobs/registry_search.h"

#include <optional>

#include "registry/annotations.h"

namespace platter::jobs {
namespace {

std::optional<registry::Range> range(registry::Figure figure, const std::string& text,
                                     const char* option) {
  if (text.empty()) return std::nullopt;
  return registry::parse_range(figure, text, option);
}

}  // namespace

registry::Query RegistrySearch::query() const {
  using registry::Figure;
  registry::Query query{.words = words,
                        .vendor = vendor,
                        .product = product,
                        .revision = revision,
                        .form_factor = form_factor,
                        .method = method};
  query.capacity = range(Figure::capacity, capacity, "--capacity");
  query.rpm = range(Figure::rpm, rpm, "--rpm");
  query.block_size = range(Figure::block_size, block_size, "--block-size");
  if (!date.empty()) query.date = registry::parse_dates(date, "--date");
  for (const std::string& text : demerits)
    query.demerits.push_back(registry::parse_demerit(text, "--demerit"));
  for (const std::string& text : annotations)
    query.annotations.push_back(registry::parse_annotation(text, "--annotation"));
  if (!quality.empty()) query.annotations.emplace_back(registry::kQualityKey, quality);
  query.limit = limit;
  query.only_local = only_local;
  return query;
}

}  // namespace platter::jobs
