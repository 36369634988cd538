// Numbers as people type them: 1000, 1e3, 10k, 5s, 1.5h, 67%, 4K. Each of these is a transform: the
// option gets the plain number in its own unit, or the user a sentence.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace platter::cli {

// A number, whole where the option is: also 1e3, 10k, 2M, 1G (thousands, millions, milliards).
CLI::Validator at_least(double least);
CLI::Validator between(double least, double most);

// 0 to 2^64 - 1, exact: blocks, seeds.
CLI::Validator whole_number();

// Seconds, or with a unit: 300ms, 90s, 5m or 5min, 1.5h, 2d.
CLI::Validator seconds(double least, double most);
// The same in milliseconds where no unit is given.
CLI::Validator milliseconds(double least);

// 0 to 1, or 0 to 100 with a percent sign.
CLI::Validator share();

// KiB, or with a unit: 512B, 4K, 1M.
CLI::Validator kibibytes(double least);

}  // namespace platter::cli
