// Numbers, blocks and lists in the words of DiskSim's parameter files (grammar: libparam.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace platter::emit_disksim {

// A number that DiskSim's lexer takes for a real one: digits on both sides of a point, a signed
// exponent. It reads back exactly. Throws Error(unsupported) for what is not finite.
std::string real_text(double value);

// Named values between braces, one to a line, a comma after all but the last.
class BlockText {
 public:
  explicit BlockText(std::string head) : head_(std::move(head)) {}

  void add(const std::string& name, const std::string& value) {
    lines_.push_back(name + " = " + value);
  }
  void integer(const std::string& name, std::int64_t value) { add(name, std::to_string(value)); }
  void real(const std::string& name, double value) { add(name, real_text(value)); }

  // Lines behind the first begin with `indent` blanks, for a block within another.
  std::string text(int indent = 0) const;

 private:
  std::string head_;
  std::vector<std::string> lines_;
};

// "[ a, b ]", broken into lines.
std::string list_text(const std::vector<std::string>& elements, int indent);

}  // namespace platter::emit_disksim
