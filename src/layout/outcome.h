// What comes of a step on the way to the map: yes or no, or why the map cannot go on as it is.
#pragma once

#include <cstdint>
#include <utility>

namespace platter::layout {

class Survey;

struct Outcome {
  enum class Kind : std::uint8_t {
    yes,
    no,
    other_numbers,  // sectors are numbered otherwise than was taken: no zone holds any longer
    no_rule,        // no rule that is known here holds around block `lbn`
  };
  Kind kind = Kind::no;
  std::uint64_t lbn = 0;

  static const Outcome yes, no, other_numbers;

  bool stops() const { return kind == Kind::other_numbers || kind == Kind::no_rule; }
  bool operator==(const Outcome&) const = default;
};

inline constexpr Outcome Outcome::yes{Outcome::Kind::yes, 0};
inline constexpr Outcome Outcome::no{Outcome::Kind::no, 0};
inline constexpr Outcome Outcome::other_numbers{Outcome::Kind::other_numbers, 0};

// The outcome `no_rule`. Before that some questions are asked again: Error(protocol) if the drive
// answers otherwise than before.
Outcome give_up(Survey& survey, std::uint64_t lbn);

// A value, or why there is none.
template <typename T>
struct Result {
  Result(T known) : outcome(Outcome::yes), value(std::move(known)) {}
  Result(Outcome stop) : outcome(stop) {}

  Outcome outcome;
  T value{};
};

}  // namespace platter::layout
