// What each parameter of a model is: for `show --explain`, and the words of those that are no
// numbers.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "model/drive_model.h"

namespace platter::report {

// Words by value; the values of yes or no are 0 and 1.
using Words = std::map<double, std::string_view>;

struct Explanation {
  std::string_view path;         // in the model's JSON
  std::string_view name;         // for people, under the heading of its section
  std::string_view what;         // with the unit where the model has none beside it
  std::string_view paper;        // where the method or the parameter comes from
  const Words* words = nullptr;  // of a choice
};

// Every parameter of a model, as model::parameters_of names them.
std::span<const Explanation> explanations();

const Explanation* explanation_of(std::string_view path);  // nullptr: there is no such parameter

// "cache.read_ahead" of 4: the words of that value; "" where it has none.
std::string choice_in_words(std::string_view path, double value);

// "sequential writes combined", for people; of what is no parameter the last part of its path.
std::string name_of(std::string_view path);

// The page of the documents that tells how a parameter is measured: "docs/methods/rotation.md".
std::string page_of(std::string_view path);  // empty: there is no such parameter

// "yes, 98.6 % sure", "10 blocks", "5.985037 +- 0.000004 ms": a value with its error's digits.
// `parameter` must have a value.
std::string value_in_words(std::string_view path, const model::Parameter& parameter);

}  // namespace platter::report
