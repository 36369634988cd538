#!/bin/bash
# Process 1 of a guest: libiscsi's test suite for SCSI targets on an emulated drive, through SG_IO. It prints "passed"
# for tests that it skips, so what it says is judged by conformance.py.
. "$(dirname "$0")/prologue.sh"

load virtio_scsi
wait_for test -c /dev/sg0 || { failed "no /dev/sg0"; finish; }
timeout 300 iscsi-test-cu -d --test=SCSI /dev/sg0 >/run/suite 2>&1
"$(dirname "$0")/conformance.py" </run/suite && passed "iscsi-test-cu" || { failed "iscsi-test-cu"; cat /run/suite; }
finish
