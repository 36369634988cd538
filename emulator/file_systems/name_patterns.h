// Patterns of paths, as seen from a file system's root: components between slashes with *, ? and
// [...], none of which is a slash; ** for any number of components. A pattern that names a folder
// names all that is below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace platter::emulator {

class NamePatterns {
 public:
  NamePatterns() = default;
  explicit NamePatterns(const std::vector<std::string>& globs);

  bool empty() const { return patterns_.empty(); }

  // How far patterns have got along a path.
  struct Position {
    std::uint32_t pattern = 0, component = 0;
    auto operator<=>(const Position&) const = default;
  };
  using Positions = std::vector<Position>;
  Positions at_root() const;
  struct Step {
    Positions positions{};  // for what is below
    bool named = false;     // this path is
  };
  Step into(const Positions& positions, const std::string& name) const;

 private:
  void add(Positions& positions, Position position) const;

  std::vector<std::vector<std::string>> patterns_{};
};

}  // namespace platter::emulator
