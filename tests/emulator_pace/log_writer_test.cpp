#include "emulator/pace/log_writer.h"

#include <fstream>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include "catch.h"
#include "model/error.h"
#include "model/leftovers.h"

using namespace platter;
using emulator::LogWriter;

TEST_CASE("lines of several threads all arrive, each thread's in order", "[log]") {
  model::TemporaryFolder folder(model::temporary_name("platter-XXXXXX"));
  const std::string path = folder.file("log");
  constexpr int kThreads = 4, kLines = 40'000;  // more than is kept for the disk
  {
    LogWriter log(path);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&log, thread] {
        for (int i = 0; i < kLines; ++i)
          log.line(std::to_string(thread) + " " + std::to_string(i) + " " + std::string(60, 'x'));
      });
    for (auto& thread : threads) thread.join();
    CHECK(log.finish().empty());
  }
  std::ifstream file(path);
  std::map<int, int> next;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int thread = -1, i = -1;
    words >> thread >> i;
    REQUIRE(i == next[thread]++);
  }
  for (int thread = 0; thread < kThreads; ++thread) CHECK(next[thread] == kLines);
}

TEST_CASE("a log that cannot be written is told", "[log]") {
  CHECK_THROWS_AS(LogWriter("/no/such/folder/log"), Error);
  LogWriter log("/dev/full");
  log.line("lost");
  CHECK(log.finish().find("No space left") != std::string::npos);
}
