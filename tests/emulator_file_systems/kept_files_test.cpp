// Which files are kept, while a tree of folders changes in any way, against the same question asked
// of the whole tree.
#include "emulator/file_systems/kept_files.h"

#include <functional>
#include <map>
#include <random>
#include <set>

#include "catch.h"

using namespace platter::emulator;

namespace {

// Folders and files by number; each is its own source.
struct Tree : NamedFiles {
  struct Node {
    bool is_folder = false;
    std::map<std::string, std::uint64_t> entries{};
    std::vector<Range> bytes{};
  };
  std::map<std::uint64_t, Node> nodes{{1, {.is_folder = true}}};
  mutable std::uint64_t reads = 0;

  std::uint64_t root() const override { return 1; }
  std::vector<Entry> entries(std::uint64_t folder, Sources& sources) const override {
    ++reads;
    sources.push_back(folder);
    std::vector<Entry> entries;
    const auto node = nodes.find(folder);
    if (node != nodes.end() && node->second.is_folder)
      for (const auto& [name, inode] : node->second.entries)
        entries.push_back({name, inode, nodes.at(inode).is_folder});
    return entries;
  }
  std::vector<Range> bytes_of(std::uint64_t file, Sources& sources) const override {
    ++reads;
    sources.push_back(file);
    const auto node = nodes.find(file);
    return node == nodes.end() ? std::vector<Range>{} : node->second.bytes;
  }

  std::vector<Range> kept(const std::vector<std::string>& globs) const {
    const NamePatterns patterns(globs);
    std::vector<Range> all;
    const std::function<void(std::uint64_t, const NamePatterns::Positions&)> walk =
        [&](std::uint64_t folder, const NamePatterns::Positions& positions) {
          for (const auto& [name, inode] : nodes.at(folder).entries) {
            const NamePatterns::Step step = patterns.into(positions, name);
            const Node& node = nodes.at(inode);
            if (node.is_folder)
              walk(inode, step.positions);
            else if (step.named)
              all.insert(all.end(), node.bytes.begin(), node.bytes.end());
          }
        };
    walk(1, patterns.at_root());
    return Ranges(all).all();
  }
};

}  // namespace

TEST_CASE("kept files follow every change of a tree", "[names]") {
  const std::vector<std::vector<std::string>> kGlobs{
      {"a/b"}, {"**/a"}, {"a/*/c", "b"}, {"*/**/c"}, {"**"}};
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (const auto& globs : kGlobs) {
    Tree tree;
    KeptFiles kept(tree, globs);
    std::uint64_t next = 2, next_byte = 0;
    kept.update();
    for (int step = 0; step < 600; ++step) {
      std::vector<std::uint64_t> folders;
      for (const auto& [inode, node] : tree.nodes)
        if (node.is_folder) folders.push_back(inode);
      const std::uint64_t folder = folders[below(folders.size())];
      auto& entries = tree.nodes[folder].entries;
      const std::string name(1, static_cast<char>('a' + below(4)));
      const auto kind = below(8);
      if (kind < 4 && !entries.contains(name) && tree.nodes.size() < 60) {
        tree.nodes[next].is_folder = below(2) == 0;
        if (!tree.nodes[next].is_folder) tree.nodes[next].bytes = {{next_byte, next_byte + 10}};
        next_byte += 20;
        entries[name] = next++;
      } else if (kind == 4 && entries.contains(name)) {  // with all below
        const std::function<void(std::uint64_t)> remove = [&](std::uint64_t inode) {
          const auto children = tree.nodes[inode].entries;
          for (const auto& [child_name, child] : children) remove(child);
          // A file that has another name stays.
          int names = 0;
          for (const auto& [number, node] : tree.nodes)
            for (const auto& [child_name, child] : node.entries) names += child == inode ? 1 : 0;
          if (names <= 1) {
            tree.nodes.erase(inode);
            kept.changed(inode);
          }
        };
        const std::uint64_t gone = entries[name];
        remove(gone);
        if (tree.nodes.contains(folder)) tree.nodes[folder].entries.erase(name);
      } else if (kind == 5 && entries.contains(name)) {  // moved, a folder not below itself
        const std::uint64_t moved = entries[name];
        const std::uint64_t to = folders[below(folders.size())];
        std::set<std::uint64_t> above;
        std::function<void(std::uint64_t)> down = [&](std::uint64_t inode) {
          above.insert(inode);
          for (const auto& [child_name, child] : tree.nodes[inode].entries) down(child);
        };
        down(moved);
        const std::string new_name(1, static_cast<char>('a' + below(4)));
        if (!above.contains(to) && !tree.nodes[to].entries.contains(new_name)) {
          entries.erase(name);
          tree.nodes[to].entries[new_name] = moved;
          kept.changed(to);
        }
      } else if (kind == 6 && entries.contains(name) && !tree.nodes[entries[name]].is_folder) {
        tree.nodes[entries[name]].bytes.push_back({next_byte, next_byte + 5});
        next_byte += 20;
        kept.changed(entries[name]);
      } else if (kind == 7 && entries.contains(name) && !tree.nodes[entries[name]].is_folder) {
        const std::uint64_t file = entries[name];  // a second name
        const std::uint64_t to = folders[below(folders.size())];
        if (tree.nodes[to].entries.try_emplace("d", file).second) kept.changed(to);
      }
      kept.changed(folder);
      kept.update();
      REQUIRE(kept.bytes().all() == tree.kept(globs));
    }
  }
}

TEST_CASE("what leads to no name is not read, nor read again", "[names]") {
  Tree tree;
  for (std::uint64_t i = 2; i < 100; ++i) {
    tree.nodes[i].is_folder = true;
    tree.nodes[1].entries["f" + std::to_string(i)] = i;
  }
  tree.nodes[200].bytes = {{0, 10}};
  tree.nodes[50].entries["x"] = 200;
  KeptFiles kept(tree, {"f50/x"});
  CHECK(kept.update());
  CHECK(tree.reads == 3);
  CHECK(kept.holds(5, 6));
  CHECK_FALSE(kept.holds(10, 20));
  kept.changed(30);
  CHECK_FALSE(kept.update());
  CHECK(tree.reads == 3);
  kept.changed(50);
  CHECK_FALSE(kept.update());
  CHECK(tree.reads == 4);
}

TEST_CASE("folders that lead in circles end", "[names]") {
  Tree tree;
  for (const std::uint64_t i : {2, 3}) tree.nodes[i].is_folder = true;
  tree.nodes[1].entries = {{"a", 2}};
  tree.nodes[2].entries = {{"a", 3}, {"b", 1}};
  tree.nodes[3].entries = {{"a", 2}, {"b", 3}, {"c", 1}};
  for (const char* const glob : {"**", "**/a", "a/a/a/a/b", "*/*/b/c"}) {
    KeptFiles kept(tree, {glob});
    kept.update();
    for (const std::uint64_t i : {1, 2, 3}) {
      kept.changed(i);
      kept.update();
    }
    tree.nodes[2].entries.erase("a");
    kept.changed(2);
    kept.update();
    tree.nodes[2].entries["a"] = 3;
  }
}
