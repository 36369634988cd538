#include "trace/open.h"

#include <utility>

#include "model/folder.h"
#include "trace/checked_reader.h"
#include "trace/front.h"
#include "trace/think_times.h"

namespace platter::trace {
namespace {

constexpr std::string_view kProcessor = ".blktrace.";
const std::string kStandardInput = "the standard input";

std::unique_ptr<Reader> reader_of(std::vector<Input> inputs, const std::string& name,
                                  const Reading& reading) {
  Reading known = reading;
  std::unique_ptr<RecordReader> records = record_reader(std::move(inputs), known);
  std::unique_ptr<Reader> reader = checked_reader(std::move(records), name, known);
  const bool shifted = reading.think_in_front && reader->source().kind == Kind::closed;
  return shifted ? think_times_in_front(std::move(reader)) : std::move(reader);
}

}  // namespace

// blktrace writes NAME.blktrace.0, NAME.blktrace.1, ...; any of them, or NAME, names them all.
std::vector<std::string> files_of(const std::string& path) {
  const std::size_t at = path.rfind(kProcessor);
  const bool named = at != path.npos &&
                     path.find_first_not_of("0123456789", at + kProcessor.size()) == path.npos;
  if (!named && model::is_there(path)) return {path};
  const std::string stem = (named ? path.substr(0, at) : path) + std::string(kProcessor);
  std::vector<std::string> files;
  for (std::size_t processor = 0; model::is_there(stem + std::to_string(processor)); ++processor)
    files.push_back(stem + std::to_string(processor));
  return files.empty() ? std::vector{path} : files;
}

std::vector<Input> open_inputs(std::unique_ptr<ByteSource> bytes, const std::string& name) {
  std::vector<Input> inputs;
  inputs.emplace_back(plain_bytes(std::move(bytes), name), name);
  return inputs;
}

std::vector<Input> open_inputs(const std::string& path) {
  if (path == "-") return open_inputs(file_source(path), kStandardInput);
  std::vector<Input> inputs;
  for (const std::string& file : files_of(path))
    inputs.emplace_back(plain_bytes(file_source(file), file), file);
  return inputs;
}

std::unique_ptr<Reader> open_trace(std::unique_ptr<ByteSource> bytes, const std::string& name,
                                   const Reading& reading) {
  return reader_of(open_inputs(std::move(bytes), name), name, reading);
}

std::unique_ptr<Reader> open_trace(const std::string& path, const Reading& reading) {
  return reader_of(open_inputs(path), path == "-" ? kStandardInput : path, reading);
}

}  // namespace platter::trace
