#!/usr/bin/env bash
# Fuzzes every reader of a trace format for SECONDS each, two at a time, from the golden traces on, and
# reports executions, coverage and findings. Needs clang with its libFuzzer. Usage: fuzz_traces.sh
# SECONDS [BUILD-FOLDER [FORMAT...]]. A finding is left in BUILD-FOLDER/findings and ends with status 1.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: bench/fuzz_traces.sh SECONDS [BUILD-FOLDER [FORMAT...]]}
build=${2:-build/fuzz}
shift $(($# < 2 ? $# : 2))
formats=("$@")
[ ${#formats[@]} -gt 0 ] || formats=(any ascii validate hpl blktrace blkparse iolog2 iolog3 spc msr etw)

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPLATTER_FUZZ=ON \
  -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ >/dev/null
cmake --build "$build" --target "${formats[@]/#/fuzz_}" >/dev/null
mkdir -p "$build/findings"

fuzz() {
  local format=$1 corpus=$build/corpus-$1 log=$build/fuzz_$1.log
  mkdir -p "$corpus"
  "$build/fuzz_$format" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$build/findings/$format-" \
    "$corpus" tests/golden/traces tests/fuzz/seeds >"$log" 2>&1 || true
  local runs coverage
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
  printf '%-9s %10s executions, %s, %s inputs kept, %s findings\n' "$format" "${runs:-?}" \
    "${coverage:-cov: ?}" "$(find "$corpus" -type f | wc -l)" \
    "$(find "$build/findings" -name "$format-*" | wc -l)"
}
export -f fuzz
export seconds build
printf '%s\n' "${formats[@]}" | xargs -P 2 -I{} nice -n 19 bash -c 'fuzz {}'
[ -z "$(ls "$build/findings")" ] || { ls "$build/findings"; exit 1; }
