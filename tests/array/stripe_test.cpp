// Stripes against contents: what a stripe says is read and written must keep parity the sum of the
// data, and give every read what was written last.
#include "array/stripe.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "catch.h"

using namespace platter;
using array::Failure;
using array::Handled;
using array::Page;
using array::Stripe;

namespace {

constexpr std::uint32_t kPageBlocks = 8;

Stripe stripe_of(std::uint32_t members, std::uint32_t parity) {
  return {.parity = parity, .pages = std::vector<Page>(members)};
}

// A stripe whose members hold a word each. What it says is done, and checked.
class Contents {
 public:
  Contents(std::uint32_t members, std::uint32_t parity, std::optional<Failure> lacks)
      : stripe(stripe_of(members, parity)),
        failure(lacks),
        truth_(members),
        disk_(members),
        cache_(members) {}

  void write(std::uint32_t member, std::uint64_t word, std::uint32_t request) {
    stripe.pages[member].to_write.push_back({request, 0, kPageBlocks});
    pending_[member] = word;
  }

  // Until nothing is under way; returns how many reads and writes that took.
  std::pair<int, int> run() {
    int reads = 0, writes = 0;
    for (;;) {
      const Stripe before = stripe;
      Handled handled;
      handle(stripe, kPageBlocks, failure, handled);
      ended.insert(ended.end(), handled.ended.begin(), handled.ended.end());
      synced |= handled.synced;
      if (handled.accesses.empty()) break;
      follow(before);
      for (const array::PageAccess& access : handled.accesses) {
        REQUIRE(
            (!failure || failure->member != access.member || (access.write && failure->present)));
        ++(access.write ? writes : reads);
        if (access.write)
          disk_[access.member] = cache_[access.member];
        else
          cache_[access.member] = disk_[access.member];
      }
    }
    return {reads, writes};
  }

  // What a member's page holds, be it there or the sum of the others.
  std::uint64_t held(std::uint32_t member) const {
    if (!failure || failure->member != member) return disk_[member];
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < disk_.size(); ++i)
      if (i != member) sum ^= disk_[i];
    return sum;
  }
  std::uint64_t on_disk(std::uint32_t member) const { return disk_[member]; }
  std::uint64_t truth(std::uint32_t member) const { return truth_[member]; }

  Stripe stripe;
  std::optional<Failure> failure;
  std::vector<std::uint32_t> ended{};
  bool synced = false;

 private:
  // What is known without an access must follow from what was known.
  void follow(const Stripe& before) {
    if (failure && !before.pages[failure->member].known && stripe.pages[failure->member].known &&
        before.pages[failure->member].to_write.empty() && failure->member != stripe.parity)
      compute(before, failure->member);
    else if (failure && stripe.sync_wanted && failure->member == stripe.parity &&
             !before.pages[failure->member].known && stripe.pages[failure->member].known &&
             !begins_write())
      compute(before, failure->member);
    if (begins_write()) change(before);
  }

  bool begins_write() const {
    return std::ranges::any_of(stripe.pages,
                               [](const Page& page) { return !page.written.empty(); });
  }

  void compute(const Stripe& before, std::uint32_t lost) {
    cache_[lost] = 0;
    for (std::uint32_t i = 0; i < cache_.size(); ++i)
      if (i != lost) {
        REQUIRE(before.pages[i].known);
        cache_[lost] ^= cache_[i];
      }
  }

  void change(const Stripe& before) {
    bool rest_known = true, old_known = before.pages[stripe.parity].known;
    for (std::uint32_t i = 0; i < cache_.size(); ++i) {
      if (i == stripe.parity) continue;
      const bool written = !stripe.pages[i].written.empty();
      const bool known = before.pages[i].known || (computed(i));
      if (written)
        old_known &= known;
      else
        rest_known &= known;
    }
    REQUIRE((rest_known || old_known));
    for (std::uint32_t i = 0; i < cache_.size(); ++i)
      if (!stripe.pages[i].written.empty()) {
        if (!rest_known) cache_[stripe.parity] ^= cache_[i] ^ *pending_[i];
        cache_[i] = truth_[i] = *pending_[i];
        pending_[i].reset();
      }
    if (!rest_known) return;
    cache_[stripe.parity] = 0;
    for (std::uint32_t i = 0; i < cache_.size(); ++i)
      if (i != stripe.parity) cache_[stripe.parity] ^= cache_[i];
  }

  bool computed(std::uint32_t member) const {
    return failure && failure->member == member && stripe.pages[member].known;
  }

  std::vector<std::uint64_t> truth_, disk_, cache_;
  std::array<std::optional<std::uint64_t>, 8> pending_{};
};

}  // namespace

TEST_CASE("a write reads what costs fewer reads, reconstruct-write where both cost the same") {
  for (std::uint32_t members = 3; members <= 8; ++members)
    for (std::uint32_t written = 1; written < members; ++written) {
      Contents contents(members, members - 1, std::nullopt);
      for (std::uint32_t i = 0; i < written; ++i) contents.write(i, 100 + i, i);
      const auto [reads, writes] = contents.run();
      CHECK(reads == static_cast<int>(std::min(written + 1, members - 1 - written)));
      CHECK(writes == static_cast<int>(written + 1));
      CHECK(contents.ended.size() == written);
    }
}

TEST_CASE("what a stripe keeps is not read again") {
  Contents contents(5, 4, std::nullopt);
  contents.write(0, 1, 0);
  CHECK(contents.run() == std::pair(2, 2));
  contents.write(0, 2, 0);
  CHECK(contents.run() == std::pair(0, 2));
}

TEST_CASE("a page that is written in part is read first") {
  Contents contents(5, 4, std::nullopt);
  contents.stripe.pages[0].to_write.push_back({0, 2, 5});
  Handled handled;
  handle(contents.stripe, kPageBlocks, std::nullopt, handled);
  CHECK(handled.accesses == std::vector<array::PageAccess>{{0, false}});
  contents.stripe.pages[0].to_write = {{0, 0, 5}, {1, 5, 8}};
  CHECK(contents.stripe.pages[0].overwritten(kPageBlocks));
}

TEST_CASE("parity stays the sum of the data, whole, with one missing and while that is rebuilt") {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 3000; ++trial) {
    const auto members = static_cast<std::uint32_t>(3 + random() % 4);
    const auto parity = static_cast<std::uint32_t>(random() % members);
    std::optional<Failure> failure;
    if (random() % 3 > 0)
      failure = Failure{static_cast<std::uint32_t>(random() % members), random() % 2 == 0};
    Contents contents(members, parity, failure);
    for (int step = 0; step < 6; ++step) {
      std::uint32_t asked = 0;
      for (std::uint32_t i = 0; i < members; ++i)
        if (i != parity && random() % 2 == 0) {
          ++asked;
          if (random() % 2 == 0)
            contents.write(i, random(), i);
          else
            contents.stripe.pages[i].to_read.push_back({i, 0, kPageBlocks});
        }
      if (failure && failure->present && random() % 4 == 0) {
        contents.stripe.sync_wanted = true;
        contents.stripe.in_step = false;
      }
      const bool wanted = contents.stripe.sync_wanted;
      contents.ended.clear();
      contents.synced = false;
      contents.run();
      REQUIRE(contents.ended.size() == asked);
      REQUIRE(contents.synced == wanted);
      REQUIRE(!contents.stripe.busy());
      for (std::uint32_t i = 0; i < members; ++i)
        if (i != parity) REQUIRE(contents.held(i) == contents.truth(i));
      if (wanted) REQUIRE(contents.on_disk(failure->member) == contents.held(failure->member));
      if (random() % 2 == 0)  // the cache lost it
        for (Page& page : contents.stripe.pages) page.known = false;
    }
  }
}
