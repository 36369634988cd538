#!/usr/bin/env bash
# Models of five real drives calibrated with one half of a trace that was measured on each, and judged by
# the other; then with the halves swapped. docs/validation.md has the tables. Needs a built program and the
# data of DiskSim 4.0's validation.
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

for learn in first second; do
  judge=second
  [ $learn = first ] || judge=first
  mkdir "$work/$learn"
  for parameters in quantum-atlas10k/atlas10k seagate-cheetah9LP/cheetah9LP ibm-18es/ibm18es \
                    seagate-barracuda/barracuda hp-c2247a/hp_c2247a; do
    name=${parameters#*/}
    trace=$data/$parameters.trace
    of=$work/$learn/$name
    "$platter" import disksim "$data/$parameters.parv" -o "$of.json" 2>"$of.notes"
    "$platter" calibrate "$of.json" --with "$trace" --half $learn -o "$of.calibrated.json" --json \
      >"$of.calibration"
    # As anybody would: the calibrated model replays the whole trace, and the judging half is compared.
    "$platter" replay "$trace" --on "$of.calibrated.json" --reference-reads 0 -o "$of.csv" 2>"$of.notes"
    "$platter" compare "$trace" "$of.csv" --half $judge --json >"$of.replayed"
    "$platter" replay "$trace" --on "$of.calibrated.json" --reference-reads 0 --think-times behind \
      -o "$of.behind.csv" 2>"$of.notes"
    "$platter" compare "$trace" "$of.behind.csv" --half $judge --json >"$of.behind"
    [ -z "$disksim" ] || "$platter" compare "$trace" "$disksim/$name.result.csv" --half $judge --json \
      >"$of.disksim"
  done
  echo "Learned from the $learn half, judged by the $judge:"
  echo
  python3 bench/tables.py calibrated "$work/$learn"
  echo
done
