// Sends requests to examples/sst and prints when each came back: serve FILE.ptab < "ARRIVAL_NS LBN
// BLOCKS WRITE" lines.
#include <cinttypes>
#include <cstdio>

#include "platter_drive.h"

namespace {

struct Host {
  void completed(SST::Event* event) {
    const auto* request = dynamic_cast<platter_sst::DriveRequest*>(event);
    std::printf("%" PRIu64 " %" PRIu64 "\n", request->id, SST::Clock::now_ns);
    delete request;
  }
};

}  // namespace

int main(int, char** argv) {
  SST::Params params;
  params["table"] = argv[1];
  platter_sst::Drive drive(0, params);
  Host host;
  drive.host.back = new SST::Event::Handler<Host, &Host::completed>(&host);
  std::uint64_t arrival_ns, id = 0;
  for (platter_sst::DriveRequest each;
       std::scanf("%" SCNu64 "%" SCNu64 "%" SCNu32, &arrival_ns, &each.lbn, &each.blocks) == 3;) {
    int write = 0;
    if (std::scanf("%d", &write) != 1) return 2;
    auto* sent = new platter_sst::DriveRequest;
    sent->lbn = each.lbn, sent->blocks = each.blocks, sent->write = write != 0, sent->id = id++;
    SST::Clock::to_come.emplace(arrival_ns, [&drive, sent] { (*drive.host.there)(sent); });
  }
  while (SST::Clock::step()) {
  }
}
