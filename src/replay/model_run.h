// A trace on a model from its first byte to its summary: made to fit, its think times placed,
// faster or shorter, then replayed. What `platter replay --on MODEL` does.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "replay/replay_model.h"
#include "replay/shaped.h"
#include "replay/summary.h"
#include "trace/fit.h"
#include "trace/stream.h"

namespace platter::replay {

struct ModelRun {
  trace::Fit fit = trace::Fit::none;
  Shape shape{};
  // Of a measured closed trace: the model tells where its think times belong
  // (think_time_place.h). false: the trace's reader has been told (trace::Reading).
  bool place_think_times = true;
  bool think_in_front = false;   // then: what it was told
  ModelReplay how{};             // without `like`, which phase_from gives
  std::string phase_from{};      // the result of the drive whose issue times are taken; "": none
  std::string output{};          // the result's file; "": only the summary is kept
  std::vector<double> shares{};  // ascending: of the response times, these quantiles are told
};

struct ModelRan {
  ResultHead head;
  Summary summary;
  std::vector<double> quantiles_ms{};
  std::vector<trace::Skipped> skipped{};
  // Where think times were moved in front: the shares in step with the platter of both ways.
  double share_in_front = 0, share_behind = 0;
  bool placed_in_front = false;
};

// Opens the trace from its beginning, in the subject's blocks; called twice if it is to be fitted.
using OpenTrace = std::function<std::unique_ptr<trace::Reader>()>;

// Throws Error(bad_input) as the trace's reader, trace::fitted() and replay_on_model() do, and
// Error(output) for a result that cannot be written, of which nothing is then left.
ModelRan run_on_model(const Subject& subject, const OpenTrace& open, const ModelRun& run);

// What goes into a result's file, if one is wanted, and into its summary.
class ResultSink final : public Rows {
 public:
  ResultSink(const std::string& output, const ResultHead& head);  // "": no file
  ~ResultSink() override;

  void add(Part part, std::span<const Response> rows) override;
  // Completes `head` by what only the rows told, and the file.
  Summary finish(ResultHead& head);
  const Summarizer& summarizer() const { return summarizer_; }

 private:
  std::unique_ptr<ResultWriter> file_;
  Summarizer summarizer_{};
};

// Where a measured trace's think times belong, told by a model that knows where the platter stands:
// taken wrongly, accesses are out of step with it.
struct PlacedThinkTimes {
  std::unique_ptr<trace::Reader> trace;  // as it is to be replayed
  bool think_in_front = false;           // (trace/think_times.h)
  // Of the accesses at the trace's beginning, those in step with the model's platter (the folded
  // phase, anew at each completion), for each of both ways; 0 where it was not asked.
  double share_in_front = 0, share_behind = 0;
};

// In front only if the model then keeps step with more than half of the accesses, and with less
// than half as many otherwise; so a model without the angles between its zones leaves a trace as it
// is. Looks at the first 10,000 requests; traces without think or service times are left as they
// are.
PlacedThinkTimes place_think_times(const Subject& subject, std::unique_ptr<trace::Reader> trace);

}  // namespace platter::replay
