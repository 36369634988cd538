// Drives that take very long for a command: what no model can hold is absent from it with its
// reason, and neither the model nor the samples are lost for it.

#include "catch.h"
#include "extract/estimate.h"
#include "late_path.h"
#include "model/json.h"
#include "runs.h"

namespace platter::extract {
namespace {

// Answers so much later, from its Nth command on.
class SlowDrive final : public LatePath {
 public:
  SlowDrive(const model::DriveModel& model, int from, Nanoseconds late_ns)
      : LatePath(model), from_(from), late_ns_(late_ns) {}

 private:
  std::optional<Nanoseconds> seen_ns(Nanoseconds now_ns) override {
    return ++commands_ < from_ ? std::nullopt : std::optional(now_ns + late_ns_);
  }

  int from_, commands_ = 0;
  Nanoseconds late_ns_;
};

constexpr Nanoseconds kHour_ns = 3600 * kSecond;

}  // namespace

// holds: safety.md: An error or a signal after the layout
TEST_CASE("A drive that takes an hour a command has a model, which says what cannot be") {
  const Folder folder;
  const int from = GENERATE(values({1, 50, 500, 2500}));
  INFO("from command " << from << " on");
  SlowDrive drive(drive_named("cache-base"), from, kHour_ns);
  KeptLines kept;
  Options options = options_in(folder);
  options.keeper = &kept;
  const Run run = characterize(drive, options);
  CHECK_FALSE(run.model.layout.zones.empty());
  const std::string text = model::to_json_text(run.model);
  REQUIRE_NOTHROW(model::from_json_text(text, "the model"));
  CHECK(std::filesystem::is_empty(folder.path));
  CHECK(model::to_json_text(extract::estimate(read_lines(kept.whole(run)).record)) == text);
  const model::Parameter& translation = run.model.overheads.address_translation;
  if (from == 50 || from == 500) {
    CHECK_FALSE(translation.value);
    CHECK_THAT(translation.reason, Catch::Contains("which cannot be"));
  }
}

}  // namespace platter::extract
