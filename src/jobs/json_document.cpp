#include "jobs/json_document.h"

#include "model/json_head.h"
#include "model/json_text.h"

namespace platter::jobs {

std::string json_document(const std::string& schema, const nlohmann::ordered_json& members) {
  nlohmann::ordered_json json = model::json_head(schema);
  json.update(members);
  return model::json_text(json, model::JsonForm::indented) + "\n";
}

}  // namespace platter::jobs
