#!/bin/sh
# One drive, on the host that has it: characterized, published and pushed, unless the remote has its model.
#
#   characterize.sh DEVICE
#
# Environment:
#   PLATTER           the program (platter)
#   FLEET_REGISTRY    this host's registry, a folder; needs the fleet's serial.key (docs/fleets.md)
#   FLEET_REMOTE      name of its remote (lab), as `platter registry remote add` gave it
#   FLEET_MODELS      folder for models and samples ($FLEET_REGISTRY.models)
#   FLEET_OPTIONS     more options for characterize, such as --budget 2h
set -eu
device=$1
platter=${PLATTER:-platter}
registry=${FLEET_REGISTRY:?names no registry}
remote=${FLEET_REMOTE:-lab}
models=${FLEET_MODELS:-$registry.models}

[ -s "$registry/serial.key" ] || {
  echo "$registry: has no serial.key, so the drive would have another name on each host; copy the fleet's" >&2
  exit 5
}
# The models of this very drive, the remote's as REMOTE/DRIVE.vN. Status 13: none.
known() {
  status=0
  found=$("$platter" registry match "$device" --this-drive --limit 1000 --registry "$registry" 2>"$said") || status=$?
  [ $status -eq 0 ] || [ $status -eq 13 ] || { cat "$said" >&2; exit $status; }
  echo "$found" | cut -d' ' -f1
}
said=$(mktemp)
trap 'rm -f "$said"' EXIT

"$platter" registry refresh "$remote" --registry "$registry" >/dev/null 2>"$said" || { cat "$said" >&2; exit 10; }
references=$(known)
if echo "$references" | grep -q "^$remote/"; then
  echo "$device: is done: $(echo "$references" | grep -m 1 "^$remote/")"
  exit 0
fi
reference=$(echo "$references" | grep -v / | head -n 1)
if [ -z "$reference" ]; then
  mkdir -p "$models"
  folder=$(mktemp -d "$models/run.XXXXXX")
  # shellcheck disable=SC2086  # several options
  "$platter" characterize "$device" -o "$folder/" --progress none ${FLEET_OPTIONS:-} >/dev/null
  model=$(find "$folder" -name '*.json')
  reference=$("$platter" publish "$model" --registry "$registry" | head -n 1)
fi
"$platter" registry push "${reference%% *}" "$remote" --registry "$registry" >/dev/null
echo "$device: pushed $reference"
