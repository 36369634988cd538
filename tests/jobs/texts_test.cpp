// What jobs read of a user's words, and the texts that they make.
#include <string>

#include "catch.h"
#include "jobs/exit_statuses.h"
#include "jobs/numbers.h"
#include "jobs/progress_text.h"
#include "jobs/study.h"
#include "model/error.h"
#include "model/json_text.h"
#include "model/number_in.h"

using namespace platter;
using namespace platter::jobs;

TEST_CASE("numbers are whole, with an exponent or a unit, and exact") {
  CHECK(whole_number("1000") == 1000);
  CHECK(whole_number("1e3") == 1000);
  CHECK(whole_number("10k") == 10'000);
  CHECK(whole_number("18446744073709551615") == 18446744073709551615U);
  for (const char* const none :
       {"", "1.5", "-1", "0x10", "1e17", "k", "1 ", "18446744073709551616"})
    CHECK_FALSE(whole_number(none));
  CHECK_FALSE(model::number_in<std::uint64_t>("1e3"));
  CHECK(scaled("50%", {{"%", 0.01}}) == 0.5);
  CHECK_FALSE(scaled("50", {{"%", 0.01}}));
  CHECK_FALSE(scaled("inf", {{"", 1}}));
}

TEST_CASE("ranges of LBNs are as they were typed, or the whole drive") {
  const auto ranges = lbn_ranges({"5-9,20", "1e3-2e3"});
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].first == 5);
  CHECK(ranges[0].last == 9);
  CHECK(ranges[1].first == 20);
  CHECK(ranges[1].last == 20);
  CHECK(ranges[2].last == 2000);
  for (const char* const none : {"", "9-5", "a-b", "5-", "-5", "all", "5-9,"})
    CHECK_THROWS_AS(lbn_ranges({none}), Error);
  const auto all = writable_ranges({"5-9", "all"}, 100);
  REQUIRE(all.size() == 1);
  CHECK(all[0].first == 0);
  CHECK(all[0].last == 99);
}

TEST_CASE("how far a run is can be read again of what it tells") {
  const Standing standing{"seeks", 0.126, 200};
  CHECK(as_line(standing) == "[ 13 %] seeks, 3 min 20 s left");
  CHECK(as_bar({"seeks", 0.5, {}}) == "[############............]  50 %  seeks");
  const auto again = standing_in(model::json_text(as_json(standing)));
  REQUIRE(again);
  CHECK(again->stage == "seeks");
  CHECK(again->share == 0.126);
  CHECK(again->left_s == 200);
  CHECK_FALSE(standing_in(model::json_text(as_json({"seeks", 0.5, {}})))->left_s);
  for (const char* const none : {"seeks", "{\"stage\": 1, \"share\": 0}", "{\"stage\": \"a\"}"})
    CHECK_FALSE(standing_in(none));
  CHECK(minutes(59.6) == "1 min 00 s");
  CHECK(shortened(std::string(50, 'a')).size() == 36);
}

TEST_CASE("a script for Slurm takes any name as one word") {
  const std::string script = slurm_script({.study = "/a b/it's $HOME.json",
                                           .folder = "/x/y",
                                           .name = "a b\n#SBATCH --evil",
                                           .parts = 7,
                                           .jobs = 3,
                                           .most_requests = 10});
  CHECK(script.find("study='/a b/it'\\''s $HOME.json'\n") != std::string::npos);
  CHECK(script.find("#SBATCH --array=1-7\n") != std::string::npos);
  CHECK(script.find("#SBATCH --job-name=a_b__SBATCH_--evil\n") != std::string::npos);
  CHECK(script.find("--part \"$SLURM_ARRAY_TASK_ID/7\" --jobs 3 --progress none "
                    "--most-requests 10\n") != std::string::npos);
}

TEST_CASE("every exit status but that of success says when it comes") {
  for (const StatusMeaning& meaning : status_meanings()) CHECK_FALSE(meaning.causes.empty());
}
