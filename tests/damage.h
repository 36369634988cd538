// What a disk of the host makes of a file that is read again later: one byte that is another one,
// the file cut off, some of it zeros, an end of a line gone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>

namespace platter::testing {

class Damage {
 public:
  static constexpr std::size_t kMutants = 2000;

  explicit Damage(std::uint64_t seed) : dice_(seed) {}

  // Never the same as `whole`.
  std::string of(const std::string& whole) {
    std::string text = whole;
    while (text == whole) text = mutant(whole);
    return text;
  }
  std::uint64_t operator()() { return dice_(); }

 private:
  std::string mutant(std::string text) {
    const std::size_t at = dice_() % text.size();
    const std::size_t some = 1 + dice_() % (dice_() % 2 ? 16 : 3000);
    switch (dice_() % 4) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 + dice_() % 255));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.replace(at, std::min(some, text.size() - at), std::min(some, text.size() - at), '\0');
        break;
      default:  // as where one newline of a file is gone, or a sector is another file's
        text[text.find('\n', at) < text.size() ? text.find('\n', at) : at] ^= 0x10;
    }
    return text;
  }

  std::mt19937_64 dice_;
};

}  // namespace platter::testing
