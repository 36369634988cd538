# Sourced: a drive with contents, writes to it, and what it must hold behind them. platter_seed= of the kernel's
# command line seeds both.
seed=$(sed -n 's/.*platter_seed=\([0-9]*\).*/\1/p' /proc/cmdline)
seed=${seed:-1}
how=(--reference-reads 0 -o /run/new.csv --allow-writes 0-16383)

# depth_of RUN: most commands outstanding; one, or many, so that through each node both are tried.
depth_of() { [ $(($1 / 3 % 2)) -eq 0 ] && echo 16 || echo 1; }

# fill_drive REQUESTS: no two sectors alike; as many requests, most of them writes of 1 to 64 sectors at random places
# of 2 MB, which are read and journaled in a small part of the time that the writes take.
fill_drive() {
  python3 - "$seed" "$1" <<'END'
import random, sys
dice = random.Random(int(sys.argv[1]))
with open("/run/pattern", "wb") as pattern:
    pattern.write(dice.randbytes(8 << 20))
with open("/run/writes.trace", "w") as trace:
    for i in range(int(sys.argv[2])):
        blocks = dice.choice((1, 2, 8, 16, 64))
        trace.write(f"0.0 0 {dice.randrange(4096 - blocks)} {blocks} {0 if dice.random() < 0.8 else 1}\n")
END
  dd if=/run/pattern of=/dev/sda bs=1M oflag=direct status=none
  before=$(contents)
}

contents() { dd if=/dev/sda bs=1M iflag=direct status=none | sha256sum; }
journals() { ls /run/state/platter/*.journal 2>/dev/null; }

# put_right WHAT: what a run left is put back by its journal, and the drive is as it was.
put_right() {
  local journal
  for journal in $(journals); do
    /run/platter restore "$journal" >/run/output 2>/run/errors || failed "restore ($1): $(</run/errors)"
    [ -e "$journal" ] && failed "the journal is left behind a restore ($1)"
    rm -f "$journal"
  done
  [ "$(contents)" = "$before" ] && return
  failed "other contents than before ($1)"
  dd if=/run/pattern of=/dev/sda bs=1M oflag=direct status=none
}
