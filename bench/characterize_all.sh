#!/usr/bin/env bash
# Characterizes drives, holds the models against what the drives really are, validates them, and
# prints one table; docs/validation.md has the last one. Needs a built program (./quickstart, ./check).
# Usage: bench/characterize_all.sh [drive...]   names of virtual drives, or alien:VARIANT; all without
set -euo pipefail
cd "$(dirname "$0")/.."
platter=${PLATTER_BINARY:-build/release/platter}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- quantum-atlas10k seagate-cheetah9lp seagate-barracuda4lp ibm-ultrastar18es \
  hp-c2247 alien:moderate alien:serpentine alien:bands alien:old

# The device of a drive with the noise and the phase of seed $2.
device() {
  case "$1" in
    alien:*) echo "exec:python3 -B tests/alien/alien.py --variant ${1#alien:} --seed $2 --truth $work/$1.truth" ;;
    *) echo "virtual:$1?imperfections=default&seed=$2" ;;
  esac
}

for drive in "$@"; do
  all="0-$(($("$platter" inspect "$(device "$drive" 1)" --json |
            sed -n 's/.*"blocks": \([0-9]*\).*/\1/p' | head -n 1) - 1))"
  model=$work/$drive.json
  echo "$drive" >&2
  "$platter" characterize "$(device "$drive" 1)" --allow-writes "$all" -o "$model" \
    >"$work/$drive.text" 2>"$work/$drive.notices"
  case "$drive" in
    alien:*) ;;
    *) "$platter" truth "virtual:$drive" -o "$work/$drive.truth"
       "$platter" layout "$work/$drive.truth" --all-tracks >"$work/$drive.truth-tracks"
       "$platter" diff "$model" "$work/$drive.truth" --json >"$work/$drive.diff" 2>/dev/null || true ;;
  esac
  "$platter" layout "$model" --all-tracks >"$work/$drive.tracks"
  "$platter" validate "$(device "$drive" 1)" "$model" --allow-writes "$all" -o "$work/$drive.validation" \
    --json >"$work/$drive.validated"
  # The floor: the drive against itself on the same trace, another noise seed.
  for workload in random mixed; do
    caches=default
    [ $workload = mixed ] || caches=off
    for seed in 1 2; do
      "$platter" replay "$work/$drive.validation/$workload.trace" --on "$(device "$drive" $seed)" \
        --allow-writes "$all" --caches $caches -o "$work/$drive.$workload.$seed.csv" 2>/dev/null
    done
    "$platter" compare "$work/$drive.$workload.1.csv" "$work/$drive.$workload.2.csv" --json \
      >"$work/$drive.$workload.floor"
  done
done
python3 bench/tables.py characterized "$work" "$@"
