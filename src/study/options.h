// The options that a study varies: a row for each, which the study's file, the key and the table's
// columns are made by.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "replay/model_run.h"

namespace platter::study {

struct Option {
  const char* name;
  const char* what;  // it takes, for the sentence on another value: "a whole number above 0"
  // What it is where a study does not say. Such a value is not part of the key, so that a new
  // option leaves the results of before where they are.
  nlohmann::json usual;
  bool (*takes)(const nlohmann::json& value);
  // Of the replay; nullptr: the option changes the model, as whoever loads it knows (points.h).
  void (*set)(const nlohmann::json& value, replay::ModelRun& run);
};

std::span<const Option> options();

// Every option with its usual value, and of such a list those that change the model.
nlohmann::json usual_options();
nlohmann::json options_of_model(const nlohmann::json& all);

// What "derive" holds, PATH=VALUE each, apart by blanks.
std::vector<std::string> changes_in(const std::string& text);

// Sentences that speak of replay's and generate's options, in the words of a study's file.
// `--csv-columns` as "csv_columns". Options of other commands stay.
std::string in_study_words(std::string sentence);

}  // namespace platter::study
