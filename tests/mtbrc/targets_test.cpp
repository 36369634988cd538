// The errors that are aimed at follow what a prediction on the drive can show.
#include "mtbrc/targets.h"

#include "catch.h"
#include "plain_disk.h"
#include "scsi/drive.h"

using namespace platter;
using namespace platter::mtbrc;

TEST_CASE("targets: of slow drives single errors may be larger, what a line is off by may not") {
  plain::Disk disk(plain::small_shape());
  scsi::Drive drive(disk, "plain disk");
  Context context(drive);
  context.precision = Precision::enough;
  const Targets unknown = targets_of(context);
  context.rotation.numerator_ns = 5'000'000;
  CHECK(targets_of(context).seeks.command_error_ms == unknown.seeks.command_error_ms);
  context.rotation.numerator_ns = 9'000'000;
  const Targets slow = targets_of(context);
  CHECK(slow.seeks.command_error_ms == Approx(1.5 * unknown.seeks.command_error_ms));
  CHECK(slow.switches.target_error_ms == Approx(1.5 * unknown.switches.target_error_ms));
  CHECK(slow.overheads.target_error_ms == Approx(1.5 * unknown.overheads.target_error_ms));
  CHECK(slow.seeks.command_tolerance_ms == unknown.seeks.command_tolerance_ms);
  CHECK(slow.switches.settle_error_ms == unknown.switches.settle_error_ms);
  context.rotation.numerator_ns = 16'000'000;
  CHECK(targets_of(context).seeks.command_error_ms == Approx(2 * unknown.seeks.command_error_ms));
  context.precision = Precision::high;
  CHECK(targets_of(context).seeks.command_error_ms == SeekOptions{}.command_error_ms);
}
