// A path that delivers completions by USB's microframes.
#include "estimate/completion_grid.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "extract/late_path.h"
#include "extract/runs.h"
#include "model/parameters.h"
#include "virtual_drive/virtual_device.h"

namespace platter::extract {
namespace {

constexpr Nanoseconds kMicroframe = 125'000;

class ByMicroframes final : public LatePath {
 public:
  using LatePath::LatePath;
  std::uint32_t max_outstanding() const override { return 1; }

 private:
  std::optional<Nanoseconds> seen_ns(Nanoseconds now_ns) override {
    return (now_ns + kMicroframe - 1) / kMicroframe * kMicroframe;
  }
};

}  // namespace

TEST_CASE("on a path of microframes no error is below what they leave open") {
  const Folder folder;
  ByMicroframes path(drive_named("quantum-atlas10k"));
  Options options;
  options.journal_folder = folder.path.string();
  const Run run = characterize(path, options);
  CHECK(std::ranges::any_of(run.model.provenance.findings, [](const model::Finding& finding) {
    return finding.code == "completions-on-grid";
  }));
  std::size_t with_errors = 0;
  for (const model::NamedParameter& named : model::parameters_of(run.model)) {
    const model::Parameter& p = named.parameter;
    if (!p || p.unit != "ms" || !p.error) continue;
    CAPTURE(named.path, *p.value, *p.error, p.samples);
    CHECK(*p.error >= 0.99 * estimate::least_error_ms(kMicroframe, p.samples));
    ++with_errors;
  }
  CHECK(with_errors > 3);
  for (const model::SeekPoint& point : run.model.seek.points)
    if (point.error_ms)
      CHECK(*point.error_ms >= 0.99 * estimate::least_error_ms(kMicroframe, point.samples));
}

TEST_CASE("a drive on a usual path has no such floor") {
  const Folder folder;
  virtual_drive::VirtualDevice path(drive_named("quantum-atlas10k"));
  Options options;
  options.journal_folder = folder.path.string();
  const Run run = characterize(path, options);
  CHECK(std::ranges::none_of(run.model.provenance.findings, [](const model::Finding& finding) {
    return finding.code == "completions-on-grid";
  }));
}

}  // namespace platter::extract
