// What a drive answers to address translation makes no map: its answers are nonsense, contradict
// one another, or follow no rule that is known here. Another way may map the drive.
#pragma once

#include "model/error.h"

namespace platter::layout {

class CannotMap : public Error {
 public:
  using Error::Error;
};

}  // namespace platter::layout
