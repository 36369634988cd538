#include "registry/search_index.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "model/error.h"
#include "model/folder.h"
#include "model/leftovers.h"
#include "registry/annotations.h"
#include "registry/entry_table.h"
#include "registry/layout_entries.h"
#include "registry/pending.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kRebuildByAnother{60};

void insert_drive(EntryTable& table, const Layout& layout) {
  const LayoutEntries now = entries_of(layout);
  for (const Entry& entry : now.entries) table.insert(entry);
  for (const Damage& damage : now.damages) table.remember(damage);
}

void fill(EntryTable& table, const Store& store, const std::vector<std::string>& drives) {
  table.begin();
  for (const std::string& drive : drives) insert_drive(table, store.layout(drive));
  table.optimize();
  table.commit();
}

// ---------------------------------------------------------------- writing

void remove_what_stopped_writers_left(const Store& store) {
  const std::string beginning = fs::path(search_index_path(store)).filename().string() + ".";
  std::error_code ignored;
  for (const fs::path& path : model::paths_in(store.folder()))
    if (path.filename().string().starts_with(beginning)) fs::remove(path, ignored);
}

// The journal of a writer that was killed belongs to the old file: it would be rolled back into the
// new one.
void take_away(const std::string& index, const Store& store) {
  std::error_code ignored;
  if (!fs::exists(index + "-journal", ignored)) return;
  fs::remove(index, ignored);
  synchronize(store.folder());
  fs::remove(index + "-journal", ignored);
}

// Made beside its place and renamed, so that another process reads the old one or the new one.
std::size_t rebuild(const Store& store, const Lock& lock) {
  remove_what_stopped_writers_left(store);
  const std::vector<std::string> pending = pending_drives(store);
  const std::string index = search_index_path(store);
  const std::string made = fmt::format("{}.{}", index, ::getpid());
  const model::Leftover leftover(made);
  std::size_t entries = 0;
  std::error_code failed;
  try {
    EntryTable table = EntryTable::create(made);
    fill(table, store, store.drives());
    entries = table.size();
  } catch (...) {
    fs::remove(made, failed);
    throw;
  }
  take_away(index, store);
  fs::rename(made, index, failed);
  if (failed) {
    const std::string why = failed.message();
    fs::remove(made, failed);
    throw UnusableTable(fmt::format("{}: cannot be replaced: {}", index, why));
  }
  synchronize(store.folder());
  for (const std::string& drive : pending) clear_pending(store, lock, drive);
  return entries;
}

bool has_other_drives(const Store& store, const std::string& drive) {
  return std::ranges::any_of(model::paths_in(store.drives_folder()),
                             [&](const fs::path& path) { return path.filename() != drive; });
}

// The marks stay where it cannot be done.
void enter_rows(const Store& store, const Lock& lock, const std::set<std::string>& drives) {
  try {
    std::error_code failed;
    if (!fs::exists(search_index_path(store), failed)) {
      // The first drive's entry makes the index. Without one, the next search reads all layouts.
      if (!has_other_drives(store, *drives.begin())) rebuild(store, lock);
      return;
    }
    EntryTable table = EntryTable::open_for_writing(search_index_path(store));
    table.begin();
    for (const std::string& drive : drives) {
      table.remove_drive(drive);
      insert_drive(table, store.layout(drive));
    }
    table.commit();
    for (const std::string& drive : drives) clear_pending(store, lock, drive);
  } catch (const UnusableTable&) {
  }
}

// ---------------------------------------------------------------- searching

// Drives of which the table may say something else than their layouts. Asked before the table is
// read: what changes later is a change during the search.
std::set<std::string> changed_drives(EntryTable& table, const std::vector<std::string>& pending) {
  std::set<std::string> changed(pending.begin(), pending.end());
  for (const Damage& damage : table.damages())
    if (state_of_file(damage.path) != damage.state) changed.insert(damage.drive);
  return changed;
}

// One table of those that are searched together.
struct Source {
  EntryTable table;
  std::string remote;                 // empty: the folder's own
  std::set<std::string> but_of = {};  // drives that another table knows better
  std::vector<EntryTable::Hit> hits = {};
};

std::vector<std::string> sentences(EntryTable& table, const std::set<std::string>& but_of) {
  std::vector<std::string> all;
  for (const Damage& damage : table.damages())
    if (!but_of.contains(damage.drive)) all.push_back(damage.sentence);
  return all;
}

std::vector<Source> in_memory(const Store& store) {
  std::vector<Source> sources;
  sources.push_back({EntryTable::create(":memory:"), ""});
  fill(sources.front().table, store, store.drives());
  return sources;
}

// The folder's table, and where layouts changed since that cannot be entered now, one of those.
std::vector<Source> tables_of(const Store& store) {
  const std::vector<std::string> pending = pending_drives(store);
  std::vector<Source> sources;
  sources.push_back({EntryTable::open(search_index_path(store)), ""});
  const std::set<std::string> changed = changed_drives(sources.front().table, pending);
  if (changed.empty()) return sources;
  if (const auto lock = Lock::within(store, std::chrono::seconds(0))) {
    enter_rows(store, *lock, changed);
    const std::vector<std::string> left = pending_drives(store);
    if (changed_drives(sources.front().table, left).empty()) return sources;
  }
  sources.front().but_of = changed;
  sources.push_back({EntryTable::create(":memory:"), ""});
  fill(sources.back().table, store, {changed.begin(), changed.end()});
  return sources;
}

void add_remotes(const Store& store, std::vector<Source>& sources,
                 std::vector<std::string>& problems) {
  std::error_code none;
  for (const fs::path& folder : model::paths_in(store.folder() + "/remotes")) {
    const std::string name = folder.filename().string();
    const std::string path = (folder / "search.sqlite").string();
    if (!fs::exists(path, none)) continue;
    try {
      sources.push_back({EntryTable::open(path), name});
    } catch (const UnusableTable& why) {
      problems.push_back(
          fmt::format("{}; platter registry refresh {} fetches it again", why.what(), name));
    }
  }
}

// Whether there are more than the query's limit.
bool find_in(std::vector<Source>& sources, const Query& query, std::vector<std::string>& problems) {
  std::size_t most = query.limit == 0 ? std::numeric_limits<std::size_t>::max() : query.limit + 1;
  for (Source& source : sources) {
    try {
      source.hits = source.table.find(
          query, most, [&](const std::string& drive) { return source.but_of.contains(drive); });
    } catch (const UnusableTable& why) {
      if (source.remote.empty()) throw;
      problems.push_back(fmt::format("{}; platter registry refresh {} fetches it again", why.what(),
                                     source.remote));
    }
    most -= source.hits.size();
  }
  if (query.limit == 0 || most > 0) return false;
  const auto last = std::find_if(sources.rbegin(), sources.rend(),
                                 [](const Source& source) { return !source.hits.empty(); });
  last->hits.pop_back();
  return true;
}

// By drive over all tables; what one table has of a drive stays in its order.
void show(std::vector<Source>& sources, const std::function<void(const Entry&)>& visit) {
  struct Shown {
    std::string drive;
    std::size_t source;
    std::int64_t row;
  };
  for (Source& source : sources) {
    std::sort(source.hits.begin(), source.hits.end(), [](const auto& a, const auto& b) {
      return std::tie(a.drive, a.row) < std::tie(b.drive, b.row);
    });
  }
  if (sources.size() == 1) {
    sources.front().table.read(sources.front().hits, [&](Entry& entry) { visit(entry); });
    return;
  }
  std::vector<std::size_t> next(sources.size(), 0);
  while (true) {
    std::size_t first = sources.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (next[i] == sources[i].hits.size()) continue;
      if (first == sources.size() ||
          sources[i].hits[next[i]].drive < sources[first].hits[next[first]].drive)
        first = i;
    }
    if (first == sources.size()) return;
    Source& source = sources[first];
    std::size_t end = next[first];
    const std::string drive = source.hits[end].drive;
    while (end < source.hits.size() && source.hits[end].drive == drive) ++end;
    const auto begin = source.hits.begin();
    source.table.read({begin + static_cast<std::ptrdiff_t>(next[first]),
                       begin + static_cast<std::ptrdiff_t>(end)},
                      [&](Entry& entry) {
                        entry.remote = source.remote;
                        visit(entry);
                      });
    next[first] = end;
  }
}

Found search_in(std::vector<Source> sources, const Store& store, const Query& query,
                const std::function<void(const Entry&)>& visit) {
  Found found;
  for (Source& source : sources) {
    const auto said = sentences(source.table, source.but_of);
    found.problems.insert(found.problems.end(), said.begin(), said.end());
  }
  if (!query.only_local) add_remotes(store, sources, found.problems);
  found.more = find_in(sources, query, found.problems);
  show(sources, visit);
  return found;
}

}  // namespace

std::string search_index_path(const Store& store) { return store.folder() + "/search.sqlite"; }

Found search(const Store& store, const Query& query,
             const std::function<void(const Entry&)>& visit) {
  store.require();
  const std::string index = search_index_path(store);
  bool shown = false;
  const auto visit_and_note = [&](const Entry& entry) {
    shown = true;
    visit(entry);
  };
  const auto remedy = [&](int attempt, const Lock& lock) {
    try {
      // Rolls back what a killed writer began; another may have made the index meanwhile.
      if (attempt == 1) return static_cast<void>(EntryTable::open_for_writing(index));
    } catch (const UnusableTable&) {
    }
    rebuild(store, lock);
  };
  for (int attempt = 0; attempt < 3; ++attempt) {
    try {
      if (attempt > 0) {
        const auto lock = Lock::within(store, kRebuildByAnother);
        if (!lock) break;
        remedy(attempt, *lock);
      }
      return search_in(tables_of(store), store, query, visit_and_note);
    } catch (const UnusableTable& why) {
      if (shown) {
        throw Error(ExitStatus::bad_input,
                    fmt::format("{}; platter registry rebuild-index makes it anew", why.what()));
      }
    }
  }
  return search_in(in_memory(store), store, query, visit_and_note);
}

Listing search(const Store& store, const Query& query) {
  Listing listing;
  Found found = search(store, query, [&](const Entry& entry) { listing.entries.push_back(entry); });
  listing.problems = std::move(found.problems);
  listing.more = found.more;
  return listing;
}

void begin_change(const Store& store, const Lock& lock, const std::string& drive) {
  mark_pending(store, lock, drive);
}

void enter_row(const Store& store, const Lock& lock, const std::string& drive) {
  enter_rows(store, lock, {drive});
}

bool is_entered(const Store& store, const std::string& drive, const std::string& digest) {
  try {
    EntryTable table = EntryTable::open(search_index_path(store));
    return table.has(drive, digest) && !table.has_damage(drive);
  } catch (const UnusableTable&) {
    return false;
  }
}

std::size_t rebuild_search_index(const Store& store) {
  store.require();
  try {
    const Lock lock(store);
    return rebuild(store, lock);
  } catch (const Error& why) {
    throw Error(ExitStatus::output, fmt::format("{}: cannot be written: {}; list and search do "
                                                "without it",
                                                search_index_path(store), why.what()));
  }
}

}  // namespace platter::registry
