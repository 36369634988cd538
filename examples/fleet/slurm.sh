#!/bin/sh
# A job for each drive, on the node that has it:
#
#   slurm.sh DRIVES
#
# DRIVES has a line "NODE DEVICE" for each drive. platter, this folder and FLEET_REGISTRY (with its remote and
# serial.key) are at the same places on each node. A job whose node dies is put into the queue again, and waits for
# its node, which alone has the drive. Once more does what is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
while read -r node device; do
  sbatch --parsable -w "$node" --requeue --open-mode=append --output="${FLEET_LOG:-fleet-%j.log}" \
    --job-name="platter-fleet" --wrap "exec '$here/characterize.sh' '$device'"
done <"$1"
