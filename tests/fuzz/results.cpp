#include "fuzz/targets.h"
#include "replay/result_forms.h"

namespace platter::fuzz {
namespace {

void read_all(std::unique_ptr<replay::ResultReader> (*reader_of)(replay::Bytes, const std::string&),
              const std::string& bytes) {
  refusing([&] {
    const auto reader = reader_of(replay::Bytes(trace::memory_source(bytes), ""), "r");
    replay::Part part{};
    for (std::vector<replay::Response> rows; reader->read(part, rows);) {
      require(!rows.empty(), "a piece has rows");
      for (const replay::Response& row : rows) require(replay::has_possible_times(row), "times are possible");
    }
  });
}

void csv(const std::string& bytes) { read_all(replay::csv_reader, bytes); }
void columns(const std::string& bytes) { read_all(replay::columns_reader, bytes); }

}  // namespace

std::vector<Target> result_targets() { return {{"result-csv", csv}, {"result-columns", columns}}; }

}  // namespace platter::fuzz
