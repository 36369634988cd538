#!/bin/bash
# Process 1 of a guest: `platter replay` of writes through SG_IO is killed at random moments
# (platter_kills= of the kernel's command line says how often), and what the drive holds is compared.
. "$(dirname "$0")/prologue.sh"
kills=$(sed -n 's/.*platter_kills=\([0-9]*\).*/\1/p' /proc/cmdline)
seed=$(sed -n 's/.*platter_seed=\([0-9]*\).*/\1/p' /proc/cmdline)
RANDOM=${seed:-1}

load scsi_debug dev_size_mb=8 ndelay=300000 fake_rw=0
wait_for test -b /dev/sda -a -c /dev/sg0 || { failed "no /dev/sda"; finish; }

# No two sectors alike; the trace writes from 1 to 64 of them, at random and again.
python3 - "${seed:-1}" <<'END'
import random, sys
dice = random.Random(int(sys.argv[1]))
with open("/run/pattern", "wb") as pattern:
    pattern.write(dice.randbytes(8 << 20))
with open("/run/writes.trace", "w") as trace:
    for i in range(400):
        blocks = dice.choice((1, 2, 8, 16, 64))
        trace.write(f"0.0 0 {dice.randrange(16384 - blocks)} {blocks} {0 if dice.random() < 0.8 else 1}\n")
END
dd if=/run/pattern of=/dev/sda bs=1M oflag=direct status=none

contents() { dd if=/dev/sda bs=1M iflag=direct status=none | sha256sum; }
journals() { ls /run/state/platter/*.journal 2>/dev/null; }
replay() { /run/platter replay /run/writes.trace --on "$1" --depth 1 --reference-reads 0 -o /run/new.csv --allow-writes 0-16383; }

# What is left is put back by the journal, and the drive is as it was.
put_right() {
  local journal
  for journal in $(journals); do
    /run/platter restore "$journal" >/run/output 2>/run/errors || failed "restore: $(cat /run/errors)"
    [ -e "$journal" ] && failed "the journal is left behind a restore"
  done
  [ "$(contents)" = "$before" ] || { failed "other contents than before ($1)"; dd if=/run/pattern of=/dev/sda bs=1M oflag=direct status=none; }
}

before=$(contents)
started=$(date +%s%N)
expect 0 replay /dev/sda
whole_ms=$((($(date +%s%N) - started) / 1000000))
[ -n "$(journals)" ] && failed "a run in order leaves a journal"
put_right "a whole run"

nodes=(/dev/sda /dev/sg0 "/dev/bsg/$(ls /dev/bsg)")
killed=0 journaled=0
for ((i = 0; i < kills; ++i)); do
  replay "${nodes[i % 3]}" >/run/output 2>&1 &
  runner=$!
  after_ms=$((RANDOM * whole_ms / 32768))
  sleep "$(printf '%d.%03d' $((after_ms / 1000)) $((after_ms % 1000)))"
  kill -9 $runner 2>/dev/null && killed=$((killed + 1))
  wait $runner 2>/dev/null
  [ -n "$(journals)" ] && journaled=$((journaled + 1))
  put_right "kill $i after $after_ms of $whole_ms ms"
done
passed "$killed of $kills runs killed, $journaled with a journal left: contents as before"
[ $journaled -gt 0 ] || failed "no kill left a journal: nothing was tried"
finish
