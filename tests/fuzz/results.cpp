#include "fuzz/targets.h"
#include "replay/result_csv.h"

namespace platter::fuzz {
namespace {

// By its content it is CSV or a trace with service times, compressed or not.
void result(const std::string& bytes) {
  refusing([&] {
    const auto reader = replay::open_result(file_of(bytes));
    replay::Part part{};
    for (std::vector<replay::Response> rows; reader->read(part, rows);) {
      require(!rows.empty(), "a piece has rows");
      for (const replay::Response& row : rows)
        require(replay::has_possible_times(row), "times are possible");
    }
  });
}

}  // namespace

std::vector<Target> result_targets() { return {{"result-csv", result}}; }

}  // namespace platter::fuzz
