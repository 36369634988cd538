#include "trace/think_times.h"

#include <sstream>

#include "catch.h"
#include "trace/trace.h"

using namespace platter;
using namespace platter::trace;

namespace {

// Gives `piece` requests at a time.
class Counting final : public Reader {
 public:
  Counting(std::size_t requests, std::size_t piece) : requests_(requests), piece_(piece) {}

  const Source& source() const override { return source_; }
  std::size_t read(std::span<Request> out) override {
    std::size_t i = 0;
    for (; i < std::min(out.size(), piece_) && given_ < requests_; ++i, ++given_) {
      out[i] = {};
      out[i].lbn = given_;
      out[i].think_ns = 100 + static_cast<Nanoseconds>(given_);
    }
    return i;
  }

 private:
  Source source_{.name = "counted", .kind = Kind::closed};
  std::size_t requests_, piece_, given_ = 0;
};

}  // namespace

TEST_CASE("a think time in front of its request is the one behind the request before") {
  for (const std::size_t requests : {0u, 1u, 2u, 3u, 10u}) {
    for (const std::size_t piece : {1u, 2u, 3u, 100u}) {
      for (const std::size_t room : {1u, 2u, 7u}) {
        auto reader = think_times_in_front(std::make_unique<Counting>(requests, piece));
        std::vector<Request> all, some(room);
        while (const std::size_t count = reader->read(some))
          all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
        REQUIRE(all.size() == requests);
        for (std::size_t i = 0; i < requests; ++i) {
          CHECK(all[i].lbn == i);
          CHECK(all[i].think_ns == (i + 1 < requests ? 100 + static_cast<Nanoseconds>(i) + 1 : 0));
        }
      }
    }
  }
}
