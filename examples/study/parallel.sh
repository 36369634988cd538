#!/bin/sh
# A study's parts by GNU parallel, here or on other machines; the results lie in a folder that all of them see.
#
#   parallel.sh depths.json /shared/depths 20 -j 4
#   parallel.sh depths.json /shared/depths 20 -j 4 --sshloginfile hosts
#
# What follows the number of parts goes to parallel. PLATTER and LEAST (seconds of a part, else 60) may be set.
set -eu
study=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
parts=$3
shift 3
platter=${PLATTER:-platter}

# A part that fails or whose machine goes down is begun again, at most twice; what it had computed stays. Whatever
# became of them, the points that are there are collected, and missing ones named.
"$platter" study plan "$study" -C "$folder" --parts "$parts" --least "${LEAST:-60}" | cut -d ' ' -f 1 |
  parallel --quote --retries 3 "$@" "$platter" study run "$study" -C "$folder" --part '{}' --progress none || true
exec "$platter" study collect "$study" -C "$folder"
