// The index for searching, in an SQLite file beside the layouts. It is derived, and says what the
// layouts say without reading them: writers enter every change (enter_row), what a stopped one left
// is marked (pending.h), and what was damaged is remembered and looked at again when it changes. A
// file that is gone, damaged or of another version is made anew; a folder that may not be written
// does without.
//
// SQLite keeps a rollback journal here, not a write-ahead log: a log's readers must write beside
// it, and a registry may be read-only or on NFS. Everything that writes holds the registry's lock;
// readers open the file read-only, so that none rolls a dead writer's journal back into a file that
// was meanwhile replaced. They hold SQLite's lock for milliseconds, never while they print. A
// writer that meets them longer leaves its mark, and is done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/entry.h"
#include "registry/query.h"
#include "registry/store.h"

namespace platter::registry {

struct Found {
  std::vector<std::string> problems;  // what could not be read, a sentence each; see verify.h
  bool more = false;                  // than the query's limit
};

// `visit` gets every entry of the folder and its remotes' indexes that the query finds: by drive,
// then in the order of publication. With a limit, the first that are found; which they are depends
// on the order in which the drives were entered. Throws Error(bad_input) where there is no
// registry.
Found search(const Store& store, const Query& query,
             const std::function<void(const Entry&)>& visit);

struct Listing {
  std::vector<Entry> entries;
  std::vector<std::string> problems;
  bool more = false;
};

// The same, all in memory.
Listing search(const Store& store, const Query& query = {});

// Whoever changes a layout calls the first before and the second behind it, in one hold of the
// lock. Where the index cannot be written, the mark that begin_change() left has the next search
// read the layout. Both are quick: the index is opened, and this drive's rows are replaced.
void begin_change(const Store& store, const Lock& lock, const std::string& drive);
void enter_row(const Store& store, const Lock& lock, const std::string& drive);

// Whether the index has this manifest, and remembers no damage of this drive: there is nothing to
// enter.
bool is_entered(const Store& store, const std::string& drive, const std::string& digest);

// Makes the index anew and returns how many models it holds.
std::size_t rebuild_search_index(const Store& store);

std::string search_index_path(const Store& store);

}  // namespace platter::registry
