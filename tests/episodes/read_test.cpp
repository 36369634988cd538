// Files of episodes: what they say is read, and what is wrong is refused in one sentence.
#include "episodes/read.h"

#include <fmt/format.h>

#include "catch.h"
#include "model/error.h"

using namespace platter;
using namespace platter::episodes;
using Catch::Contains;

namespace {

std::string file(const std::string& episodes, const std::string& more = "") {
  return R"({"schema":{"name":"platter-episodes","version":"1.0"},)" + more + R"("episodes":[)" +
         episodes + "]}";
}

std::string refusal(const std::string& text) {
  try {
    read_schedule(text, "e.json");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a file of episodes says all of them", "[episodes]") {
  const std::string text = file(
      R"({"what":"stall","from_s":30,"for_s":2.5,"every_s":60},)"
      R"({"what":"throttle","factor":4,"of":"read"},)"
      R"({"what":"slow","delay_ms":7,"every_nth":100},)"
      R"({"what":"slow","delay_ms":{"distribution":"exponential","mean":20},"probability":0.25},)"
      R"({"what":"slow","delay_ms":{"distribution":"uniform","from":1,"to":3},"of":"any"},)"
      R"({"what":"fail","lbns":[8,15],"of":"write"},)"
      R"({"what":"stuck","requests":[5,9],"of":"flush"})",
      R"("seed":7,)");
  const Schedule schedule = read_schedule(text, "e.json");
  CHECK(schedule.seed == 7);
  CHECK(schedule.sha256.size() == 64);
  REQUIRE(schedule.episodes.size() == 7);
  const auto& e = schedule.episodes;
  for (std::size_t i = 0; i < e.size(); ++i) {
    constexpr What kSaid[] = {What::stall, What::throttle, What::slow, What::slow,
                              What::slow,  What::fail,     What::stuck};
    CHECK(e[i].what == kSaid[i]);
  }
  CHECK(e[0].from_ns == 30 * kSecond);
  CHECK(e[0].for_ns == 2500 * kMillisecond);
  CHECK(e[0].every_ns == 60 * kSecond);
  CHECK(e[1].factor == 4);
  CHECK(e[1].of == Kind::read);
  CHECK(e[1].from_ns == 0);
  CHECK_FALSE(e[1].for_ns);
  CHECK(e[2].delay.low == 7e6);
  CHECK(e[2].every_nth == 100);
  CHECK(e[3].probability == 0.25);
  CHECK(e[3].delay.distribution == Delay::Distribution::exponential);
  CHECK(e[4].delay.high == 3e6);
  CHECK_FALSE(e[4].of);
  REQUIRE(e[5].lbns);
  CHECK(e[5].lbns->first == 8);
  CHECK(e[5].lbns->last == 15);
  CHECK(e[6].first_request == 5);
  CHECK(e[6].last_request == 9);
  CHECK(read_schedule(file(""), "e.json").episodes.empty());
  CHECK(read_schedule(file(""), "e.json").seed == 1);
}

// holds: emulators.md: A file of episodes that cannot be
TEST_CASE("what is wrong in a file of episodes is refused in one sentence", "[episodes]") {
  struct Wrong {
    const char* episode;
    const char* word;
  };
  for (const Wrong& wrong : {
           Wrong{"7", "episode 1 is no object"},
           {R"({})", "lacks the member \"what\""},
           {R"({"what":"explode"})", "none of stall, throttle, slow, fail, stuck"},
           {R"({"what":7})", "none of stall"},
           {R"({"what":"stall"})", "for_s"},
           {R"({"what":"stall","for_s":0})", "for_s"},
           {R"({"what":"stall","for_s":1,"every_s":0.5})", "every_s"},
           {R"({"what":"fail","every_s":5})", "every_s"},
           {R"({"what":"fail","from_s":-1})", "from_s"},
           {R"({"what":"fail","from_s":1e9})", "from_s"},
           {R"({"what":"fail","from_s":"now"})", "from_s"},
           {R"({"what":"fail","factor":2})", "\"factor\" that is not known there"},
           {R"({"what":"fail","delay_ms":2})", "delay_ms"},
           {R"({"what":"throttle"})", "lacks the member \"factor\""},
           {R"({"what":"throttle","factor":0.5})", "no number from 1 to"},
           {R"({"what":"throttle","factor":1e7})", "factor"},
           {R"({"what":"slow"})", "delay_ms"},
           {R"({"what":"slow","delay_ms":-1})", "delay_ms"},
           {R"({"what":"slow","delay_ms":1e10})", "delay_ms"},
           {R"({"what":"slow","delay_ms":{"distribution":"normal"}})", "uniform, exponential"},
           {R"({"what":"slow","delay_ms":{"distribution":"uniform","from":2}})", "\"to\""},
           {R"({"what":"slow","delay_ms":{"distribution":"uniform","from":2,"to":1}})", "above"},
           {R"({"what":"slow","delay_ms":{"distribution":"exponential","mean":1,"to":2}})", "to"},
           {R"({"what":"fail","lbns":[5]})", "lbns"},
           {R"({"what":"fail","lbns":[5,4]})", "behind its last"},
           {R"({"what":"fail","lbns":[-5,4]})", "no whole number"},
           {R"({"what":"fail","lbns":[0,1],"of":"flush"})", "flushes"},
           {R"({"what":"fail","requests":[0,4]})", "no whole number from 1"},
           {R"({"what":"fail","requests":[1,99999999999999999]})", "no whole number"},
           {R"({"what":"fail","every_nth":0})", "every_nth"},
           {R"({"what":"fail","every_nth":1.5})", "every_nth"},
           {R"({"what":"fail","probability":1.5})", "probability"},
           {R"({"what":"fail","of":"trim"})", "read, write, flush, any"},
           {R"({"what":"fail","off":"read"})", "\"off\" that is not known there"},
           {R"({"what":"fail","what":"slow"})", "twice"},
           {R"({"what":"fail","from_s":1e999})", "too large"},
       }) {
    CAPTURE(wrong.episode);
    const std::string sentence = refusal(file(wrong.episode));
    CHECK_THAT(sentence, Catch::StartsWith("e.json"));
    CHECK_THAT(sentence, Contains(wrong.word));
    CHECK(sentence.find('\n') == std::string::npos);
  }
  CHECK_THAT(refusal(""), Contains("a file of episodes is needed"));
  CHECK_THAT(refusal("[]"), Contains("is no object"));
  CHECK_THAT(refusal("{}"), Contains("is no file of episodes"));
  CHECK_THAT(refusal(R"({"schema":{"name":"platter-model","version":"1.0"}})"),
             Contains("is no file of episodes"));
  CHECK_THAT(refusal(R"({"schema":{"name":"platter-episodes","version":"1.9"},"episodes":[]})"),
             Contains("newer than this platter's 1.0"));
  CHECK_THAT(refusal(R"({"schema":{"name":"platter-episodes","version":"2.0"},"episodes":[]})"),
             Contains("is no file of episodes"));
  CHECK_THAT(refusal(file("", R"("seeds":1,)")), Contains("seeds"));
  CHECK_THAT(refusal(file("", R"("seed":-1,)")), Contains("seed"));
}

TEST_CASE("a file of a thousand episodes is read, and of one more not", "[episodes]") {
  const auto many = [](std::size_t count) {
    std::string episodes;
    for (std::size_t i = 0; i < count; ++i)
      episodes += fmt::format(
          R"({}{{"what":"slow","delay_ms":{{"distribution":"uniform","from":0,"to":1}},)"
          R"("from_s":{},"for_s":1,"every_s":5,"requests":[1,2],"every_nth":1,"lbns":[1,2],)"
          R"("of":"read","probability":0.5}})",
          i == 0 ? "" : ",", i);
    return file(episodes);
  };
  CHECK(read_schedule(many(kMostEpisodes), "e.json").episodes.size() == kMostEpisodes);
  CHECK_THAT(refusal(many(kMostEpisodes + 1)), Contains("1000"));
}
