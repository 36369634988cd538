"""Random drives, each with one fault or interrupt at a random moment after the layout: what the run has found by
then must be in a model file that says what it lacks."""

import json
import os
import random
import tempfile

from drives import Folder, failures_of, recover_and_judge

FAULTS = ["interrupt-host", "terminate-host", "power-loss", "vanish", "malformed-reply", "spun-down", "replaced",
          "write-medium", "write-medium-torn", "write-hardware", "write-protect", "deferred", "sync-fails",
          "short-transfer", "read-medium", "read-hardware:count=0", "read-aborted:count=0", "select-fails:count=0",
          "reservation:count=0", "not-ready:count=0", "busy:count=0", "reset:count=3", "parameters-changed",
          "no-sense"]
LAYOUT = ["warm-up", "rotation", "layout"]  # the stages until the map is known


def plan_of(number):
    dice = random.Random(f"late-fault-{number}")
    fault, _, more = FAULTS[number % len(FAULTS)].partition(":")
    return {"aim": fault, "job": "characterize", "fault": fault, "more": more, "where": dice.random(),
            "build": ["--drive", f"small-random-{number}", "--seed", str(number + 1)], "ranges": [(1000, 9000)]}


def model_of(folder):
    try:
        with open(os.path.join(folder.path, "drive.json"), encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return None


def commands_of_layout(model, commands):
    """Commands until the map was known; those in front of the first stage count, too."""
    stages = {stage["name"]: stage["commands"] for stage in model["provenance"]["stages"]}
    return commands - sum(stages.values()) + sum(stages.get(name, 0) for name in LAYOUT)


def reasons_in(part):
    """All that a model says of values that it does not have."""
    if isinstance(part, list):
        return [reason for entry in part for reason in reasons_in(entry)]
    if not isinstance(part, dict):
        return []
    own = [part["reason"]] if isinstance(part.get("reason"), str) else []
    return own + [reason for entry in part.values() for reason in reasons_in(entry)]


def lacks(model, status):
    """Why the file does not do; empty: it does."""
    if model is None:
        return ["no model file"]
    provenance = model["provenance"]
    if provenance.get("complete", True):
        # Settings that did not come back, or another drive in this one's place, end a run whose model is whole.
        return [] if status in (0, 8) else [f"status {status}, and the model calls itself complete"]
    missing = provenance.get("missing", [])
    if not missing and not any("write failed" in reason for reason in reasons_in(model)):
        return ["the model is not complete and does not say what is missing"]
    return [f"no reason for {entry}" for entry in missing if not entry.get("reason")]


def run_one(number, programs, keep_folder):
    plan = plan_of(number)
    record = {"kind": "late-fault", "number": number, "plan": plan}
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(programs, path, plan["build"], plan["ranges"])
        status = folder.job("characterize")
        model, total = model_of(folder), folder.counts().get("any", 0)
        if model is None or "layout" not in [stage["name"] for stage in model["provenance"]["stages"]]:
            # A drive that is refused, or has no map, has no moment after the layout.
            return record | {"verdict": "no layout", "failures": failures_of({
                "verdict": "", "outside": [], "other": [], "statuses": [status]}), "statuses": [status],
                "said": folder.texts}
        first = commands_of_layout(model, total)
    at = first + 1 + int(plan["where"] * (total - first))
    fault = ",".join(filter(None, [f"{plan['fault']}:at={at},of=any", plan["more"]]))
    with keep_folder() as path:
        folder = Folder(programs, path, plan["build"], plan["ranges"])
        status = folder.job("characterize", [fault])
        model = model_of(folder)
        finding = recover_and_judge(folder)
        # A model of two drives is none.
        why = [] if plan["fault"] == "replaced" and model is None else lacks(model, status)
        record |= finding | {"faults": [fault], "failures": failures_of(finding) + why}
        if model is not None and not why:
            record["model"] = "complete" if model["provenance"].get("complete", True) else "partial"
        if record["failures"]:
            record["said"] = [text[-600:] for text in folder.texts]
            record["commands"] = folder.commands
    return record
