#include "jobs/holding.h"

#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>

#include "emit/disksim/export.h"
#include "emit/table/table.h"
#include "emit/table/text_forms.h"
#include "identity/drive_mark.h"
#include "model/file.h"
#include "model/json.h"
#include "model/strict_json.h"
#include "replay/result_head.h"
#include "report/made_here.h"
#include "study/table.h"
#include "trace/compression.h"
#include "trace/made_here.h"

namespace platter::jobs {
namespace {

using Kind = Content::Kind;

constexpr std::size_t kBeginning = std::size_t{1} << 20;  // the head of a result may be long
constexpr std::size_t kLargestModel = std::size_t{64} << 20;

// The schema's name with which platter's JSON begins, in a result behind a '#'.
std::string schema_of(const std::string& beginning) {
  static const std::regex kHead(
      R"re(^(# )?\s*\{\s*"schema"\s*:\s*\{\s*"name"\s*:\s*"([a-z-]+)")re");
  std::smatch found;
  const std::string few = beginning.substr(0, 256);
  return std::regex_search(few, found, kHead, std::regex_constants::match_continuous)
             ? found[2].str()
             : std::string();
}

// The drive that a line of JSON in front of the samples names.
std::string drive_of_samples(const std::string& beginning) {
  const auto head = model::parse_or_null<nlohmann::json>(
      std::string_view(beginning).substr(0, beginning.find('\n')));
  const bool named = head.is_object() && head.contains("drive") && head["drive"].is_string();
  return named ? head["drive"].get<std::string>() : std::string();
}

Content model_at(const std::string& path, Kind otherwise) {
  try {
    return content_of(model::from_json_text(model::beginning_of(path, kLargestModel), path));
  } catch (const std::exception&) {
    return {otherwise};
  }
}

Content result_of_head(std::string_view beginning, const std::string& path) {
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  try {
    return content_of(replay::head_of(line.substr(1), path));
  } catch (const std::exception&) {
    return {Kind::result};
  }
}

Content json_at(const std::string& path, const std::string& schema, const std::string& beginning) {
  if (schema == "platter-journal") return {Kind::journal};
  if (schema == "platter-model") return model_at(path, Kind::model);
  if (schema == "platter-samples") return {Kind::samples, drive_of_samples(beginning)};
  return {schema.starts_with("platter-") ? Kind::remade : Kind::foreign};
}

}  // namespace

// Methods other than these are a measurement, or somebody's own work.
Content content_of(const model::DriveModel& model) {
  for (const char* const made : {"catalogue", "imported", "derived"})
    if (model.provenance.method == made) return {};
  return measured_model_of(model.identity);
}

Content content_of(const replay::ResultHead& head) {
  if (head.target == replay::ResultHead::Target::model) return {};
  return {Kind::result, head.drive_mark};
}

Content measured_model_of(const model::Identity& drive) {
  return {Kind::model, identity::drive_mark(drive)};
}

Content result_of(const model::Identity& drive) {
  return {Kind::result, identity::drive_mark(drive)};
}

Content samples_of(const model::Identity& drive) {
  return {Kind::samples, identity::drive_mark(drive)};
}

Content content_at(const std::string& path) {
  const std::string beginning = model::beginning_of(path, kBeginning);
  if (const std::string within = trace::expanded_beginning(beginning, kBeginning);
      schema_of(within) == "platter-replay-result")
    return result_of_head(within, path);
  if (const std::string schema = schema_of(beginning); !schema.empty())
    return json_at(path, schema, beginning);
  if (beginning.starts_with("{"))
    return model_at(path, Kind::foreign);  // its members in another order
  const bool made = emit_table::begins_table(beginning) ||
                    emit_table::begins_text_form(beginning) ||
                    emit_disksim::begins_emitted(beginning) || report::begins_report(beginning) ||
                    report::begins_picture(beginning) || study::begins_table(beginning) ||
                    trace::is_made_here(path);
  return {made ? Kind::remade : Kind::foreign};
}

}  // namespace platter::jobs
