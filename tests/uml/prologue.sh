# What every guest begins with, sourced by the scripts that are process 1: the kernel's file systems, the
# SCSI drivers, and how a check is told. Everything that a check prints goes to the console; the last line
# says whether all passed. The kernel's command line names the build directory (platter_build=).
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mount -t tmpfs run /run
build=$(sed -n 's/.*platter_build=\([^ ]*\).*/\1/p' /proc/cmdline)
failures=0

passed() { echo "ok: $*"; }
failed() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect STATUS COMMAND...: the exit status is the one that the documentation promises.
expect() {
  local wanted=$1; shift
  "$@" >/run/output 2>/run/errors
  local status=$?
  if [ $status -eq "$wanted" ]; then
    passed "status $wanted: ${*##*/} ($(head -c 200 /run/errors | head -n 1))"
  else
    failed "status $status, not $wanted: $*"
    head -n 20 /run/output /run/errors
  fi
}

load() { modprobe -d /run/modules "$@" || failed "module $1 does not load"; }

finish() {
  [ $failures -eq 0 ] && echo "guest: all passed" || echo "guest: $failures failed"
  "$build/tests/uml_power_off"
}

# wait_for TEST...: until it holds, some seconds at most; false: it does not.
wait_for() {
  for _ in $(seq 100); do "$@" && return; sleep 0.1; done
  "$@"
}

# The modules belong to the package, not to /lib/modules of the host.
mkdir -p /run/modules/lib
ln -s /usr/lib/uml/modules /run/modules/lib/modules
load sg
load sd_mod

# Where nobody may look into the build directory, nobody can still run this copy.
install -m 755 "$build/platter" /run/platter
export XDG_STATE_HOME=/run/state
