#!/usr/bin/env bash
# The engine against response times that were measured on five real drives; docs/validation.md has
# the table. Needs a built program (./quickstart or ./check) and the data of DiskSim 4.0's validation.
# Usage: bench/measured_traces.sh DATA [DISKSIM]   DISKSIM: a folder of NAME.result.csv, DiskSim's own
# responses to the same traces, for the lines beside ours.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
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
  "$platter" replay "$trace" --on "$work/$name.json" --reference-reads 0 -o "$work/$name.csv"
  "$platter" replay "$trace" --on "$work/$name.json" --reference-reads 0 --phase-from "$trace" \
    -o "$work/$name.free.csv"
  "$platter" compare "$trace" "$work/$name.csv" --json >"$work/$name.ours"
  "$platter" compare "$trace" "$work/$name.free.csv" --json >"$work/$name.free"
  [ -z "$disksim" ] ||
    "$platter" compare "$trace" "$disksim/$name.result.csv" --json >"$work/$name.disksim"
done
python3 bench/tables.py measured "$work"
