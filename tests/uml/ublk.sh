#!/bin/bash
# Process 1 of a guest that has ublk: emulated drives as its block devices. platter_requests=N: so many random
# reads of 4 KiB for the row of each front end.
. "$(dirname "$0")/prologue.sh"
export TMPDIR=/run HOME=/run
insmod "$build/../tools/ublk_drv-$(uname -r).ko" || failed 'no module ublk_drv'
cd /run
requests=$(sed -n 's/.*platter_requests=\([^ ]*\).*/\1/p' /proc/cmdline)
drive=/dev/ublkb0 emulator=
is() { local what=$1; shift; if "$@"; then passed "$what"; else failed "$what: $*"; fi; }
equal() { [ "$2" = "$3" ] && passed "$1: $2" || failed "$1: $2, not $3"; }
serve() {
  ./platter emulate "$@" --json >report 2>said &
  emulator=$!
  wait_for grep -q '^platter: ready' said || { failed "not ready: $*"; cat said; }
}
ended() {  # ended [SIGNAL]: the emulator, in order; its devices are gone
  kill "-${1:-TERM}" $emulator
  wait $emulator
  equal "status after ${1:-TERM}" $? 0
  is 'its devices are gone' [ "$(echo /dev/ublk[bc]*)" = '/dev/ublk[bc]*' ]
}
same_as_the_engine() { expect 0 ./platter emulate "$@" --check-log log --json; grep -o '"completions": *[0-9]*' output; }

for name in quantum-atlas10k hp-c2247; do expect 0 ./platter truth "virtual:$name?imperfections=none" -o $name.json; done
sed 's/"block_bytes": 512/"block_bytes": 4096/' hp-c2247.json >4k.json
expect 11 setpriv --reuid 65534 --regid 65534 --clear-groups ./platter emulate nonesuch.json --ublk
head -c 100000000 /dev/urandom >truth || failed 'no file to compare'

# Contents, through a file system and fio; a second drive beside the first.
serve quantum-atlas10k.json hp-c2247.json --ublk --speed 20 --log log
cat said
queue=/sys/block/ublkb0/queue
equal 'logical blocks' "$(cat $queue/logical_block_size)" 512
equal 'rotational' "$(cat $queue/rotational)" 1
equal 'cache, FUA' "$(cat $queue/write_cache) $(cat $queue/fua)" 'write back 1'
equal 'blocks' "$(blockdev --getsz $drive)" "$(sed -n 's/.*"blocks": \([0-9]*\),.*/\1/p' quantum-atlas10k.json | head -n 1)"
mkdir mnt
expect 0 mkfs.ext4 -q $drive
expect 0 mount $drive mnt
expect 0 cp truth mnt/copy
expect 0 umount mnt
expect 0 fsck.ext4 -fn $drive
expect 0 mount $drive mnt
expect 0 cmp truth mnt/copy
expect 0 umount mnt
expect 0 fio --name=v --filename=/dev/ublkb1 --direct=1 --ioengine=libaio --iodepth=32 --rw=randrw --bs=4k --size=4m \
  --verify=crc32c --verify_fatal=1 --do_verify=1
expect 0 dd if=truth of=/dev/ublkb1 bs=1M count=8 oflag=direct status=none
expect 0 blkdiscard -z -o 1M -l 2M /dev/ublkb1
expect 0 cmp -n 2097152 -i 0:1048576 /dev/zero /dev/ublkb1
expect 0 blkdiscard -o 4M -l 1M /dev/ublkb1
expect 0 cmp -n 1048576 -i 0:4194304 /dev/zero /dev/ublkb1
expect 0 cmp -n 1048576 -i 3145728 truth /dev/ublkb1
ended
same_as_the_engine quantum-atlas10k.json hp-c2247.json

# Blocks of 4 KiB; contents in a file; the power goes, and the next request is served.
serve 4k.json --ublk --speed 20 --contents contents --log log
equal 'logical blocks' "$(cat $queue/logical_block_size)" 4096
expect 0 dd if=truth of=$drive bs=64k count=4 conv=fsync status=none
kill -USR2 $emulator
sleep 1
expect 0 cmp -n 262144 truth $drive
ended INT
same_as_the_engine 4k.json
expect 0 cmp -n 262144 truth contents

# Episodes: requests that fail and one that is stuck. The end waits for none.
cat >bad.json <<'J'
{"schema": {"name": "platter-episodes", "version": "1.0"}, "episodes": [
  {"what": "fail", "of": "read", "lbns": [1000, 1007]}, {"what": "stuck", "of": "read", "lbns": [5000, 5007]}]}
J
serve quantum-atlas10k.json --ublk --speed 20 --episodes bad.json --log log
read_at() { dd if=$drive of=/dev/null bs=4k skip="$1" count=1 iflag=direct status=none; }
expect 0 read_at 100
expect 1 read_at 125
grep -q 'Input/output error' errors && passed 'EIO' || failed "no EIO: $(cat errors)"
read_at 625 2>stuck &
sleep 1
is 'one is stuck' [ -d /proc/$! ]
ended
grep -q 'Input/output error' stuck && passed 'then it fails' || failed "stuck: $(cat stuck)"
grep -o '"episodes":.*' report
same_as_the_engine quantum-atlas10k.json --episodes bad.json

# Killed: the kernel takes the block device within some seconds, and the next run what is left.
serve quantum-atlas10k.json --ublk --contents kept
expect 0 dd if=truth of=$drive bs=64k count=4 oflag=direct conv=fsync status=none
kill -KILL $emulator
wait $emulator
for _ in $(seq 200); do [ "$(echo /dev/ublkb*)" != '/dev/ublkb*' ] || break; sleep 0.1; done
is 'its block devices go' [ "$(echo /dev/ublkb*)" = '/dev/ublkb*' ]
echo "left: $(echo /dev/ublkc*)"
serve quantum-atlas10k.json --ublk --contents kept
equal 'the next is the first again' "$(echo /dev/ublkb*)" '/dev/ublkb0 /dev/ublkb1'
expect 0 cmp -n 262144 truth $drive
ended

python3 "$(dirname "$0")/../../bench/emulators/ublk_real_time.py" --build "$build" --requests "$requests" ||
  failed "the rows"
finish
