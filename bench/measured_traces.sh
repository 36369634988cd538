#!/usr/bin/env bash
# The engine against response times that were measured on five real drives; docs/validation.md has
# the table. Needs a built program (./quickstart or ./check) and the data of DiskSim 4.0's validation.
# Usage: bench/measured_traces.sh DATA [DISKSIM]   DISKSIM: a folder of NAME.result.csv, DiskSim's own
# responses to the same traces (bench/disksim_responses.py makes it), for the lines beside ours.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
data=$(realpath "$1")
disksim=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."
platter=${PLATTER_BINARY:-build/release/platter}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What `compare` says of a result, in files that tables.py knows.
compare() { # TRACE RESULT NAME.SOURCE
  "$platter" compare "$1" "$2" --json >"$work/$3"
  "$platter" compare "$1" "$2" --hits-by response --hit-threshold-ms 2 --json >"$work/$3.2ms"
  for half in first second; do
    "$platter" compare "$1" "$2" --half $half --json >"$work/$3.$half"
  done
}

for parameters in quantum-atlas10k/atlas10k seagate-cheetah9LP/cheetah9LP ibm-18es/ibm18es \
                  seagate-barracuda/barracuda hp-c2247a/hp_c2247a; do
  name=${parameters#*/}
  trace=$data/$parameters.trace
  "$platter" import disksim "$data/$parameters.parv" -o "$work/$name.json" 2>"$work/$name.notes"
  "$platter" replay "$trace" --on "$work/$name.json" --reference-reads 0 -o "$work/$name.csv" \
    2>"$work/$name.notes"
  "$platter" replay "$trace" --on "$work/$name.json" --reference-reads 0 --phase-from "$trace" \
    -o "$work/$name.free.csv" 2>"$work/$name.notes"
  compare "$trace" "$work/$name.csv" "$name.ours"
  "$platter" compare "$trace" "$work/$name.free.csv" --json >"$work/$name.free"
  [ -z "$disksim" ] || compare "$trace" "$disksim/$name.result.csv" "$name.disksim"
done
python3 bench/tables.py measured "$work"
