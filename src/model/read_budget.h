// What one document from outside may ask for: a model, a study, a journal, an index. Whoever reads
// one counts with its budget what the document asks for, before that is made, so that a few bytes
// of products, of sums or of what expands are refused in one sentence. docs/limits.md has the list.
// What may be longer than memory is no document: traces, results, logs are read piece by piece.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "model/units.h"

namespace platter::model {

enum class Cost : std::uint8_t {
  bytes,     // as they lie in files
  expanded,  // bytes out of compressed ones
  values,    // of JSON, of DiskSim's parameters: numbers, texts, lists, objects, copies
  files,     // named by a document, each as often as it is read
  members,   // of an array
  points,    // of a study
  requests,  // of a study, all points together
  entries,   // of a remote's index
};
inline constexpr std::size_t kCosts = 8;

struct CostLimit {
  Cost cost;
  const char* name;     // for sentences: "points"
  std::uint64_t most;   // of one document
  const char* counted;  // what is counted, for docs/limits.md
};
std::span<const CostLimit, kCosts> cost_limits();
std::string limits_table();  // of docs/limits.md, in Markdown

// One factor of a product: 10 depths.
struct Factor {
  std::string name;
  std::uint64_t many = 1;
};

class ReadBudget {
 public:
  // `document`: as sentences are to call it, a file's name.
  explicit ReadBudget(std::string document);

  // So many more. All throw Error(bad_input) that names the document, what is too much, and the
  // limit.
  void take(Cost cost, std::uint64_t many);
  // The product of these, which may be larger than any number here.
  void take_product(Cost cost, std::span<const Factor> factors);
  // More, or less, than others may ask for: what the user has said, or what these bytes are worth.
  void allow(Cost cost, std::uint64_t most) { most_[index_of(cost)] = most; }

  std::uint64_t taken(Cost cost) const { return taken_[index_of(cost)]; }
  std::uint64_t most(Cost cost) const { return most_[index_of(cost)]; }
  const std::string& document() const { return document_; }

  // Processor time of this thread since the budget was made; a document is worth kProcessorTime,
  // and so much more for each byte beyond kBytesOfThat.
  static constexpr Nanoseconds kProcessorTime = 4 * kSecond;
  static constexpr std::uint64_t kBytesOfThat = std::uint64_t{4} << 20;
  static constexpr double kMore_ns_per_byte = 100;
  void require_time(double more_ns_per_byte = kMore_ns_per_byte) const;

 private:
  static std::size_t index_of(Cost cost) { return static_cast<std::size_t>(cost); }
  [[noreturn]] void refuse(Cost cost, const std::string& asked) const;

  std::string document_;
  std::array<std::uint64_t, kCosts> taken_{}, most_{};
  Nanoseconds begun_ns_ = 0;
};

}  // namespace platter::model
