"""What is done to the drive in run N of a campaign: everything follows from the campaign's name and N."""

import random
import signal

RANGES = [[(1003, 10001)], [(517, 4099), (6001, 11001)], [(8, 11927)]]
JOBS = ["characterize", "characterize", "replay-1-default", "replay-8-default", "replay-8-off",
        "replay-1-forced"]
AIMS = ["random", "growing", "last-write", "flush", "unlink", "select", "restore"]
LOSSES = ["power-loss", "power-loss", "power-loss", "power-loss-before", "power-loss-after"]
FAILED_WRITES = ["write-medium", "write-medium-torn", "write-medium-arrived", "write-hardware", "write-fault",
                 "write-aborted-torn", "deferred", "deferred-descriptor", "deferred-hardware", "write-garbled",
                 "write-garbled-below-cache", "write-protect", "sync-fails", "short-transfer"]
# Every kind that leaves the host something to do; whether it comes once, a few times or without end is drawn.
ANY_FAULT = ["vanish", "vanish-after", "interrupt-host", "terminate-host", "write-medium", "write-medium-torn",
             "write-medium-arrived", "write-hardware", "write-fault", "write-aborted", "write-aborted-torn",
             "write-garbled", "write-protect", "deferred", "deferred-descriptor", "deferred-hardware", "read-medium",
             "read-medium-once", "read-hardware", "read-aborted", "read-recovered", "verify-medium", "sync-fails",
             "sync-lies", "select-fails", "select-ignored", "busy", "task-set-full", "reservation",
             "unit-attention", "reset", "reset-silent", "parameters-changed", "not-ready", "spun-down", "no-sense",
             "short-transfer", "wrong-residual", "malformed-reply", "replaced"]
ONCE = {"vanish", "vanish-after", "read-medium", "write-garbled", "replaced", "malformed-reply"}


SHINGLED = ["small-shingled", "small-shingled-lazy"]


def drive_of(dice, kind, number):
    """Options of trust_drive. Every other drive has physical blocks of its own size."""
    drive = ["small", "small-512e", "small", "small-512e", "small-4kn"][number % 5]
    if kind == "power-shingled":
        drive = SHINGLED[number % 2]
    options = ["--drive", drive, "--seed", str(dice.randint(1, 10**6))]
    if drive == "small-512e" and dice.random() < 0.4:
        options += ["--lowest-aligned", str(dice.randint(1, 7))]
    if dice.random() < 0.25:
        options += ["--torn", "garbage"]
    if dice.random() < 0.2:
        options += ["--no-serial"]
    if dice.random() < 0.2:
        options += ["--no-verify"]
    if dice.random() < 0.3:
        options += ["--fua", dice.choice(["refuse", "ignore", "ignore-reads", "ignore-writes"])]
    if dice.random() < 0.15:
        options += ["--sync", dice.choice(["refuse", "lie"])]
    if dice.random() < 0.3:
        options += ["--write-cache", dice.choice("01")]
    if dice.random() < 0.2:
        options += ["--descriptor-sense"]
    return options


def plan(kind, number):
    """`build`, `ranges`, `job`, `aim`, and what the aim leaves open as a number from 0 to 1 (`where`)."""
    dice = random.Random(f"{kind}-{number}")
    result = {"build": drive_of(dice, kind, number), "ranges": dice.choice(RANGES), "job": dice.choice(JOBS),
              "where": dice.random(), "trace": dice.randint(1, 5), "more": dice.random()}
    if kind.startswith("power"):
        result["aim"] = AIMS[number % len(AIMS)]
        result["fault"] = dice.choice(LOSSES)
    elif kind == "kill":
        result["aim"] = ["random", "write", "select", "host-time", "restore", "sync"][number % 6]
        result["fault"] = dice.choice(["kill-host"] * 3 + ["kill-host-after"] * 3 +
                                      ["interrupt-host", "terminate-host"])
    elif kind == "failed-write":
        result["aim"] = result["fault"] = FAILED_WRITES[number % len(FAILED_WRITES)]
        if result["fault"] == "write-garbled-below-cache" and "--fua" in result["build"]:
            at = result["build"].index("--fua")  # what never shows to a host can't be found by one
            del result["build"][at:at + 2]
        result["in_restore"] = dice.random() < 0.3
    elif kind == "any-fault":
        result["aim"] = result["fault"] = ANY_FAULT[number % len(ANY_FAULT)]
        result["count"] = 1 if result["fault"] in ONCE else dice.choice([1, 1, 3, 0])
    if kind in ("power", "power-shingled", "kill"):
        # Somebody who does not restore, but runs it again.
        result["again"] = dice.choice(["", "", "", "undisturbed", "cut off"])
    return result


def signals_of(plan_):
    """What the program may die of: the second of several signals ends it at once."""
    if plan_["aim"] == "host-time":
        return (signal.SIGKILL,)
    return {"kill-host": (signal.SIGKILL,), "kill-host-after": (signal.SIGKILL,),
            "interrupt-host": (signal.SIGINT, signal.SIGKILL),
            "terminate-host": (signal.SIGTERM, signal.SIGKILL)}.get(plan_["fault"], ())


def place(count, where, default=1):
    """The command of `count` that a share names, from 1."""
    return max(1, min(count, 1 + int(where * count))) if count else default


def faults_of(kind, plan_, counts):
    """(faults of the job, more options of it, faults of the restore that follows)."""
    aim, fault, where = plan_["aim"], plan_["fault"], plan_["where"]
    anywhere = f"{fault}:at={place(counts['any'], where)},of=any"
    if kind == "any-fault":
        return [f"{anywhere},count={plan_['count']}"], [], []
    if kind == "failed-write":
        of = {"deferred": "cached", "sync-fails": "sync", "short-transfer": "write"}.get(
            "deferred" if fault.startswith("deferred") else fault, "write")
        count = ",count=0" if fault == "write-protect" else ""
        if plan_["in_restore"]:
            return ([f"power-loss:at={place(counts.get('write', 0), plan_['more'])},of=write"], [],
                    [f"{fault}:at={1 + int(1 / (1.02 - where))},of={of}{count}"])
        return [f"{fault}:at={place(counts.get(of, 0), where)},of={of}{count}"], [], []
    if aim == "growing" and counts.get("growing"):
        return [f"{fault}:at={place(counts['growing'], where)},of=growing"], [], []
    if aim == "last-write" and counts.get("write"):
        return [f"{fault}:at={max(1, counts['write'] - int(3 * where))},of=write"], [], []
    if aim == "write" and counts.get("write"):
        return [f"{fault}:at={place(counts['write'], where)},of=write"], [], []
    if aim in ("flush", "sync") and counts.get("sync"):
        return [f"{fault}:at={place(counts['sync'], where)},of=sync"], [], []
    if aim == "select" and counts.get("select"):
        return [f"{fault}:at={place(counts['select'], where)},of=select"], [], []
    if aim == "unlink":
        if plan_["more"] < 0.5 and fault.startswith("power-loss"):
            return [], ["--at-end", "power-loss"], []
        return [f"{fault}:at={max(1, counts['any'] - int(7 * where))},of=any"], [], []
    if aim == "restore":
        of = ["any", "write", "media", "sync"][int(4 * plan_["more"])]
        within = f"{fault}:at={1 + int(1 / (1.02 - where))},of={of}"
        first = "power-loss" if fault.startswith("power-loss") else "kill-host"
        return [f"{first}:at={place(counts.get('write', 0), plan_['more'])},of=write"], [], [within]
    return [anywhere], [], []
