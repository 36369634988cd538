#include "jobs/publish.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "emit/table/table.h"
#include "extract/record_file.h"
#include "jobs/better_model.h"
#include "model/completeness.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "model/say.h"
#include "model/text_file.h"
#include "registry/attachments.h"
#include "registry/privacy.h"
#include "replay/rotational_delay.h"

namespace platter::jobs {
namespace {

std::optional<registry::RotationalDelay> delay_in(const std::string& samples,
                                                  const model::DriveModel& model) {
  std::istringstream in(model::read_file(samples));
  const extract::KeptRecord kept = extract::read_record(in, samples);
  const auto delay = replay::mean_rotational_delay(kept.record.facts.random, model);
  if (!delay) return {};
  return registry::RotationalDelay{delay->mean_ns, delay->error_ns, delay->accesses};
}

void tell(const registry::Publication& published, const std::string& path) {
  for (const std::string& rule : published.remarks)
    model::say("platter: {}: remarked on this model: {}\n", path, rule);
  if (!published.plain_before.empty()) {
    model::say(
        "platter: {} is this drive with its serial number; with the stand-in it is another "
        "drive of this registry, and --serial goes on there\n",
        published.plain_before);
  }
  if (!published.added)
    model::say("platter: {} was published before; nothing is new\n", published.reference);
}

std::string serial_in(const std::string& table, const std::string& path) {
  return emit_table::read_table(std::as_bytes(std::span(table)), path).identity.serial;
}

// Of all models of the call. What cannot be read is said when its turn comes.
std::vector<std::string> serials_of(const std::vector<std::string>& models) {
  std::vector<std::string> serials;
  for (const std::string& path : models) try {
      const std::string serial =
          model::from_json_text(model::read_text(path), path).identity.serial;
      if (!registry::is_stand_in(serial)) serials.push_back(serial);
    } catch (const Error&) {
      continue;
    }
  return serials;
}

// The run's raw samples among the files, by which the model is held.
std::string samples_among(const std::vector<std::string>& files, const std::string& given) {
  if (!given.empty()) return given;
  const auto found = std::ranges::find_if(
      files, [](const std::string& file) { return file.ends_with(".samples.jsonl"); });
  return found == files.end() ? "" : *found;
}

}  // namespace

PublishRun prepared_to_publish(PublishRun run, const std::vector<std::string>& models) {
  if (models.size() > 1 && !run.samples.empty())
    throw Error(
        ExitStatus::usage,
        "--samples names the samples of one model; --attach-beside publishes those of each");
  run.publish.other_serials = serials_of(models);
  run.publish.tables = {.serial_in = serial_in, .make = emit_table::compile_table};
  return run;
}

registry::Publication publish_one(const PublishRun& arguments, const std::string& path) {
  const model::DriveModel model = model::load_model(path);
  model::require_complete(model, path, "be published");
  tell_doubts(model);
  registry::PublishOptions options = arguments.publish;
  options.files = arguments.attached;
  if (arguments.beside)
    for (std::string& file : registry::files_beside(path)) options.files.push_back(std::move(file));
  if (!arguments.samples.empty()) options.files.push_back(arguments.samples);
  const std::string samples = samples_among(options.files, arguments.samples);
  if (!samples.empty()) options.delay = delay_in(samples, model);
  const registry::Publication published = registry::publish(arguments.store, path, options);
  tell(published, path);
  if (!samples.empty() && !options.delay) {
    model::say(
        "platter: {} has too few requests at random with the caches off to tell the mean "
        "rotational delay by\n",
        samples);
  }
  return published;
}

}  // namespace platter::jobs
