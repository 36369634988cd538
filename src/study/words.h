// Sentences that speak of replay's and generate's options, in the words of a study's file.
#pragma once

#include <string>

namespace platter::study {

// `--csv-columns` as "csv_columns". Options of other commands stay.
std::string in_study_words(std::string sentence);

}  // namespace platter::study
