// Whether a map by address translation is worth its questions, where timing could make it, too:
// judged while it grows by how far it has come.
#pragma once

#include <cstdint>
#include <string>

#include "layout/mapper.h"

namespace platter::extract {

// Another way is cheaper; why, in words.
struct TooDear {
  std::string why;
};

class WorthOfTranslation {
 public:
  // `other_way_s`: what a map by timing would take.
  WorthOfTranslation(std::uint64_t blocks, double other_way_s)
      : blocks_(static_cast<double>(blocks)), other_way_s_(other_way_s) {}

  // Throw TooDear. `question_s`: what one takes, in the mean.
  void grown(const layout::Growth& growth, double question_s);
  // A map that has grown is looked through, and mended, with more questions.
  void asked(double all_s) const;

 private:
  double blocks_, other_way_s_;
  std::uint64_t furthest_ = 0;  // block; where numbers were taken wrongly a map begins again
  std::size_t zones_ = 0;
};

}  // namespace platter::extract
