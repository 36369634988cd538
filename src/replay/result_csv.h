// A result file's bytes: a line of JSON behind "# ", a line that names the columns, a row for each
// request (docs/metrics.md).
#pragma once

#include <memory>
#include <string>

#include "replay/result_file.h"
#include "trace/bytes.h"

namespace platter::replay {

// Times that sums and differences can be made of; a response is not below 0.
bool has_possible_times(const Response& row);

// `path` is for sentences. Throws Error(bad_input).
std::unique_ptr<ResultReader> csv_reader(std::unique_ptr<trace::ByteSource> bytes,
                                         const std::string& path);
std::unique_ptr<ResultWriter> csv_writer(const std::string& path, const ResultHead& head);

}  // namespace platter::replay
