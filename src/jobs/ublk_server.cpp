#include "jobs/ublk_server.h"

#include "jobs/taken_signals.h"
#include "model/error.h"
#include "model/say.h"
#ifdef PLATTER_UBLK
#include "emulator/ublk/emulation.h"
#endif

namespace platter::jobs {

#ifdef PLATTER_UBLK

void require_ublk() { emulator::ublk::require_ublk(); }

void serve_over_ublk(const std::vector<EmulatedDrive>& drives, const BlockServing& serving) {
  model::TemporaryFolder folder(model::temporary_name("platter-ublk"));
  emulator::ublk::EmulationSettings settings{block_drives(drives, serving, folder),
                                             serving.ordinary};
  TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});  // before there are threads
  emulator::ublk::Emulation emulation(settings);
  for (std::size_t i = 0; i < drives.size(); ++i)
    model::say("platter: {} is {}\n", drives[i].table.identity.name, emulation.path(i));
  emulation.run(signals.descriptor(), [&] { return signals.read(); });
}

#else

void require_ublk() {
  throw Error(ExitStatus::missing_program,
              "this platter was built without linux/ublk_cmd.h, and platter emulate --ublk needs "
              "it: build it where the headers are of Linux 6.0 or later");
}

void serve_over_ublk(const std::vector<EmulatedDrive>&, const BlockServing&) { require_ublk(); }

#endif

}  // namespace platter::jobs
