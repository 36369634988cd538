#include "extract/record_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "estimate/samples.h"
#include "extract/arms_of_drive.h"
#include "extract/impossible_values.h"
#include "extract/record_members.h"
#include "extract/stages.h"
#include "identity/drive_mark.h"
#include "model/error.h"
#include "model/json.h"
#include "model/json_text.h"
#include "model/lbn_range_json.h"

namespace platter::extract {
namespace {

using samples::Json;

constexpr const char *kFacts = "facts", *kRequests = "requests", *kRequest = "request",
                     *kMediaAccesses = "media_accesses", *kQueueFacts = "queue", *kPart = "part",
                     *kStage = "stage", *kEnd = "end", *kSession = "session",
                     *kTakenBack = "taken_back", *kDisturbed = "disturbed", *kAnswer = "answer",
                     *kJump = "time_jump";
constexpr const char *kSlept = "slept", *kStepped = "stepped";
// Chosen: written in some 20 us, which between two commands of a test does no harm.
constexpr std::size_t kAccessesInLine = 100;

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

Json json_of(const Cost& cost) {
  return {{"drive_seconds", cost.drive_seconds},
          {"commands", cost.commands},
          {"translations", cost.translations},
          {"bytes_written", cost.bytes_written}};
}

Json json_of(const scsi::PhysicalAddress& place) {
  return Json::array({place.cylinder, place.head, place.sector});
}

Json json_of(const Answer& answer) {
  Json fields = Json::object();
  if (answer.place) fields["place"] = json_of(*answer.place);
  if (answer.lbn) fields["lbn"] = *answer.lbn;
  if (answer.place) return fields;
  const scsi::Translation& said = answer.translation;
  for (const scsi::PhysicalAddress& place : said.places) fields["places"].push_back(json_of(place));
  fields["format"] = static_cast<int>(said.format);
  if (said.remapped) fields["remapped"] = true;
  if (said.alternate_track) fields["alternate_track"] = true;
  if (said.reserved_area) fields["reserved_area"] = true;
  return fields;
}

// A remark is its text.
Json json_of(const model::Noted& noted) {
  if (noted.kind() == nullptr) return noted.text();
  return {{"code", noted.kind()->name},
          {"touches", noted.touches()},
          {"by", noted.by()},
          {"text", noted.text()}};
}

Json json_of(const model::Notes& notes) {
  Json all = Json::array();
  for (const model::Noted& noted : notes) all.push_back(json_of(noted));
  return all;
}

// What may still change while the tests go on.
bool tells_the_same(const cache_probe::Setting& a, const cache_probe::Setting& b) {
  return a.period_ns == b.period_ns && a.track_blocks == b.track_blocks &&
         a.angles_trusted == b.angles_trusted && a.map_known == b.map_known &&
         a.writes_allowed == b.writes_allowed && a.complete == b.complete;
}

Seen evidence_of(const Record& record) {
  return {record.samples, 0, record.media_accesses, record.facts.cache, record.facts};
}

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

Cost cost_of(const Json& fields) {
  return {fields.at("drive_seconds").get<double>(), fields.at("commands").get<std::uint64_t>(),
          fields.at("translations").get<std::uint64_t>(),
          fields.at("bytes_written").get<std::uint64_t>()};
}

model::Noted noted_of(const Json& note) {
  if (note.is_string()) return note.get<std::string>();
  const auto code = note.at("code").get<std::string>();
  const model::FindingKind* const kind = model::finding_kind(code);
  if (kind == nullptr) refuse(fmt::format("this platter knows no finding '{}'", code));
  model::Noted noted(kind->code, note.at("text").get<std::string>(),
                     note.at("touches").get<std::string>());
  noted.set_by(note.at("by").get<std::string>());
  return noted;
}

model::Notes notes_of(const Json& notes) {
  model::Notes all;
  for (const Json& note : notes) all.push_back(noted_of(note));
  return all;
}

scsi::PhysicalAddress place_of(const Json& place) {
  return {place.at(0).get<std::uint32_t>(), place.at(1).get<std::uint32_t>(),
          place.at(2).get<std::uint32_t>()};
}

// As the drive may have given it.
scsi::AddressFormat format_of(const Json& number) {
  constexpr int kMost = 7;  // three bits
  const int format = number.get<int>();
  if (format < 0 || format > kMost) refuse("it is of no format of addresses");
  return static_cast<scsi::AddressFormat>(format);
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
    if (kept_.record.sessions.empty()) refuse_file("does not say under what its run began");
    require_whole();
    if (!kept_.ended) sum_up();
    kept_.drive = file_.drive();
    kept_.cut = file_.cut();
    kept_.unfinished_s = static_cast<double>(last_ns_ - ended_ns_) * 1e-9;
    if (!in_a_row_.requests.empty()) kept_.record.facts.in_a_row = std::move(in_a_row_);
    if (!file_.passed_over().empty()) kept_.passed_over = file_.passed_over();
    model::say_passed_over(file_.passed_over());
    return std::move(kept_);
  }

 private:
  // A run that was cut off did not come to tell it.
  void sum_up() {
    kept_.record.ending.missing = "the raw samples end there";
    kept_.record.ending.cost = last_cost_;
  }

  void take(const samples::Line& line) {
    const Json& fields = line.fields;
    find_unknown_members(line, [this](const std::string& member) { file_.pass_over(member); });
    if (kept_.ended) refuse("it comes after the last one");
    if (line.payload == kFacts) return take_facts(fields);
    if (!has_facts_) refuse("it comes before the facts");
    if (const auto sample = estimate::sample_of(line)) return take(*sample);
    if (cache_probe::add_to(kept_.record.facts.cache, line)) return check_last_probe();
    if (line.payload == kMediaAccesses) return take_media_accesses(fields);
    if (line.payload == kAnswer) return take_answer(fields);
    if (line.payload == kSession) return begin_session(fields);
    if (line.payload == kJump) return take_jump(fields);
    if (line.payload == kTakenBack) return take_back(fields);
    if (line.payload == kDisturbed) return take_disturbed(fields);
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

  std::vector<LbnRange> ranges_of(const Json& list) const {
    std::vector<LbnRange> ranges;
    for (const Json& each : list) {
      const LbnRange range{each.at(0).get<std::uint64_t>(), each.at(1).get<std::uint64_t>()};
      require_blocks(range.first, 1);
      require_blocks(range.last, 1);
      if (range.first > range.last) refuse("a range of it ends before it begins");
      ranges.push_back(range);
    }
    return ranges;
  }

  // Those that come later hold all that was known by then.
  void take_facts(const Json& fields) {
    model::DriveModel known = model::from_json_text(model::json_text(fields.at("known")), "facts");
    if (!known.passed_over.empty()) {
      kept_.passed_over = std::move(known.passed_over);
      kept_.passed_over.origin = name_;
      model::say_passed_over(kept_.passed_over);
    }
    Record& record = kept_.record;
    Facts& facts = record.facts;
    if (has_facts_ && !identity::same_drive(known.identity, record.identity))
      refuse("it is of another drive than the facts before");
    record.identity = std::move(known.identity);
    facts.layout = std::move(known.layout);
    facts.address_translation = std::move(known.overheads.address_translation);
    facts.cache_fields = std::move(known.cache.freedoms);
    facts.arms = std::move(known.arms);
    facts.power = std::move(known.power);
    facts.power_asked = fields.value("power_asked", false);
    facts.shingling = std::move(known.shingling);
    facts.no_write_settle = fields.value("no_write_settle", "");
    facts.no_media_writes = fields.value("no_media_writes", "");
    facts.not_taken_back.reset();
    if (fields.contains("not_taken_back"))
      facts.not_taken_back = fields.at("not_taken_back").get<std::string>();
    has_facts_ = true;
  }

  void begin_session(const Json& fields) {
    Session session;
    session.stages_before = fields.at("stages_before").get<std::size_t>();
    if (session.stages_before != kept_.record.stages.size())
      refuse(fmt::format("it goes on with {} stages, and {} are here", session.stages_before,
                         kept_.record.stages.size()));
    session.begun_anew = fields.value("begun_anew", "");
    session.cut = fields.value("cut", false);
    session.lost_s = fields.value("lost_seconds", 0.0);
    if (!(session.lost_s >= 0 && session.lost_s < 1e9)) refuse("no run lost so much time");
    session.before = cost_of(fields.at("before"));
    session.settings = safety::settings_in(fields.at("settings"));
    session.writable = ranges_of(fields.at("writable"));
    if (fields.contains("skipped")) session.skipped = ranges_of(fields.at("skipped"));
    session.seed = fields.at("seed").get<std::uint64_t>();
    if (!kept_.record.sessions.empty()) ++session_;
    session.number = began_with_ = session_;
    last_cost_ = session.before;
    kept_.record.sessions.push_back(std::move(session));
    parts_.clear();
    last_ns_ = ended_ns_ = 0;
  }

  void take_answer(const Json& fields) {
    Answer answer;
    if (fields.contains("lbn")) {
      answer.lbn = fields.at("lbn").get<std::uint64_t>();
      require_blocks(*answer.lbn, 1);
    }
    if (fields.contains("place")) {
      answer.place = place_of(fields.at("place"));
    } else {
      if (!answer.lbn) refuse("it says neither of which block nor of which place it is");
      scsi::Translation& said = answer.translation;
      if (fields.contains("places"))
        for (const Json& place : fields.at("places")) said.places.push_back(place_of(place));
      said.format = format_of(fields.at("format"));
      said.remapped = fields.value("remapped", false);
      said.alternate_track = fields.value("alternate_track", false);
      said.reserved_area = fields.value("reserved_area", false);
    }
    kept_.record.facts.answers.push_back(std::move(answer));
  }

  void take_back(const Json& fields) {
    Record& record = kept_.record;
    const auto shorten = [&](auto& list, const char* name, std::size_t least) {
      const auto size = fields.at(name).get<std::size_t>();
      if (size > list.size() || size < least) refuse(fmt::format("there are not so many {}", name));
      list.resize(size);
    };
    const Mark kept = record.stages.empty() ? Mark{} : record.stages.back().end;
    shorten(parts_, "parts", 0);
    const Mark& least = parts_.empty() ? kept : parts_.back();
    shorten(record.samples, "samples", least.samples);
    shorten(record.media_accesses, "media_accesses", least.media_accesses);
    // A run that was ended goes back to the last whole stage with these alone.
    shorten(record.facts.cache.observations, "probes", kept.probes);
    for (Mark& part : parts_)
      part.probes = std::min(part.probes, record.facts.cache.observations.size());
  }

  void take_disturbed(const Json& fields) {
    estimate::Samples& samples = kept_.record.samples;
    const auto from = fields.at("from").get<std::size_t>();
    if (from > samples.size()) refuse("there are not so many samples");
    estimate::disturb(samples, from, fields.value("durations_stay", false));
  }

  void take_jump(const Json& fields) {
    mtbrc::TimeJump jump;
    const auto kind = fields.at("kind").get<std::string>();
    if (kind != kSlept && kind != kStepped) refuse(fmt::format("time did not jump as '{}'", kind));
    jump.kind = kind == kSlept ? mtbrc::TimeJump::Kind::slept : mtbrc::TimeJump::Kind::stepped;
    jump.session = ++session_;
    jump.at_ns = fields.at("at_ns").get<Nanoseconds>();
    jump.by_ns = fields.at("by_ns").get<Nanoseconds>();
    require_times(0, jump.at_ns);
    if (jump.by_ns > kLatest || jump.by_ns < -kLatest) refuse("time does not jump so far");
    kept_.record.facts.jumps.push_back(jump);
  }

  void seen_at(Nanoseconds issued_ns, Nanoseconds completed_ns) {
    if (last_ns_ == 0) ended_ns_ = issued_ns;
    last_ns_ = std::max(last_ns_, completed_ns);
  }

  void take_queue(const Json& fields) {
    QueueSamples& queue = kept_.record.facts.queue;
    queue.asked = fields.at("asked").get<std::uint32_t>();
    queue.taken = fields.at("taken").get<std::uint32_t>();
    queue.refused_when_full = fields.at("refused_when_full").get<std::uint32_t>();
    queue.commands = fields.at("commands").get<std::uint64_t>();
    queue.begins = fields.at("begins").get<std::vector<std::size_t>>();
  }

  void take(estimate::Sample sample) {
    require_blocks(sample.lbn, sample.blocks);
    require_blocks(sample.after_lbn, 0);
    require_times(sample.issued_ns, sample.completed_ns);
    require_times(0, sample.after_completed_ns);
    if (sample.group > kFarthest || sample.group < -kFarthest) refuse("its group is of no drive");
    sample.session = session_;
    seen_at(sample.issued_ns, sample.completed_ns);
    kept_.record.samples.push_back(sample);
  }

  void check_last_probe() {
    if (kept_.record.facts.cache.observations.empty()) return;
    const cache_probe::Observation& seen = kept_.record.facts.cache.observations.back();
    require_blocks(seen.lbn, seen.blocks);
    require_times(seen.issued_ns, seen.completed_ns);
    seen_at(seen.issued_ns, seen.completed_ns);
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
      seen_at(issued[i], issued[i] + took[i]);
      kept_.record.media_accesses.push_back({.blocks = blocks[i],
                                             .issued_ns = issued[i],
                                             .completed_ns = issued[i] + took[i],
                                             .session = began_with_});
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
            kept_.record.facts.cache.observations.size(), notes_of(fields.at("notes"))};
  }

  void end_stage(const Json& fields) {
    StageRecord stage;
    stage.stage = stage_of(fields.at("name"));
    stage.drive_seconds = fields.at("drive_seconds").get<double>();
    stage.commands = fields.at("commands").get<std::uint64_t>();
    stage.parts = std::exchange(parts_, {});
    stage.end = mark(fields);
    last_cost_ = stage.so_far = cost_of(fields.at("so_far"));
    if (fields.contains("failed_write_in"))
      kept_.record.ending.failed_write = {stage_of(fields.at("failed_write_in"))};
    ended_ns_ = last_ns_;
    if (stage.stage == kLayout) kept_.record.facts.answers.clear();
    if (stage.parts.size() != parts_of(kStages[stage.stage]))
      refuse(fmt::format("the stage '{}' has {} parts", kStages[stage.stage].name,
                         parts_of(kStages[stage.stage])));
    kept_.record.stages.push_back(std::move(stage));
  }

  void take_end(const Json& fields) {
    kept_.ended = true;
    kept_.record.notes = notes_of(fields.at("notes"));
    Ending& ending = kept_.record.ending;
    ending.finished = fields.at("finished").get<bool>();
    ending.missing = fields.value("missing", "");
    if (fields.contains("failed_write_in"))
      ending.failed_write = {stage_of(fields.at("failed_write_in"))};
    ending.notes = notes_of(fields.at("last_notes"));
    ending.source = fields.at("source").get<std::string>();
    ending.date = fields.at("date").get<std::string>();
    ending.cost = cost_of(fields);
    ending.wall_seconds = fields.at("wall_seconds").get<double>();
    ending.seed = fields.at("seed").get<std::uint64_t>();
  }

  [[noreturn]] void refuse_file(const std::string& what) const {
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: {}; give a samples file that platter characterize kept", name_, what));
  }

  // What each stage rests on was there before it: the stages in the order of a run, which leaves
  // those out that need a model that predicts where it has none.
  void require_whole() const {
    const std::vector<StageRecord>& stages = kept_.record.stages;
    std::size_t next = 0;
    for (std::size_t i = 0; i < stages.size(); ++i, ++next) {
      const std::size_t stage = stages[i].stage;
      while (next < stage && least_needs(kStages[next]) == Needs::prediction) ++next;
      const bool last = i + 1 == stages.size();
      const bool alone = stage == kRotation && i > kLayout && last;  // of a run without map
      if (stage == next || alone) continue;
      refuse_file(fmt::format("the stage '{}' comes where '{}' was to come", kStages[stage].name,
                              kStages[std::min(next, kStages.size() - 1)].name));
    }
    const bool map = !kept_.record.facts.layout.zones.empty();
    if (stages.size() > kAngles + 1 && stages.back().stage != kRotation && !map)
      refuse_file("the stages after the angles have no map to rest on");
    const QueueSamples& queue = kept_.record.facts.queue;
    const auto not_after = [](std::size_t a, std::size_t b) { return b <= a; };
    if (stages.size() > kQueue && !queue.begins.empty() &&
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
  // Of the session: when it was seen last, and when its last stage ended.
  Nanoseconds last_ns_ = 0, ended_ns_ = 0;
  Cost last_cost_;                // of the run, as told last
  std::uint32_t session_ = 0;     // of the samples that come
  std::uint32_t began_with_ = 0;  // the process that they are of
};

}  // namespace

RecordWriter::RecordWriter(std::ostream& out, const model::Identity& drive)
    : file_(out, drive), drive_(drive) {}

// The map and what else is a model's own, in a model's own form.
void RecordWriter::write_facts(const Facts& facts) {
  model::DriveModel known;
  known.identity = drive_;
  known.layout = facts.layout;
  known.overheads.address_translation = facts.address_translation;
  known.cache.freedoms = facts.cache_fields;
  known.arms = facts.arms;
  known.power = facts.power;
  known.shingling = facts.shingling;
  fit_arms_to_map(known);
  take_out_what_cannot_be(known);  // a file that holds it could not be read
  Json fields = {{"known", Json::parse(model::to_json_text(known))}};
  if (!facts.no_write_settle.empty()) fields["no_write_settle"] = facts.no_write_settle;
  if (!facts.no_media_writes.empty()) fields["no_media_writes"] = facts.no_media_writes;
  if (facts.power_asked) fields["power_asked"] = true;
  if (facts.not_taken_back) fields["not_taken_back"] = *facts.not_taken_back;
  if (fields == facts_) return;
  facts_ = fields;
  file_.add(kFacts, std::move(fields));
}

void RecordWriter::begin_session(const Session& session, const Facts& facts) {
  write_facts(facts);
  if (session.number > 0) write_jumps(facts, session.number - 1);
  Json fields = {{"stages_before", session.stages_before}};
  if (!session.begun_anew.empty()) fields["begun_anew"] = session.begun_anew;
  if (session.cut) fields["cut"] = true;
  if (session.lost_s > 0) fields["lost_seconds"] = session.lost_s;
  fields["before"] = json_of(session.before);
  fields["settings"] = safety::json_of(session.settings);
  fields["writable"] = json_of(session.writable);
  fields["seed"] = session.seed;
  if (!session.skipped.empty()) fields["skipped"] = json_of(session.skipped);
  file_.add(kSession, std::move(fields));
}

// Those that began a session up to this one.
void RecordWriter::write_jumps(const Facts& facts, std::uint32_t session) {
  for (; jumps_ < facts.jumps.size() && facts.jumps[jumps_].session <= session; ++jumps_) {
    const mtbrc::TimeJump& jump = facts.jumps[jumps_];
    file_.add(kJump, {{"kind", jump.kind == mtbrc::TimeJump::Kind::slept ? kSlept : kStepped},
                      {"at_ns", jump.at_ns},
                      {"by_ns", jump.by_ns}});
  }
}

void RecordWriter::write_setting(const cache_probe::Setting& setting) {
  if (!(setting.period_ns > 0) || tells_the_same(setting, setting_)) return;
  cache_probe::write_setting(file_, setting);
  setting_ = setting;
}

void RecordWriter::write_accesses(const estimate::Samples& accesses, std::size_t until) {
  Json issued = Json::array(), took = Json::array(), blocks = Json::array();
  for (; written_.media_accesses < until; ++written_.media_accesses) {
    const estimate::Sample& access = accesses[written_.media_accesses];
    issued.push_back(access.issued_ns);
    took.push_back(access.completed_ns - access.issued_ns);
    blocks.push_back(access.blocks);
  }
  file_.add(kMediaAccesses, {{"issued_ns", std::move(issued)},
                             {"took_ns", std::move(took)},
                             {"blocks", std::move(blocks)}});
}

void RecordWriter::write_until(const Seen& seen, const Mark& mark) {
  for (; written_.samples < mark.samples; ++written_.samples) {
    const estimate::Sample& sample = seen.samples[written_.samples];
    write_jumps(seen.facts, sample.session);
    estimate::write_sample(file_, sample);
  }
  const std::vector<Answer>& answers = seen.facts.answers;
  for (answers_ = std::min(answers_, answers.size()); answers_ < answers.size(); ++answers_)
    file_.add(kAnswer, json_of(answers[answers_]));
  if (written_.probes < mark.probes && written_.probes == 0) write_setting(seen.cache.setting);
  for (; written_.probes < mark.probes; ++written_.probes)
    cache_probe::write_probe(file_, seen.cache.observations[written_.probes]);
  while (mark.media_accesses - written_.media_accesses >= kAccessesInLine)
    write_accesses(seen.media_accesses, written_.media_accesses + kAccessesInLine);
}

void RecordWriter::write_all_until(const Seen& seen, const Mark& mark) {
  write_until(seen, mark);
  if (written_.media_accesses < mark.media_accesses)
    write_accesses(seen.media_accesses, mark.media_accesses);
}

// What an experiment threw away it measured anew.
void RecordWriter::take_back(const Seen& seen) {
  const Mark now = all_of(seen);
  if (now.samples >= written_.samples && now.media_accesses >= written_.media_accesses &&
      now.probes >= written_.probes)
    return;
  begin_anew(seen, parts_);
}

void RecordWriter::disturbed(std::size_t from, bool durations_stay, const Seen& seen) {
  grow(seen);
  Json fields = {{"from", from}};
  if (durations_stay) fields["durations_stay"] = true;
  file_.add(kDisturbed, std::move(fields));
}

void RecordWriter::begin_anew(const Seen& seen, std::size_t parts) {
  const Mark now = all_of(seen);
  written_.samples = std::min(written_.samples, now.samples);
  written_.media_accesses = std::min(written_.media_accesses, now.media_accesses);
  written_.probes = std::min(written_.probes, now.probes);
  parts_ = parts;
  if (written_.probes == 0) setting_ = {};
  file_.add(kTakenBack, {{"parts", parts_},
                         {"samples", written_.samples},
                         {"media_accesses", written_.media_accesses},
                         {"probes", written_.probes}});
}

void RecordWriter::grow(const Seen& seen) {
  take_back(seen);
  write_until(seen, all_of(seen));
}

void RecordWriter::grow_to_all(const Seen& seen) {
  take_back(seen);
  write_all_until(seen, all_of(seen));
}

void RecordWriter::end_part(const Mark& part, const Seen& seen) {
  take_back(seen);
  write_all_until(seen, part);
  file_.add(kPart, {{"notes", json_of(part.notes)}});
  ++parts_;
}

void RecordWriter::end_stage(const StageRecord& stage, const Ending& so_far, const Seen& seen) {
  take_back(seen);
  write_all_until(seen, stage.end);
  write_setting(seen.cache.setting);
  write_requests_of(stage.stage, seen.facts);
  write_facts(seen.facts);
  Json fields = {{"name", kStages[stage.stage].name},
                 {"drive_seconds", stage.drive_seconds},
                 {"commands", stage.commands},
                 {"so_far", json_of(stage.so_far)},
                 {"notes", json_of(stage.end.notes)}};
  if (so_far.failed_write) fields["failed_write_in"] = kStages[so_far.failed_write->stage].name;
  file_.add(kStage, std::move(fields));
  parts_ = 0;
}

void RecordWriter::write_requests_of(std::size_t stage, const Facts& facts) {
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

void RecordWriter::write_requests(const char* of, const replay::Result& result) {
  if (result.requests.empty()) return;
  file_.add(kRequests, {{"of", of}, {"caches", result.caches}, {"depth", result.depth}});
  for (const replay::Response& request : result.requests)
    file_.add(kRequest, {{"lbn", request.lbn},
                         {"blocks", request.blocks},
                         {"write", request.write},
                         {"issue_ns", request.issue_ns},
                         {"response_ns", request.response_ns}});
}

void RecordWriter::write_stages(const Record& record) {
  const Seen all = evidence_of(record);
  auto session = record.sessions.begin();
  const auto sessions_until = [&](std::size_t stages) {
    for (; session != record.sessions.end() && session->stages_before <= stages; ++session)
      begin_session(*session, record.facts);
  };
  write_facts(record.facts);
  for (std::size_t i = 0; i < record.stages.size(); ++i) {
    const StageRecord& stage = record.stages[i];
    sessions_until(i);
    for (const Mark& part : stage.parts) end_part(part, all);
    end_stage(stage, record.ending, all);
  }
  sessions_until(record.stages.size());
  write_until(all, record.stages.empty() ? Mark{} : record.stages.back().end);
}

void RecordWriter::end_samples(const Record& record) {
  const Seen all = evidence_of(record);
  grow_to_all(all);
  write_jumps(record.facts, std::numeric_limits<std::uint32_t>::max());
  write_facts(record.facts);
}

void write_end(std::ostream& out, const Record& record, std::uint64_t lines) {
  const Ending& ending = record.ending;
  Json fields = {{"finished", ending.finished}};
  if (!ending.missing.empty()) fields["missing"] = ending.missing;
  if (ending.failed_write) fields["failed_write_in"] = kStages[ending.failed_write->stage].name;
  fields["notes"] = json_of(record.notes);
  fields["last_notes"] = json_of(ending.notes);
  fields["source"] = ending.source;
  fields["date"] = ending.date;
  fields["wall_seconds"] = ending.wall_seconds;
  fields.update(json_of(ending.cost));
  fields["seed"] = ending.seed;
  samples::Writer::going_on(out, lines).add(kEnd, std::move(fields));
}

void write_record(std::ostream& out, const Record& record) {
  RecordWriter writer(out, record.identity);
  writer.write_stages(record);
  writer.end_samples(record);
  write_end(out, record, writer.lines());
}

KeptRecord read_record(std::istream& in, const std::string& name) {
  return RecordReader(in, name).read();
}

}  // namespace platter::extract
