#include "jobs/disksim_files.h"

#include <algorithm>
#include <cstdint>

#include "jobs/trace_options.h"
#include "model/completeness.h"
#include "model/json.h"
#include "model/printable.h"
#include "model/say.h"

namespace platter::jobs {
namespace {

std::vector<emit_disksim_check::Access> accesses_of(const std::string& path) {
  std::vector<emit_disksim_check::Access> accesses;
  TraceOptions trace;
  trace.path = path;
  for (const trace::Request& request : trace.read().requests)
    accesses.push_back({static_cast<std::int64_t>(request.lbn),
                        static_cast<std::int64_t>(request.blocks), request.write});
  return accesses;
}

// What the rules say of the files is told already.
void add_findings(emit_disksim::Program program, emit_disksim::Exported& exported) {
  auto findings = emit_disksim_check::check_files(exported.files.front(), program);
  std::erase_if(findings, [&](const emit_disksim_check::Finding& finding) {
    return finding.effect == emit_disksim_check::Effect::stops_there ||
           std::ranges::find(exported.warnings, finding.what) != exported.warnings.end();
  });
  for (const std::string& line : emit_disksim_check::in_brief(findings))
    exported.warnings.push_back(line);
}

}  // namespace

std::vector<emit_disksim_check::Finding> disksim_findings(const std::string& file,
                                                          emit_disksim::Program program,
                                                          const std::string& trace) {
  std::vector<emit_disksim_check::Access> accesses;
  if (!trace.empty()) accesses = accesses_of(trace);
  return emit_disksim_check::check_files(file, program, trace.empty() ? nullptr : &accesses);
}

emit_disksim::Exported disksim_files(const std::string& path, const std::string& folder,
                                     const emit_disksim::ExportOptions& options,
                                     const Outputs& outputs) {
  const model::DriveModel model = model::load_model(path);
  model::require_what_predicts(model, path, "become DiskSim files");
  emit_disksim::Exported exported = emit_disksim::export_disksim(
      model, folder, options, [&](const std::string& file, const std::string& content) {
        outputs.writes_bytes(file, content);
      });
  add_findings(options.program, exported);
  for (const std::string& warning : exported.warnings)
    model::say("platter: warning: {}\n", model::printable(warning));
  return exported;
}

}  // namespace platter::jobs
