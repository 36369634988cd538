#include "extract/without_experiment.h"

namespace platter::extract {
namespace {

using model::Parameter;
using O = model::Overheads;
using Q = model::Queue;

constexpr const char* kWithinRequest =
    "a host does not see what a drive does within a request: it is in the overheads of hits and "
    "misses";
constexpr const char* kByTrace =
    "no stage measures it: platter calibrate may, from a trace measured on the drive";
constexpr const char* kSeveral = "no stage measures it";

constexpr Parameter O::*kPartsOfRequests[] = {&O::read_completion,
                                              &O::write_completion,
                                              &O::data_preparation,
                                              &O::first_reselect,
                                              &O::other_reselect,
                                              &O::read_disconnect_after_read,
                                              &O::read_disconnect_after_write,
                                              &O::write_disconnect,
                                              &O::extra_write_disconnect,
                                              &O::extra_disconnect_command,
                                              &O::extra_disconnect_first,
                                              &O::extra_disconnect_inter,
                                              &O::extra_disconnect_second,
                                              &O::extra_disconnect_seek_delta};
constexpr Parameter O::*kOfTraces[] = {&O::minimum_read_seek_delay, &O::sequential_read_hit_delta,
                                       &O::sequential_write_hit_delta,
                                       &O::sequential_read_hit_within};
constexpr Parameter Q::*kOfQueues[] = {&Q::preseeking, &Q::hits_overtake};

void explain(Parameter& parameter, const char* reason) {
  if (!parameter && parameter.reason.empty()) parameter.reason = reason;
}

}  // namespace

void say_what_no_experiment_measures(model::DriveModel& model) {
  for (const auto part : kPartsOfRequests) explain(model.overheads.*part, kWithinRequest);
  for (const auto delta : kOfTraces) explain(model.overheads.*delta, kByTrace);
  for (const auto policy : kOfQueues) explain(model.queue.*policy, kSeveral);
  explain(model.inward_seek_delta, kByTrace);
}

}  // namespace platter::extract
