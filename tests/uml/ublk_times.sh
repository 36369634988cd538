#!/bin/bash
# Process 1 of a guest that has ublk: the rows of bench/emulators/ublk_real_time.py, platter_requests=N each.
. "$(dirname "$0")/prologue.sh"
export TMPDIR=/run HOME=/run
insmod "$build/../tools/ublk_drv-$(uname -r).ko" || failed 'no module ublk_drv'
requests=$(sed -n 's/.*platter_requests=\([^ ]*\).*/\1/p' /proc/cmdline)
python3 "$(dirname "$0")/../../bench/emulators/ublk_real_time.py" --build "$build" --requests "$requests" ||
  failed "the rows"
finish
