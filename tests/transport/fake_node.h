// A device node of our own: what is asked of it by SG_IO comes to a function of the test.
#pragma once

#include <functional>

namespace platter::transport {

constexpr int kFakeNode = 1'000'000;  // no descriptor of this process

// `header` is an sg_io_hdr_t or an sg_io_v4; the returned value is errno. Called by whatever thread
// asks. One at a time.
class FakeNode {
 public:
  using Answers = std::function<int(void* header)>;
  explicit FakeNode(Answers answers);
  ~FakeNode();
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;

 private:
  Answers answers_;
};

}  // namespace platter::transport
