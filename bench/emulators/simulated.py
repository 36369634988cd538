"""What the experiments in simulated time share: a guest's run, and the requests that its log tells."""
import json
import pathlib
import subprocess

READS, WRITES = {0x28, 0x88, 0xa8, 0x08}, {0x2a, 0x8a, 0xaa, 0x0a}


class Platter:
    def __init__(self, build):
        self.program = str(pathlib.Path(build).resolve() / "platter")

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"platter {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def cosim(self, models, command, log=None, options=()):
        """Runs the shell's COMMAND in a guest. Returns its output and the report."""
        report = pathlib.Path(models[0]).with_suffix(".report.json")
        arguments = [*models, "--report", report, "--force", *options]
        if log:
            arguments += ["--log", log]
        output = self.run("cosim", *arguments, "--", "bash", "-c", command)
        return output, json.loads(report.read_text())

    def check_log(self, models, log):
        """How many completions of a log the engine does not give again: 0."""
        return json.loads(self.run("emulate", *models, "--check-log", log, "--json"))


class Request:
    __slots__ = ("issued_ns", "completed_ns", "delivered_ns", "write", "lbn", "blocks")

    def __init__(self, issued_ns, write, lbn, blocks):
        self.issued_ns, self.write, self.lbn, self.blocks = issued_ns, write, lbn, blocks
        self.completed_ns = self.delivered_ns = None

    @property
    def response_ns(self):
        return self.completed_ns - self.issued_ns


def blocks_of(cdb):
    group = cdb[0] >> 5
    if group == 0:
        return int.from_bytes(cdb[1:4], "big") & 0x1fffff, cdb[4] or 256
    if group == 4:
        return int.from_bytes(cdb[2:10], "big"), int.from_bytes(cdb[10:14], "big")
    if group == 5:
        return int.from_bytes(cdb[2:6], "big"), int.from_bytes(cdb[6:10], "big")
    return int.from_bytes(cdb[2:6], "big"), int.from_bytes(cdb[7:9], "big")


def requests_of(log, drive=0):
    """The reads and writes of one drive, in the order of their coming."""
    outstanding, found = {}, []
    with open(log, encoding="ascii") as lines:
        next(lines)
        for line in lines:
            words = line.split()
            if int(words[0]) != drive:
                continue
            if words[1] == "c":
                cdb = bytes.fromhex(words[7])
                if cdb[0] in READS | WRITES:
                    request = Request(int(words[3]), cdb[0] in WRITES, *blocks_of(cdb))
                    outstanding[words[2]] = request
                    found.append(request)
            elif words[1] == "t" and words[2] in outstanding:
                outstanding[words[2]].completed_ns = int(words[3])
            elif words[1] == "d" and words[2] in outstanding:
                outstanding.pop(words[2]).delivered_ns = int(words[3])
    return [request for request in found if request.completed_ns is not None]


def write_closed_trace(requests, path):
    """DiskSim's validate format: each request so long after the end of the one before as the guest thought."""
    with open(path, "w", encoding="ascii") as trace:
        for request, after in zip(requests, [*requests[1:], None]):
            think_ns = after.issued_ns - request.completed_ns if after else 0
            trace.write(f"{'W' if request.write else 'R'} Miss {request.lbn} {request.blocks} 0 {think_ns / 1e3:.3f}\n")
