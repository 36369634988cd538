// What goes along with a model: its types, whose drive it is of, and without its serial number.
#include "registry/attachments.h"

#include "catch.h"
#include "identity/drive_mark.h"
#include "model/checked_line.h"
#include "model/error.h"
#include "registry/privacy.h"
#include "registry/pull.h"
#include "registry/verify.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

std::string samples_of(const std::string& mark, const std::string& serial) {
  return model::checked_line(
             R"({"schema":{"name":"platter-samples","version":"6.0"},"drive":")" + mark + "\"}",
             1) +
         "\n" +
         model::checked_line(R"({"facts":{"known":{"identity":{"serial":")" + serial + "\"}}}}",
                             2) +
         "\n";
}

std::string result_of(const std::string& mark) {
  return R"(# {"schema":{"name":"platter-replay-result","version":"1.0"},"target":"drive",)"
         R"("name":"disk","drive_mark":")" +
         mark + "\"}\nlbn\n";
}

std::string comparison(const std::string& model, double period_ns) {
  return R"({"schema": {"name": "platter-comparison", "version": "1.0"},
 "drive": "disk", "model": ")" +
         model + R"(", "trace": "random workload, seed 1", "period_ns": )" +
         std::to_string(period_ns) +
         R"(, "all": {"n": 5000, "demerit_ms": 0.25, "demerit_percent": 2.5,
 "folded_phase_share": 0.5}})";
}

constexpr double kPeriod_ns = 60e9 / 7200;

TEST_CASE("files of platter have types of their own, whatever they are called") {
  const RegistryFolder folder;
  const auto type_of = [&](const std::string& name, const std::string& content) {
    return read_attachments({folder.write(name, content)}).front().media_type;
  };
  CHECK(type_of("a.json", comparison("x", 1)) == "application/vnd.platter.comparison.v1+json");
  CHECK(type_of("a.csv", result_of("")) == "application/vnd.platter.result.v1");
  CHECK(type_of("a.jsonl", samples_of("", "")) == "application/vnd.platter.samples.v1+jsonl");
  CHECK(type_of("b.json", "{\"a\": 1}") == "application/json");
  CHECK(type_of("c.json", "no JSON") == "application/json");
  CHECK(type_of("b.jsonl", "[]") == "application/jsonl");
  CHECK(type_of("b.png", "x") == "image/png");
  CHECK(type_of("b.svg", "x") == "image/svg+xml");
}

TEST_CASE("what is of another drive is refused, as far as that can be told") {
  const RegistryFolder folder;
  const model::DriveModel model = small_model("S1234");
  const std::string own = identity::drive_mark(model.identity);
  const auto publish_with = [&](const std::string& name, const std::string& content) {
    return folder.publish(model, {{folder.write(name, content)}, false});
  };
  CHECK_NOTHROW(publish_with("own.csv", result_of(own)));
  CHECK_NOTHROW(publish_with("own.jsonl", samples_of(own, "S1234")));
  CHECK_NOTHROW(publish_with("nobody.csv", result_of("")));
  CHECK_NOTHROW(publish_with("own.json", comparison("any name", kPeriod_ns * 1.005)));
  const std::string other = identity::drive_mark(small_model("S99").identity);
  CHECK_THROWS_WITH(publish_with("other.csv", result_of(other)),
                    Catch::Contains("other.csv: is of another drive"));
  CHECK_THROWS_WITH(publish_with("other.jsonl", samples_of(other, "S99")),
                    Catch::Contains("other.jsonl: is of another drive"));
  CHECK_THROWS_WITH(publish_with("other.json", comparison("Acme Disk 9", kPeriod_ns * 1.02)),
                    Catch::Contains("other.json: is of another drive"));
}

TEST_CASE("an attached comparison tells the demerits of a model that states none") {
  const RegistryFolder folder;
  model::DriveModel model = small_model("S1");
  const auto told = [&](const std::string& content) {
    const Publication published = folder.publish(model,
                                                 {{folder.write("random.json", content)}, false});
    const Contents contents = open(find(folder.store(), published.digest));
    const auto found = contents.manifest.annotations.find("vnd.platter.demerits");
    CHECK(verify(folder.store()).findings.empty());
    return found == contents.manifest.annotations.end() ? "" : found->second;
  };
  CHECK_THAT(told(comparison("Acme Disk 9", kPeriod_ns)), Catch::Contains("\"demerit_ms\":0.12"));
  model.validity.demerits.clear();
  CHECK(told(comparison("Acme Disk 9", kPeriod_ns)) ==
        R"([{"demerit_ms":0.25,"demerit_percent":2.5,"folded_phase_share":0.5,)"
        R"("requests":5000,"workload":"random"}])");
  CHECK(told(comparison("Another", kPeriod_ns)).empty());
  CHECK(told(comparison("Acme Disk 9", kPeriod_ns * 1.0001)).empty());  // of an earlier model
}

TEST_CASE("samples and results go along without the number, and without the mark made of it") {
  const RegistryFolder folder;
  const model::DriveModel model = small_model("SECRET99");
  const std::string own = identity::drive_mark(model.identity);
  const std::string samples = folder.write("run.jsonl", samples_of(own, "SECRET99"));
  const std::string result = folder.write("drive.csv", result_of(own));
  const Publication published = folder.publish(model, {.files = {samples, result}});
  const Published found = find(folder.store(), published.reference);
  pull_files(found, folder / "out");
  const model::Identity hidden = open(found).model.identity;
  CHECK(is_stand_in(hidden.serial));
  CHECK(model::read_file(folder / "out/run.jsonl") ==
        samples_of(identity::drive_mark(hidden), hidden.serial));
  CHECK(model::read_file(folder / "out/drive.csv") == result_of(identity::drive_mark(hidden)));
}

TEST_CASE("a table with the number in it is made again of the model without") {
  const RegistryFolder folder;
  const std::string table = folder.write("drive.ptab", "table of SECRET99");
  CHECK_THROWS_WITH(folder.publish(small_model("SECRET99"), {.files = {table}}),
                    Catch::Contains("drive.ptab"));
  const Tables tables{
      .make = [](const model::DriveModel& model) { return "table of " + model.identity.serial; }};
  const Publication published = folder.publish(small_model("SECRET99"),
                                               {.files = {table}, .tables = tables});
  const Published found = find(folder.store(), published.reference);
  const Contents contents = open(found);
  pull_files(found, folder / "out");
  CHECK(model::read_file(folder / "out/drive.ptab") ==
        "table of " + contents.model.identity.serial);
}

}  // namespace
}  // namespace platter::registry
