#!/bin/sh
# All drives of many hosts by GNU parallel, one at a time on each host:
#
#   parallel.sh DRIVES
#
# DRIVES has a line "HOST DEVICE" for each drive; HOST `:` is this one. platter, this folder and FLEET_REGISTRY (with its
# remote and serial.key) are at the same places on each host. A drive that fails stops none; ending with another
# status than 0 tells how many failed. Once more does what is missing.
set -eu
drives=$1
here=$(cd "$(dirname "$0")" && pwd)
hosts=$(cut -d' ' -f1 "$drives" | sort -u)
export PLATTER="${PLATTER:-platter}" FLEET_REGISTRY FLEET_REMOTE="${FLEET_REMOTE:-lab}"
export FLEET_MODELS="${FLEET_MODELS:-$FLEET_REGISTRY.models}" FLEET_OPTIONS="${FLEET_OPTIONS:-}"

# One parallel for each host, for a drive can be measured by its own host alone.
failed=0
running=
for host in $hosts; do
  grep "^$host " "$drives" | cut -d' ' -f2- |
    parallel --sshlogin "1/$host" --env PLATTER --env FLEET_REGISTRY --env FLEET_REMOTE --env FLEET_MODELS \
      --env FLEET_OPTIONS --tag "$here/characterize.sh" {} &
  running="$running $!"
done
for process in $running; do wait "$process" || failed=$((failed + 1)); done
exit $failed
