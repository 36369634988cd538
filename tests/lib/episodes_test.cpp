// Episodes through libplatter: opened, asked, refused, and ten thousand requests of an engine in
// simulated time.

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "fit.h"
#include "tables.h"

using namespace platter;
using namespace platter::lib::testing;
using Catch::Contains;

namespace {

struct CloseEpisodes {
  void operator()(platter_episodes* episodes) const { platter_episodes_close(episodes); }
};
using EpisodesHandle = std::unique_ptr<platter_episodes, CloseEpisodes>;

std::string file(const std::string& episodes) {
  return R"({"schema":{"name":"platter-episodes","version":"1.0"},"seed":5,"episodes":[)" +
         episodes + "]}";
}

EpisodesHandle episodes_of(const std::string& list) {
  const std::string text = file(list);
  platter_episodes* episodes = nullptr;
  const platter_status status = platter_episodes_open_memory(text.data(), text.size(), &episodes);
  INFO(platter_last_error());
  REQUIRE(status == PLATTER_OK);
  return EpisodesHandle(episodes);
}

}  // namespace

TEST_CASE("episodes are opened from a file and from memory, and say what they are") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("episodes." + std::to_string(::getpid()) + ".json");
  std::ofstream(path) << file(R"({"what":"stall","for_s":1},{"what":"stuck"})");
  platter_episodes* opened = nullptr;
  REQUIRE(platter_episodes_open(path.c_str(), &opened) == PLATTER_OK);
  const EpisodesHandle episodes(opened);
  std::filesystem::remove(path);
  platter_episodes_info info{};
  info.struct_size = sizeof info;
  REQUIRE(platter_episodes_about(opened, &info) == PLATTER_OK);
  CHECK(info.episodes == 2);
  CHECK(info.seed == 5);
  CHECK(std::strlen(info.sha256) == 64);
  std::uint32_t what = 0;
  CHECK(platter_episodes_what(opened, 1, &what) == PLATTER_OK);
  CHECK(what == PLATTER_STUCK);
  CHECK(platter_episodes_what(opened, 2, &what) == PLATTER_NOTHING);

  CHECK(platter_episodes_open(path.c_str(), &opened) == PLATTER_BAD_EPISODES);
  CHECK(platter_episodes_open("/", &opened) == PLATTER_BAD_EPISODES);
  CHECK_THAT(platter_last_error(), Contains("episodes"));
  CHECK(platter_episodes_open_memory("{}", 2, &opened) == PLATTER_BAD_EPISODES);
  CHECK_THAT(platter_last_error(), Contains("is no file of episodes"));
  CHECK(platter_episodes_open(nullptr, &opened) == PLATTER_BAD_ARGUMENT);
  CHECK(platter_episodes_open_memory("{}", 2, nullptr) == PLATTER_BAD_ARGUMENT);
  CHECK(opened == episodes.get());
}

TEST_CASE("what episodes are asked is checked") {
  const EpisodesHandle episodes = episodes_of(R"({"what":"slow","delay_ms":2},{"what":"fail"})");
  const platter_asked good{1, 5, 8, PLATTER_WRITE, 0, 10, 20, 0};
  platter_outcome outcome{};
  std::array<platter_action, 2> actions{};
  const auto ask = [&](platter_asked asked) {
    outcome = {-7, 0, 0, 0, 0};
    return platter_episodes_outcome(episodes.get(), &asked, &outcome, actions.data(), 2);
  };
  REQUIRE(ask(good) == PLATTER_OK);
  CHECK(outcome.due_ns == 20 + 2 * kMillisecond);
  CHECK(outcome.flags == PLATTER_FAILS);
  CHECK(outcome.failed_lbn == 5);
  CHECK(outcome.actions == 2);
  CHECK(actions[0].what == PLATTER_SLOW);
  CHECK(actions[1].what == PLATTER_FAIL);
  CHECK(actions[1].episode == 1);
  const auto refused = [&](platter_status expected, auto change) {
    platter_asked asked = good;
    change(asked);
    CHECK(ask(asked) == expected);
    CHECK(outcome.due_ns == -7);
  };
  refused(PLATTER_OUT_OF_RANGE, [](platter_asked& a) { a.ordinal = 0; });
  refused(PLATTER_OUT_OF_RANGE, [](platter_asked& a) { a.arrival_ns = 21; });
  refused(PLATTER_OUT_OF_RANGE, [](platter_asked& a) { a.arrival_ns = -PLATTER_TIME_LIMIT - 1; });
  refused(PLATTER_OUT_OF_RANGE, [](platter_asked& a) { a.completion_ns = PLATTER_TIME_LIMIT + 1; });
  refused(PLATTER_BAD_ARGUMENT, [](platter_asked& a) { a.flags = PLATTER_FORCE_UNIT_ACCESS; });
  refused(PLATTER_BAD_ARGUMENT, [](platter_asked& a) { a.flags = 5; });
  refused(PLATTER_BAD_ARGUMENT, [](platter_asked& a) { a.reserved = 1; });
  CHECK(platter_episodes_outcome(episodes.get(), nullptr, &outcome, nullptr, 0) ==
        PLATTER_BAD_ARGUMENT);
  CHECK(platter_episodes_outcome(episodes.get(), &good, nullptr, nullptr, 0) ==
        PLATTER_BAD_ARGUMENT);
  CHECK(platter_episodes_outcome(episodes.get(), &good, &outcome, nullptr, 1) ==
        PLATTER_BAD_ARGUMENT);
  CHECK(platter_episodes_outcome(nullptr, &good, &outcome, nullptr, 0) == PLATTER_BAD_ARGUMENT);
  // Fewer than there are: the first.
  actions[1] = {};
  CHECK(platter_episodes_outcome(episodes.get(), &good, &outcome, actions.data(), 1) == PLATTER_OK);
  CHECK(outcome.actions == 2);
  CHECK(actions[1].due_ns == 0);

  platter_episodes* const closed = episodes_of("").release();
  platter_episodes_close(closed);
  platter_episodes_close(closed);
  CHECK(platter_episodes_outcome(closed, &good, &outcome, nullptr, 0) == PLATTER_BAD_ARGUMENT);
  platter_episodes_close(nullptr);
}

TEST_CASE("ten thousand requests of an engine misbehave as was asked, on time") {
  const std::string bytes = emit_table::compile_table(drive_model());
  const EngineHandle engine = created(opened(bytes));
  const EpisodesHandle episodes = episodes_of(
      R"({"what":"slow","delay_ms":{"distribution":"exponential","mean":5},"of":"read"},)"
      R"({"what":"throttle","factor":3,"of":"write"},)"
      R"({"what":"fail","probability":0.05},)"
      R"({"what":"stall","from_s":10,"for_s":1,"every_s":20},)"
      R"({"what":"stuck","every_nth":1000})");
  std::mt19937_64 random(3);
  constexpr std::uint64_t kRequests = 10'000;
  std::vector<double> delays;
  std::array<double, 2> failed{}, expected{0.05 * kRequests, 0.95 * kRequests};
  std::uint64_t stuck = 0, stalled = 0;
  Nanoseconds now_ns = 0;
  for (std::uint64_t i = 1; i <= kRequests; ++i) {
    platter_request request{};
    request.lbn = random() % (drive_model().identity.blocks - 8);
    request.blocks = 8;
    request.flags = random() % 2 != 0 ? PLATTER_WRITE : 0;
    platter_completion done{};
    REQUIRE(platter_engine_service(engine.get(), &request, now_ns, &done) == PLATTER_OK);
    const platter_asked asked{
        i, request.lbn, 8, request.flags, 0, done.arrival_ns, done.completion_ns, 0};
    std::array<platter_action, 5> actions{};
    platter_outcome outcome{};
    REQUIRE(platter_episodes_outcome(episodes.get(), &asked, &outcome, actions.data(), 5) ==
            PLATTER_OK);
    const auto first_due_ns = static_cast<double>(actions[0].due_ns);
    if (request.flags == 0)
      delays.push_back(first_due_ns - static_cast<double>(done.completion_ns));
    else
      CHECK(actions[0].due_ns - done.arrival_ns == 3 * (done.completion_ns - done.arrival_ns));
    ++failed[(outcome.flags & PLATTER_FAILS) != 0 ? 0 : 1];
    const bool sticks = (outcome.flags & PLATTER_NEVER) != 0;
    CHECK(sticks == (i % 1000 == 0));
    stuck += sticks ? 1 : 0;
    for (std::uint32_t k = 0; k < outcome.actions; ++k) stalled += actions[k].what == PLATTER_STALL;
    if (!sticks) {
      const double second = std::fmod(static_cast<double>(outcome.due_ns) / 1e9, 20);
      CHECK_FALSE((second >= 10 && second < 11));
      now_ns = outcome.due_ns;
    } else {
      now_ns = done.completion_ns + kSecond;
    }
  }
  CHECK(stuck == 10);
  CHECK(stalled > 0);
  CHECK(platter::testing::p_of_kolmogorov_smirnov(
            delays, [](double ns) { return 1 - std::exp(-ns / 5e6); }) > 0.01);
  CHECK(platter::testing::p_of_chi_squared(failed, expected, 1) > 0.01);
}
