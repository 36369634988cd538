#!/usr/bin/env bash
# Characterizes random drives and publishes each model, without and with its samples: which are refused, and why.
#   bench/publish_random.sh PLATTER [DRIVES=50]
set -euo pipefail
platter=$(realpath "$1")
drives=${2:-50}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
refused=0 contradicted=0
for ((seed = 1; seed <= drives; ++seed)); do
  "$platter" characterize "virtual:random-$seed" -o "r$seed.json" >log 2>&1 || { tail -n 1 log; exit 1; }
  "$platter" publish "r$seed.json" --registry registry >log 2>&1 || { tail -n 1 log; refused=$((refused + 1)); }
  "$platter" publish "r$seed.json" --samples "r$seed.samples.jsonl" --registry with >log 2>&1 || {
    tail -n 1 log
    contradicted=$((contradicted + 1))
  }
done
echo "$drives models: $refused refused, $contradicted by their samples"
[ "$refused" = 0 ]
