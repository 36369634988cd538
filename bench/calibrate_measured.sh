#!/usr/bin/env bash
# Models of five real drives calibrated with the first half of a trace that was measured on each, and
# judged by the second; docs/validation.md has the table. Needs a built program and the data of DiskSim
# 4.0's validation.
# Usage: bench/calibrate_measured.sh DATA [DISKSIM]   DISKSIM: a folder of NAME.result.csv, DiskSim's own
# responses to the same traces (bench/disksim_responses.py), for the column beside ours.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
data=$(realpath "$1")
disksim=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."
platter=${PLATTER_BINARY:-build/release/platter}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for parameters in quantum-atlas10k/atlas10k seagate-cheetah9LP/cheetah9LP ibm-18es/ibm18es \
                  seagate-barracuda/barracuda hp-c2247a/hp_c2247a; do
  name=${parameters#*/}
  trace=$data/$parameters.trace
  "$platter" import disksim "$data/$parameters.parv" -o "$work/$name.json" 2>"$work/$name.notes"
  "$platter" calibrate "$work/$name.json" --with "$trace" -o "$work/$name.calibrated.json" --json \
    >"$work/$name.calibration"
  # As anybody would: the calibrated model replays the whole trace, and its second half is compared.
  "$platter" replay "$trace" --on "$work/$name.calibrated.json" --reference-reads 0 \
    -o "$work/$name.result" 2>"$work/$name.notes"
  "$platter" compare "$trace" "$work/$name.result" --half second --json >"$work/$name.replayed"
  "$platter" replay "$trace" --on "$work/$name.calibrated.json" --reference-reads 0 --think-times behind \
    -o "$work/$name.behind.result" 2>"$work/$name.notes"
  "$platter" compare "$trace" "$work/$name.behind.result" --half second --json >"$work/$name.behind"
  [ -z "$disksim" ] || "$platter" compare "$trace" "$disksim/$name.result.csv" --half second --json \
    >"$work/$name.disksim"
done
python3 bench/tables.py calibrated "$work"
