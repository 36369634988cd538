#include "extract/record_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "extract/stages.h"
#include "model/error.h"
#include "model/json.h"
#include "samples/file.h"

namespace platter::extract {
namespace {

using samples::Json;

constexpr const char *kFacts = "facts", *kRequests = "requests", *kRequest = "request",
                     *kMediaAccesses = "media_accesses", *kQueueFacts = "queue", *kPart = "part",
                     *kStage = "stage", *kEnd = "end";
constexpr std::size_t kAccessesInLine = 1000;

// Requests of the self-validation and the queue's test, by the name of what they were made for.
struct NamedResult {
  const char* name;
  replay::Result* result;
};

std::array<NamedResult, 4> results_of(Facts& facts, replay::Result& in_a_row) {
  return {{{"reads in a row", &in_a_row},
           {"mixed", &facts.mixed},
           {"random", &facts.random},
           {"queue", &facts.queue.reads}}};
}

// ---------------------------------------------------------------- writing

class RecordWriter {
 public:
  RecordWriter(std::ostream& out, const Record& record)
      : record_(record), file_(out, record.identity) {}

  void write() {
    write_facts();
    if (record_.facts.cache.setting.period_ns > 0)
      cache_probe::write_setting(file_, record_.facts.cache.setting);
    for (const StageRecord& stage : record_.stages) {
      for (const Mark& part : stage.parts) {
        write_until(part);
        file_.add(kPart, {{"notes", part.notes}});
      }
      write_until(stage.end);
      write_requests_of(stage.stage);
      file_.add(kStage, {{"name", kStages[stage.stage].name},
                         {"drive_seconds", stage.drive_seconds},
                         {"commands", stage.commands},
                         {"notes", stage.end.notes}});
    }
    write_until({record_.samples.size(),
                 record_.media_accesses.size(),
                 record_.facts.cache.observations.size(),
                 {}});
    write_end();
  }

 private:
  // The map and what else is a model's own, in a model's own form.
  void write_facts() {
    const Facts& facts = record_.facts;
    model::DriveModel known;
    known.identity = record_.identity;
    known.layout = facts.layout;
    known.overheads.address_translation = facts.address_translation;
    known.cache.freedoms = facts.cache_fields;
    Json fields = {{"known", Json::parse(model::to_json_text(known))}};
    if (!facts.no_write_settle.empty()) fields["no_write_settle"] = facts.no_write_settle;
    if (!facts.no_media_writes.empty()) fields["no_media_writes"] = facts.no_media_writes;
    if (facts.not_taken_back) fields["not_taken_back"] = *facts.not_taken_back;
    file_.add(kFacts, std::move(fields));
  }

  void write_until(const Mark& mark) {
    for (; written_.samples < mark.samples; ++written_.samples)
      mtbrc::write_sample(file_, record_.samples[written_.samples]);
    for (; written_.probes < mark.probes; ++written_.probes)
      cache_probe::write_probe(file_, record_.facts.cache.observations[written_.probes]);
    while (written_.media_accesses < mark.media_accesses) {
      Json issued = Json::array(), took = Json::array(), blocks = Json::array();
      const std::size_t until = std::min(mark.media_accesses,
                                         written_.media_accesses + kAccessesInLine);
      for (; written_.media_accesses < until; ++written_.media_accesses) {
        const mtbrc::Sample& access = record_.media_accesses[written_.media_accesses];
        issued.push_back(access.issued_ns);
        took.push_back(access.completed_ns - access.issued_ns);
        blocks.push_back(access.blocks);
      }
      file_.add(kMediaAccesses, {{"issued_ns", std::move(issued)},
                                 {"took_ns", std::move(took)},
                                 {"blocks", std::move(blocks)}});
    }
  }

  void write_requests_of(std::size_t stage) {
    const Facts& facts = record_.facts;
    if (stage == kMixedValidation && facts.in_a_row)
      write_requests("reads in a row", *facts.in_a_row);
    if (stage == kMixedValidation) write_requests("mixed", facts.mixed);
    if (stage == kSelfValidation) write_requests("random", facts.random);
    if (stage != kQueue) return;
    file_.add(kQueueFacts, {{"asked", facts.queue.asked},
                            {"taken", facts.queue.taken},
                            {"refused_when_full", facts.queue.refused_when_full},
                            {"commands", facts.queue.commands},
                            {"begins", facts.queue.begins}});
    write_requests("queue", facts.queue.reads);
  }

  void write_requests(const char* of, const replay::Result& result) {
    if (result.requests.empty()) return;
    file_.add(kRequests, {{"of", of}, {"caches", result.caches}, {"depth", result.depth}});
    for (const replay::Response& request : result.requests)
      file_.add(kRequest, {{"lbn", request.lbn},
                           {"blocks", request.blocks},
                           {"write", request.write},
                           {"issue_ns", request.issue_ns},
                           {"response_ns", request.response_ns}});
  }

  void write_end() {
    const Ending& ending = record_.ending;
    Json fields = {{"finished", ending.finished}};
    if (!ending.missing.empty()) fields["missing"] = ending.missing;
    if (ending.failed_write) fields["failed_write_in"] = kStages[ending.failed_write->stage].name;
    fields["notes"] = record_.notes;
    fields["last_notes"] = ending.notes;
    fields["source"] = ending.source;
    fields["date"] = ending.date;
    fields["drive_seconds"] = ending.drive_seconds;
    fields["wall_seconds"] = ending.wall_seconds;
    fields["commands"] = ending.commands;
    fields["translations"] = ending.translations;
    fields["bytes_written"] = ending.bytes_written;
    fields["seed"] = ending.seed;
    file_.add(kEnd, std::move(fields));
  }

  const Record& record_;
  samples::Writer file_;
  Mark written_;
};

// ---------------------------------------------------------------- reading

[[noreturn]] void refuse(const std::string& why) { throw Error(ExitStatus::bad_input, why); }

std::size_t stage_of(const Json& name) {
  const std::size_t stage = stage_named(name.get<std::string>());
  if (stage == kStages.size())
    refuse(fmt::format("this platter knows no stage '{}'", name.get<std::string>()));
  return stage;
}

std::size_t parts_of(const Stage& stage) {
  return static_cast<std::size_t>(std::ranges::count_if(
      stage.parts, [](const Part& part) { return part.experiment != nullptr; }));
}

constexpr Nanoseconds kLatest = Nanoseconds{1} << 60;  // 36 years
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;

void require_times(Nanoseconds issued_ns, Nanoseconds completed_ns) {
  if (issued_ns < 0 || completed_ns < issued_ns || completed_ns > kLatest)
    refuse("it was complete before it was issued, or at no time of a run");
}

class RecordReader {
 public:
  RecordReader(std::istream& in, const std::string& name) : file_(in, name), name_(name) {}

  KeptRecord read() {
    file_.each([this](const samples::Line& line) { take(line); });
    if (!has_facts_)
      throw Error(ExitStatus::bad_input,
                  fmt::format("{}: holds no line of facts, without which nothing can be made of "
                              "its samples; give a whole file that platter characterize kept",
                              name_));
    require_whole();
    if (!kept_.ended) {
      kept_.record.ending.missing = "the raw samples end there";
      for (const StageRecord& stage : kept_.record.stages) {
        kept_.record.ending.drive_seconds += stage.drive_seconds;
        kept_.record.ending.commands += stage.commands;
      }
    }
    kept_.drive = file_.drive();
    kept_.cut = file_.cut();
    if (!in_a_row_.requests.empty()) kept_.record.facts.in_a_row = std::move(in_a_row_);
    return std::move(kept_);
  }

 private:
  void take(const samples::Line& line) {
    const Json& fields = line.fields;
    if (kept_.ended) refuse("it comes after the last one");
    if (line.payload == kFacts) return take_facts(fields);
    if (!has_facts_) refuse("it comes before the facts");
    if (const auto sample = mtbrc::sample_of(line)) return take(*sample);
    if (cache_probe::add_to(kept_.record.facts.cache, line)) return check_last_probe();
    if (line.payload == kMediaAccesses) return take_media_accesses(fields);
    if (line.payload == kQueueFacts) return take_queue(fields);
    if (line.payload == kRequests) return begin_requests(fields);
    if (line.payload == kRequest) return take_request(fields);
    if (line.payload == kPart) return parts_.push_back(mark(fields));
    if (line.payload == kStage) return end_stage(fields);
    if (line.payload == kEnd) take_end(fields);
  }

  void require_blocks(std::uint64_t lbn, std::uint64_t blocks) const {
    const std::uint64_t all = kept_.record.identity.blocks;
    if (lbn >= all || blocks > all - lbn) refuse("it is of blocks that the drive does not have");
  }

  void take_facts(const Json& fields) {
    if (has_facts_) refuse("the facts come twice");
    model::DriveModel known = model::from_json_text(fields.at("known").dump(), "facts");
    Record& record = kept_.record;
    Facts& facts = record.facts;
    record.identity = std::move(known.identity);
    facts.layout = std::move(known.layout);
    facts.address_translation = std::move(known.overheads.address_translation);
    facts.cache_fields = std::move(known.cache.freedoms);
    facts.no_write_settle = fields.value("no_write_settle", "");
    facts.no_media_writes = fields.value("no_media_writes", "");
    if (fields.contains("not_taken_back"))
      facts.not_taken_back = fields.at("not_taken_back").get<std::string>();
    has_facts_ = true;
  }

  void take_queue(const Json& fields) {
    QueueSamples& queue = kept_.record.facts.queue;
    queue.asked = fields.at("asked").get<std::uint32_t>();
    queue.taken = fields.at("taken").get<std::uint32_t>();
    queue.refused_when_full = fields.at("refused_when_full").get<std::uint32_t>();
    queue.commands = fields.at("commands").get<std::uint64_t>();
    queue.begins = fields.at("begins").get<std::vector<std::size_t>>();
  }

  void take(const mtbrc::Sample& sample) {
    require_blocks(sample.lbn, sample.blocks);
    require_blocks(sample.after_lbn, 0);
    require_times(sample.issued_ns, sample.completed_ns);
    require_times(0, sample.after_completed_ns);
    if (sample.group > kFarthest || sample.group < -kFarthest) refuse("its group is of no drive");
    kept_.record.samples.push_back(sample);
  }

  void check_last_probe() const {
    if (kept_.record.facts.cache.observations.empty()) return;
    const cache_probe::Observation& seen = kept_.record.facts.cache.observations.back();
    require_blocks(seen.lbn, seen.blocks);
    require_times(seen.issued_ns, seen.completed_ns);
    for (const std::int64_t number : {seen.x, seen.to_track_end, seen.to_cylinder_end})
      if (number > kFarthest || number < -kFarthest) refuse("its numbers are of no drive");
  }

  void take_media_accesses(const Json& fields) {
    const auto issued = fields.at("issued_ns").get<std::vector<Nanoseconds>>(),
               took = fields.at("took_ns").get<std::vector<Nanoseconds>>();
    const auto blocks = fields.at("blocks").get<std::vector<std::uint32_t>>();
    if (took.size() != issued.size() || blocks.size() != issued.size())
      refuse("its lists are of different lengths");
    for (std::size_t i = 0; i < issued.size(); ++i) {
      if (took[i] < 0 || took[i] > kLatest || issued[i] > kLatest) refuse("it took no time");
      require_times(issued[i], issued[i] + took[i]);
      kept_.record.media_accesses.push_back(
          {.blocks = blocks[i], .issued_ns = issued[i], .completed_ns = issued[i] + took[i]});
    }
  }

  void begin_requests(const Json& fields) {
    const auto of = fields.at("of").get<std::string>();
    result_ = nullptr;
    for (const NamedResult& named : results_of(kept_.record.facts, in_a_row_))
      if (of == named.name) result_ = named.result;
    if (result_ == nullptr) refuse(fmt::format("this platter makes no requests of '{}'", of));
    result_->target = replay::Result::Target::drive;
    result_->name = "the drive";
    result_->trace = of;
    result_->kind = of == "queue" ? trace::Kind::open : trace::Kind::closed;
    result_->caches = fields.at("caches").get<std::string>();
    result_->depth = fields.at("depth").get<std::uint32_t>();
    result_->block_bytes = kept_.record.identity.block_bytes;
  }

  void take_request(const Json& fields) {
    if (result_ == nullptr) refuse("no line says what it was made for");
    replay::Response request;
    request.lbn = fields.at("lbn").get<std::uint64_t>();
    request.blocks = fields.at("blocks").get<std::uint32_t>();
    request.write = fields.at("write").get<bool>();
    request.due_ns = request.issue_ns = fields.at("issue_ns").get<Nanoseconds>();
    request.response_ns = fields.at("response_ns").get<Nanoseconds>();
    if (request.blocks == 0) refuse("it is of no blocks");
    require_blocks(request.lbn, request.blocks);
    if (request.response_ns < 0 || request.response_ns > kLatest || request.issue_ns > kLatest)
      refuse("it took no time");
    require_times(request.issue_ns, request.issue_ns + request.response_ns);
    result_->requests.push_back(request);
  }

  Mark mark(const Json& fields) const {
    return {kept_.record.samples.size(), kept_.record.media_accesses.size(),
            kept_.record.facts.cache.observations.size(),
            fields.at("notes").get<std::vector<std::string>>()};
  }

  void end_stage(const Json& fields) {
    StageRecord stage;
    stage.stage = stage_of(fields.at("name"));
    stage.drive_seconds = fields.at("drive_seconds").get<double>();
    stage.commands = fields.at("commands").get<std::uint64_t>();
    stage.parts = std::exchange(parts_, {});
    stage.end = mark(fields);
    if (stage.parts.size() != parts_of(kStages[stage.stage]))
      refuse(fmt::format("the stage '{}' has {} parts", kStages[stage.stage].name,
                         parts_of(kStages[stage.stage])));
    kept_.record.stages.push_back(std::move(stage));
  }

  void take_end(const Json& fields) {
    kept_.ended = true;
    kept_.record.notes = fields.at("notes").get<std::vector<std::string>>();
    Ending& ending = kept_.record.ending;
    ending.finished = fields.at("finished").get<bool>();
    ending.missing = fields.value("missing", "");
    if (fields.contains("failed_write_in"))
      ending.failed_write = {stage_of(fields.at("failed_write_in"))};
    ending.notes = fields.at("last_notes").get<std::vector<std::string>>();
    ending.source = fields.at("source").get<std::string>();
    ending.date = fields.at("date").get<std::string>();
    ending.drive_seconds = fields.at("drive_seconds").get<double>();
    ending.wall_seconds = fields.at("wall_seconds").get<double>();
    ending.commands = fields.at("commands").get<std::uint64_t>();
    ending.translations = fields.at("translations").get<std::uint64_t>();
    ending.bytes_written = fields.at("bytes_written").get<std::uint64_t>();
    ending.seed = fields.at("seed").get<std::uint64_t>();
  }

  [[noreturn]] void refuse_file(const std::string& what) const {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: {}; give a samples file that platter characterize kept", name_, what));
  }

  // What each stage rests on was there before it: the stages in the order of a run.
  void require_whole() const {
    const std::vector<StageRecord>& stages = kept_.record.stages;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const bool alone = i > 0 && stages[i].stage == kRotation;  // the last, of a run without map
      if (stages[i].stage == i || (alone && i + 1 == stages.size() && i > kLayout)) continue;
      refuse_file(fmt::format("the stage '{}' comes where '{}' was to come",
                              kStages[stages[i].stage].name, kStages[i].name));
    }
    const bool map = !kept_.record.facts.layout.zones.empty();
    if (stages.size() > kAngles + 1 && stages.back().stage != kRotation && !map)
      refuse_file("the stages after the angles have no map to rest on");
    const QueueSamples& queue = kept_.record.facts.queue;
    const auto not_after = [](std::size_t a, std::size_t b) { return b <= a; };
    if (stages.size() == kStages.size() && !queue.begins.empty() &&
        (queue.begins.front() == 0 || queue.begins.back() >= queue.reads.requests.size() ||
         std::ranges::adjacent_find(queue.begins, not_after) != queue.begins.end()))
      refuse_file("the queue's batches are none of its reads");
    if (stages.size() > kCache && !(kept_.record.facts.cache.setting.period_ns > 0))
      refuse_file("the setting of the cache's tests is missing");
  }

  samples::Reader file_;
  std::string name_;
  KeptRecord kept_;
  bool has_facts_ = false;
  replay::Result in_a_row_;
  replay::Result* result_ = nullptr;  // that requests belong to
  std::vector<Mark> parts_;           // of the stage that comes
};

}  // namespace

void write_record(std::ostream& out, const Record& record) { RecordWriter(out, record).write(); }

KeptRecord read_record(std::istream& in, const std::string& name) {
  return RecordReader(in, name).read();
}

}  // namespace platter::extract
