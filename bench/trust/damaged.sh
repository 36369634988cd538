#!/usr/bin/env bash
# Journals, raw samples, points of studies and host journals, each damaged 2,000 times.
# Usage: bench/trust/damaged.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}
cmake --build "$build" --target test_safety test_samples test_study test_host >/dev/null
status=0
# A comma would divide the name into two; a name that no test has is a failure.
for room in safety samples study host; do
  "$build/test_$room" -w NoTests '*000 damaged*' |
    sed -n "s/^All tests passed/$room: 2,000 mutants, all as it should be/p; /^  .*FAILED/p; /^test cases/p; /^No test/p" || status=1
done
exit $status
