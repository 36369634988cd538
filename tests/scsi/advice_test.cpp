// The table of advice: each row can be reached, the narrowest one is, and every sense has one.
#include "scsi/advice.h"

#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "scsi/drive_errors.h"
#include "scsi/scripted_device.h"

using namespace platter;
using namespace platter::scsi;
using namespace platter::scsi::testing;

namespace {

struct Code {
  std::uint8_t key, asc, ascq;
};

// Descriptor format sense data (SPC-4, descriptor format sense data).
std::vector<std::uint8_t> descriptor_sense(Code code, bool deferred = false) {
  return {
      static_cast<std::uint8_t>(deferred ? 0x73 : 0x72), code.key, code.asc, code.ascq, 0, 0, 0, 0};
}

std::optional<Sense> both_forms(Code code, bool deferred = false) {
  const std::uint8_t form = deferred ? 0x71 : 0x70;
  const auto fixed = decode_sense(fixed_sense(code.key, code.asc, code.ascq, form));
  const auto descriptors = decode_sense(descriptor_sense(code, deferred));
  REQUIRE((fixed && descriptors));
  CHECK(fixed->key == descriptors->key);
  CHECK(fixed->asc == descriptors->asc);
  CHECK(fixed->ascq == descriptors->ascq);
  CHECK(fixed->deferred == descriptors->deferred);
  return descriptors;
}

Advice advice_of(Code code, bool deferred = false) {
  return advice_on(both_forms(code, deferred), Status::check_condition);
}

bool may_do_elsewhere(Code code) {
  return DriveError(ExitStatus::drive_error, "", both_forms(code), 0, 1).may_do_elsewhere();
}

// A sense that no earlier row is of.
std::optional<Code> own_code(std::size_t row) {
  const auto rows = advice_rows();
  for (unsigned key = 0; key < 16; ++key)
    for (unsigned code = rows[row].first; code <= rows[row].last; ++code) {
      const Code found{static_cast<std::uint8_t>(key), static_cast<std::uint8_t>(code >> 8),
                       static_cast<std::uint8_t>(code)};
      std::size_t first = 0;
      while (first < row && !rows[first].is_of(static_cast<SenseKey>(key), found.asc, found.ascq))
        ++first;
      if (first == row && rows[row].is_of(static_cast<SenseKey>(key), found.asc, found.ascq))
        return found;
    }
  return std::nullopt;
}

}  // namespace

TEST_CASE("each row of advice is reached by sense data of its own, fixed and with descriptors") {
  const auto rows = advice_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO("row " << i << ": " << rows[i].text);
    const auto code = own_code(i);
    REQUIRE(code);
    const Advice found = advice_of(*code);
    CHECK(found.text == rows[i].text);
    CHECK(found.affects == rows[i].affects);
    CHECK((found.status == ExitStatus::refused) == rows[i].locked);
  }
}

TEST_CASE("of two rows for one sense the narrower one stands first") {
  const auto rows = advice_rows();
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const AdviceRow &before = rows[i], &behind = rows[j];
      if ((before.keys & behind.keys) == 0 || before.last < behind.first ||
          behind.last < before.first)
        continue;
      INFO("rows " << i << " and " << j << ": " << before.text << " / " << behind.text);
      CHECK((behind.first <= before.first && before.last <= behind.last));
      if (before.first == behind.first && before.last == behind.last)
        CHECK(((before.keys & behind.keys) == before.keys && before.keys != behind.keys));
    }
}

TEST_CASE("every sense and every status has an advice that ends a sentence") {
  const auto ends_a_sentence = [](std::string_view text) {
    CHECK(text.size() > 10);
    CHECK((text.front() >= 'a' && text.front() <= 'z'));
    CHECK(text.back() != '.');
  };
  for (const AdviceRow& row : advice_rows()) ends_a_sentence(row.text);
  CHECK(advice_rows().back().keys == 0xFFFF);
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const auto bits = random();
    Sense sense;
    sense.key = static_cast<SenseKey>(bits & 0xF);
    sense.asc = static_cast<std::uint8_t>(bits >> 4);
    sense.ascq = static_cast<std::uint8_t>(bits >> 12);
    sense.deferred = (bits >> 20 & 1) != 0;
    INFO(sense.text());
    ends_a_sentence(advice_on(sense, Status::check_condition).text);
  }
  for (const Status status : {Status::check_condition, Status::busy, Status::reservation_conflict,
                              Status::task_set_full, Status::aborted, static_cast<Status>(0x7E)})
    ends_a_sentence(advice_on(std::nullopt, status).text);
}

TEST_CASE("what people meet gets the advice for it") {
  struct Example {
    Code code;
    const char* says;
    Affects affects;
    ExitStatus status;
  };
  using enum Affects;
  using enum ExitStatus;
  const auto examples = std::to_array<Example>({
      {{3, 0x31, 0x00}, "has to be formatted", whole_drive, drive_error},
      {{2, 0x31, 0x01}, "has to be formatted", whole_drive, drive_error},
      {{3, 0x11, 0x00}, "leave these blocks out", these_blocks, drive_error},
      {{3, 0x16, 0x00}, "leave these blocks out", these_blocks, drive_error},
      {{2, 0x3A, 0x00}, "no medium", whole_drive, drive_error},
      {{2, 0x3A, 0x02}, "no medium", whole_drive, drive_error},
      {{2, 0x04, 0x01}, "does not become ready", this_try, drive_error},
      {{2, 0x04, 0x02}, "sg_start --start", whole_drive, drive_error},
      {{2, 0x04, 0x11}, "sg_start --start", whole_drive, drive_error},
      {{2, 0x04, 0x0B}, "another path", whole_drive, drive_error},
      {{2, 0x04, 0x1B}, "being sanitized", whole_drive, drive_error},
      {{2, 0x04, 0x77}, "start the drive", whole_drive, drive_error},
      {{2, 0x5E, 0x02}, "sleep", this_try, drive_error},
      {{5, 0x21, 0x00}, "one too many", these_blocks, unsupported},
      {{5, 0x21, 0x04}, "written out of order", this_command, unsupported},
      {{5, 0x21, 0x05}, "zoned drives", this_command, unsupported},
      {{5, 0x21, 0x06}, "blocks of a zone", these_blocks, unsupported},
      {{7, 0x27, 0x00}, "write blocker", whole_drive, drive_error},
      {{7, 0x27, 0x08}, "this zone can only be read", these_blocks, drive_error},
      {{7, 0x51, 0x00}, "write protected", whole_drive, drive_error},
      {{4, 0x44, 0x00}, "failed inside", this_try, drive_error},
      {{4, 0x40, 0x85}, "reports a failure", this_try, drive_error},
      {{0xB, 0x10, 0x01}, "protection information", these_blocks, drive_error},
      {{5, 0x25, 0x00}, "no drive at this address", whole_drive, unsupported},
      {{5, 0x20, 0x00}, "does not support it", this_command, unsupported},
      {{0xB, 0x20, 0x00}, "does not support it", this_command, drive_error},
      {{5, 0x24, 0x00}, "does not support it", this_command, unsupported},
      {{5, 0x20, 0x02}, "unlock it", whole_drive, refused},
      {{4, 0x20, 0x02}, "reports a failure", this_try, drive_error},
      {{3, 0x74, 0x71}, "unlock it", whole_drive, refused},
      {{1, 0x5D, 0x10}, "expects to fail", this_try, drive_error},
      {{6, 0x0B, 0x01}, "too hot", this_try, drive_error},
      {{6, 0x29, 0x00}, "resetting", this_try, drive_error},
      {{0xB, 0x47, 0x03}, "cable", this_try, drive_error},
      {{0xB, 0x4B, 0x00}, "cable", this_try, drive_error},
      {{0xB, 0x4E, 0x00}, "adapter", this_try, drive_error},
      {{0xB, 0x00, 0x00}, "cable", this_try, drive_error},
      {{9, 0x80, 0x80}, "try again", this_try, drive_error},
  });
  for (const Example& example : examples) {
    const Advice found = advice_of(example.code);
    INFO(both_forms(example.code)->text() << "; " << found.text);
    CHECK_THAT(std::string(found.text), Catch::Contains(example.says));
    CHECK(found.affects == example.affects);
    CHECK(found.status == example.status);
  }
  const Advice conflict = advice_on(std::nullopt, Status::reservation_conflict);
  CHECK_THAT(std::string(conflict.text), Catch::Contains("reservation"));
  CHECK(conflict.status == ExitStatus::refused);
}

TEST_CASE("a deferred error is of an earlier command: neither of these blocks nor refused") {
  const Advice medium = advice_of({3, 0x0C, 0x00}, true);
  CHECK(medium.affects == Affects::this_try);
  CHECK_THAT(std::string(medium.text), Catch::Contains("an earlier command"));
  CHECK(advice_of({5, 0x74, 0x00}, true).status == ExitStatus::drive_error);
  CHECK(advice_of({5, 0x24, 0x00}, true).status == ExitStatus::drive_error);
  CHECK(advice_of({3, 0x31, 0x00}, true).affects == Affects::whole_drive);
}

TEST_CASE("what is of the whole drive does no better elsewhere on it") {
  for (const std::uint8_t ascq : std::to_array<std::uint8_t>({0x00, 0x01, 0x03}))
    CHECK_FALSE(may_do_elsewhere({3, 0x31, ascq}));
  for (const std::uint8_t key : std::to_array<std::uint8_t>({0x3, 0x4, 0xB}))
    CHECK_FALSE(may_do_elsewhere({key, 0x74, 0x71}));
  CHECK_FALSE(may_do_elsewhere({3, 0x30, 0x10}));
  CHECK(may_do_elsewhere({3, 0x11, 0x00}));
  CHECK(may_do_elsewhere({3, 0x03, 0x00}));
  CHECK(may_do_elsewhere({4, 0x44, 0x00}));
  CHECK(may_do_elsewhere({0xB, 0x00, 0x00}));
  CHECK_FALSE(may_do_elsewhere({5, 0x21, 0x00}));
}
