// The readers and writers of the formats, each in a file of its own.
#pragma once

#include <memory>
#include <vector>

#include "trace/columns.h"
#include "trace/record.h"

namespace platter::trace {

std::unique_ptr<RecordReader> ascii_reader(Input input, Nanoseconds unit_ns);
std::unique_ptr<RecordReader> validate_reader(Input input, Nanoseconds unit_ns);
std::unique_ptr<RecordReader> hpl_reader(Input input);
// Of one trace, the files of all processors. `queued`: a request arrives with its Q, not with its
// D.
std::unique_ptr<RecordReader> blktrace_reader(std::vector<Input> inputs, bool queued);
std::unique_ptr<RecordReader> blkparse_reader(Input input, bool queued);
std::unique_ptr<RecordReader> iolog_reader(Input input, int version);
std::unique_ptr<RecordReader> spc_reader(Input input, Nanoseconds unit_ns);
std::unique_ptr<RecordReader> msr_reader(Input input);
std::unique_ptr<RecordReader> etw_reader(Input input);
std::unique_ptr<RecordReader> ftrace_reader(Input input, bool queued);
std::unique_ptr<RecordReader> biosnoop_reader(Input input, bool queued);
std::unique_ptr<RecordReader> vscsi_reader(Input input);
std::unique_ptr<RecordReader> columns_reader(Input input, const Columns& columns);

std::unique_ptr<RecordWriter> ascii_writer();
std::unique_ptr<RecordWriter> validate_writer();
std::unique_ptr<RecordWriter> hpl_writer(std::uint32_t block_bytes);
std::unique_ptr<RecordWriter> blktrace_writer(std::uint32_t block_bytes);
std::unique_ptr<RecordWriter> blkparse_writer(std::uint32_t block_bytes);
std::unique_ptr<RecordWriter> iolog_writer(int version, std::uint32_t block_bytes);
std::unique_ptr<RecordWriter> spc_writer(std::uint32_t block_bytes);
std::unique_ptr<RecordWriter> msr_writer(std::uint32_t block_bytes);
std::unique_ptr<RecordWriter> etw_writer(std::uint32_t block_bytes);

// The format that the first bytes tell; detect: there are none. Throws Error(bad_input) where they
// do not tell it.
Format detected(Input& input);

}  // namespace platter::trace
