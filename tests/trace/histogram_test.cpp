#include "trace/histogram.h"

#include "catch.h"

using namespace platter::trace;

TEST_CASE("numbers up to 2^64 - 1 fall into classes as narrow as promised") {
  for (const int exact_bits : {2, 11, Histogram::kExactBits}) {
    for (int bit = 0; bit < 64; ++bit) {
      for (const std::uint64_t offset : {-1, 0, 1}) {
        const std::uint64_t number = (std::uint64_t{1} << bit) + offset;
        Histogram histogram(exact_bits);
        histogram.add(number);
        const auto classes = histogram.most_common(2);
        REQUIRE(classes.size() == 1);
        const auto [first, last, count] = classes.front();
        CHECK(count == 1);
        CHECK(first <= number);
        CHECK(number <= last);
        if (number < std::uint64_t{1} << exact_bits)
          CHECK(first == last);
        else
          CHECK(last - first < first >> (exact_bits - 1));
        // Of one number all quantiles are that number, for the least and the most are known.
        CHECK(histogram.quantile(0.3) == static_cast<double>(number));
      }
    }
  }
}

TEST_CASE("the median of an even number is the mean of the two in the middle") {
  Histogram histogram;
  for (const std::uint64_t number : {8, 16, 128, 128}) histogram.add(number);
  CHECK(histogram.median() == 72);
  CHECK(histogram.mean() == 70);
  CHECK(histogram.quantile(0) == 8);
  CHECK(histogram.quantile(1) == 128);
}

TEST_CASE("of no numbers every figure is 0") {
  const Histogram histogram;
  CHECK(histogram.median() == 0);
  CHECK(histogram.mean() == 0);
  CHECK(histogram.deviation() == 0);
  CHECK(histogram.powers_of_two().empty());
}

TEST_CASE("counts of two are those of both together") {
  ClassCounts few(4), many(4), both(4);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t number = i * i * i;
    (i % 7 == 3 ? few : many).add(number);
    both.add(number);
  }
  few.add(many);
  CHECK(few.count() == 1000);
  CHECK(few.least() == 0);
  CHECK(few.most() == both.most());
  for (const std::uint64_t place : {0, 1, 13, 500, 999})
    CHECK(few.value_at(place) == both.value_at(place));
  few.add(ClassCounts(4));
  CHECK(few.least() == 0);
}
