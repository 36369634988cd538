#include "platter_drive.h"

#include <algorithm>

namespace platter_sst {

Drive::Drive(SST::ComponentId_t id, SST::Params& params) : SST::Component(id) {
  const auto table = params.find<std::string>("table", "");
  check(platter_table_open(table.c_str(), &table_));
  check(platter_engine_create(table_, &engine_));
  host_ = configureLink("host", new SST::Event::Handler<Drive, &Drive::take>(this));
  wake_ = configureSelfLink("wake", "1ns", new SST::Event::Handler<Drive, &Drive::wake_up>(this));
  if (!host_)
    getSimulationOutput().fatal(CALL_INFO, 1, "platter.Drive: nothing is at its port \"host\"\n");
}

Drive::~Drive() {
  for (DriveRequest* each : waiting_) delete each;
  for (const auto& each : sent_) delete each.second;
  platter_engine_destroy(engine_);
  platter_table_close(table_);
}

void Drive::check(platter_status status) {
  if (status < 0)
    getSimulationOutput().fatal(CALL_INFO, 1, "platter.Drive: %s\n", platter_last_error());
}

void Drive::take(SST::Event* event) {
  auto* request = dynamic_cast<DriveRequest*>(event);
  if (!request)
    getSimulationOutput().fatal(CALL_INFO, 1, "platter.Drive: what came is no DriveRequest\n");
  waiting_.push_back(request);
  submit_what_waits();
  arm();
}

// In the order in which they came, as far as the drive takes them.
void Drive::submit_what_waits() {
  while (!waiting_.empty()) {
    const DriveRequest& first = *waiting_.front();
    platter_request request = {};
    request.lbn = first.lbn;
    request.blocks = first.blocks;
    request.flags = first.write ? PLATTER_WRITE : 0;
    request.tag = next_tag_;
    const auto status = platter_engine_submit(engine_, &request,
                                              static_cast<std::int64_t>(getCurrentSimTimeNano()));
    check(status);
    if (status == PLATTER_QUEUE_FULL || status == PLATTER_TOO_MANY) return;
    sent_[next_tag_++] = waiting_.front();
    waiting_.pop_front();
  }
}

// The next completion may move with each request: a wake-up that comes too early finds nothing.
void Drive::arm() {
  std::int64_t due_ns = 0;
  const auto status = platter_engine_next_completion_time(engine_, &due_ns);
  check(status);
  if (status == PLATTER_NOTHING) return;
  const auto now_ns = static_cast<std::int64_t>(getCurrentSimTimeNano());
  wake_->send(static_cast<SST::SimTime_t>(std::max<std::int64_t>(due_ns - now_ns, 0)),
              new DriveRequest);
}

void Drive::wake_up(SST::Event* event) {
  delete event;
  platter_completion done;
  std::size_t taken = 0;
  const auto now_ns = static_cast<std::int64_t>(getCurrentSimTimeNano());
  bool any = false;
  for (;;) {
    check(platter_engine_completions_until(engine_, now_ns, &done, 1, &taken));
    if (taken == 0) break;
    any = true;
    const auto sent = sent_.find(done.tag);
    host_->send(sent->second);
    sent_.erase(sent);
  }
  if (!any) return;
  submit_what_waits();
  arm();
}

}  // namespace platter_sst
