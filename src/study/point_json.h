// What a point's file says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/error.h"
#include "replay/model_run.h"

namespace platter::study {

using PointJson = nlohmann::ordered_json;

// The shares whose quantiles are kept, ascending from 0 to 1: each half percent, and the tails.
const std::vector<double>& told_shares();

PointJson point_head(const std::string& key, const nlohmann::json& identity);
void add_result(PointJson& json, const replay::ModelRan& ran);  // run with told_shares()
void add_failure(PointJson& json, ExitStatus status, const std::string& sentence);

}  // namespace platter::study
