// The version of every format that platter writes or reads as JSON (docs/outputs.md, "Versions"):
// its minor moves with its members, its major when members go or mean something else. The ctest
// `format_versions` sees members that moved without it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace platter::model {

struct FormatVersion {
  int major = 0, minor = 0;

  auto operator<=>(const FormatVersion&) const = default;
};

struct Format {
  std::string_view name;
  FormatVersion version;
};

inline constexpr Format kFormatVersions[] = {
    {"platter-calibration", {1, 0}},
    {"platter-comparison", {1, 0}},
    {"platter-cosim", {1, 0}},
    {"platter-devices", {1, 0}},
    {"platter-diff", {1, 0}},
    {"platter-disksim-check", {1, 0}},
    {"platter-drives", {1, 0}},
    {"platter-emit-disksim", {1, 0}},
    {"platter-emit-summary", {1, 0}},
    {"platter-emit-table", {1, 0}},
    {"platter-emulation", {1, 0}},
    {"platter-emulation-check", {1, 0}},
    {"platter-emulation-log", {1, 0}},
    {"platter-episodes", {1, 0}},
    {"platter-error", {1, 0}},
    {"platter-fleet", {1, 0}},
    {"platter-fleet-history", {1, 0}},
    {"platter-host-journal", {1, 0}},
    {"platter-inspection", {1, 0}},
    {"platter-journal", {2, 0}},
    {"platter-layout", {1, 0}},
    {"platter-model", {1, 1}},
    {"platter-publish", {1, 0}},
    {"platter-registry-garbage", {1, 0}},
    {"platter-registry-import", {1, 0}},
    {"platter-registry-index", {1, 0}},
    {"platter-registry-keys", {1, 0}},
    {"platter-registry-list", {1, 0}},
    {"platter-registry-match", {1, 0}},
    {"platter-registry-pruned", {1, 0}},
    {"platter-registry-push", {1, 0}},
    {"platter-registry-refresh", {1, 0}},
    {"platter-registry-remote-index", {1, 0}},
    {"platter-registry-remotes", {1, 0}},
    {"platter-registry-show", {1, 0}},
    {"platter-registry-signing", {1, 0}},
    {"platter-registry-verification", {1, 0}},
    {"platter-remote", {1, 0}},
    {"platter-replay-result", {1, 0}},
    {"platter-replay-summary", {1, 0}},
    {"platter-restore", {1, 0}},
    {"platter-restore-host", {1, 0}},
    {"platter-restore-inspect", {1, 0}},
    {"platter-restore-list", {1, 0}},
    {"platter-samples", {6, 1}},
    {"platter-show", {1, 1}},
    {"platter-study", {1, 0}},
    {"platter-study-plan", {1, 0}},
    {"platter-study-point", {1, 0}},
    {"platter-study-run", {1, 0}},
    {"platter-study-table", {1, 0}},
    {"platter-study-trace", {1, 0}},
    {"platter-table-summary", {1, 0}},
    {"platter-trace-lint", {1, 0}},
    {"platter-trace-statistics", {1, 0}},
    {"platter-trace-statistics-list", {1, 0}},
    {"platter-trace-workloads", {1, 0}},
    {"platter-tracks", {1, 0}},
    {"platter-written-index", {1, 0}},
};

// Throws std::logic_error for a name that the table lacks: nothing is written without a version.
FormatVersion version_of(std::string_view format);
std::string text_of(FormatVersion version);  // "1.0"
// None: the text is not of that form.
std::optional<FormatVersion> version_in(std::string_view text);
// Of a document's member `schema`, where that names this format.
std::optional<FormatVersion> version_in(const nlohmann::ordered_json& document,
                                        std::string_view format);
// Of what only this platter and those before it may have written: a file of this format's major and
// of a minor that is not newer.
bool is_known(const nlohmann::ordered_json& document, std::string_view format);

}  // namespace platter::model
