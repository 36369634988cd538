#include "trace/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/error.h"

namespace platter::trace {
namespace {

constexpr std::size_t kFirstBuffer = 16 * 1024, kLargestBuffer = 256 * 1024;  // grows where there
                                                                              // is much
constexpr std::size_t kLongestLine = 4 * 1024 * 1024;  // a header of HPL's or a path may be long

}  // namespace

Input::Input(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(kFirstBuffer) {}

bool Input::fill() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  if (end_ == buffer_.size() && end_ < kLargestBuffer) buffer_.resize(2 * buffer_.size());
  ended_ = got == 0;
  return !ended_;
}

bool Input::line(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* const begin = buffer_.data() + begin_;
    const std::size_t have = end_ - begin_;
    const void* const found = std::memchr(begin + searched, '\n', have - searched);
    if (found || (ended_ && have > 0)) {
      const std::size_t length = found ? static_cast<const char*>(found) - begin : have;
      const std::size_t taken = length + (found ? 1 : 0);
      line = {begin, length};
      begin_ += taken;
      offset_ += taken;
      ++line_number_;
      return true;
    }
    if (ended_) return false;
    if (have > kLongestLine)
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}, line {}: no trace or result has lines of more than {} bytes; is it one?",
                      name_, line_number_ + 1, kLongestLine));
    searched = have;
    fill();
  }
}

}  // namespace platter::trace
