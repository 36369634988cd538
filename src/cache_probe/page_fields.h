// The degrees of freedom of the Caching mode page (SBC-3, clause 6.4.5): which of its fields the
// drive says can be changed, and whether changing each changes what the drive does. Each is set
// (MODE SELECT, not saved), probed by an effect that it must have, and put back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache_probe/prober.h"
#include "model/drive_model.h"

namespace platter::cache_probe {

struct PageFields {
  std::vector<model::CacheFreedom> fields;  // empty: the drive has no such page
  // The drive did not take its own settings back after one of the tests, which were the last; in
  // words.
  std::optional<std::string> not_taken_back;
};

// What the tests before found is in the prober's record, and `found` of it.
PageFields probe_page_fields(Prober& prober, const model::Cache& found,
                             const std::vector<LbnRange>& writable);

}  // namespace platter::cache_probe
