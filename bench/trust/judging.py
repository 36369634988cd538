"""How platter took a document of others: by how it ended, by what it said, by processor time and memory."""

import os
import re
import resource
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_SECONDS, MOST_BYTES = 5.0, 10**9
STATUSES = {0, *range(2, 15), 130}
# What serves until it is stopped is stopped when it says that it is ready, or after so long.
SERVES, SERVED_S = re.compile(r"--nbd|--vhost-user|^cosim "), 60
# Status 12 says that two models differ, which is told on standard output.
SILENT = {0, 12}


class Judged:
    def __init__(self, wrong, status, seconds, memory, sentence):
        self.wrong, self.status, self.seconds, self.bytes, self.sentence = wrong, status, seconds, memory, sentence


def limited():
    # The hard limits stay: programs that platter starts get their own.
    for what, most in ((resource.RLIMIT_CPU, int(4 * MOST_SECONDS)), (resource.RLIMIT_AS, 4 * MOST_BYTES),
                       (resource.RLIMIT_FSIZE, 4 * MOST_BYTES), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (most, resource.getrlimit(what)[1]))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def stop_when_ready(process, said):
    end = time.monotonic() + SERVED_S
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if time.monotonic() > end or b"ready" in os.pread(said.fileno(), 1 << 16, 0):
            return process.terminate()
        time.sleep(0.02)


def judge(platter, words, folder, any_bytes=False):
    """Runs it in the folder, whose documents (documents.py) it is given."""
    environment = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"), TMPDIR=folder, PLATTER_ATTACK=folder,
                       XDG_CONFIG_HOME=os.path.join(folder, "config"), XDG_DATA_HOME=os.path.join(folder, "data"),
                       PATH=os.path.join(HERE, "bin") + os.pathsep + os.environ["PATH"])
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([platter, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=said,
                                   stdin=subprocess.DEVNULL, preexec_fn=limited, env=environment)
        if SERVES.search(" ".join(words)):
            stop_when_ready(process, said)
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = status = os.waitstatus_to_exitcode(ended)
        said.seek(0)
        sentence = said.read()
    seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    wrong = []
    if status < 0:
        wrong.append(f"signal {-status}")
    elif status not in STATUSES:
        wrong.append(f"status {status}: {sentence[-200:]!r}")
    elif status not in SILENT and not sentence:
        wrong.append(f"status {status} without a sentence")
    if len(sentence) > 100_000:
        wrong.append(f"{len(sentence)} bytes of sentences")
    if not any_bytes and re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", sentence):
        wrong.append("a control byte in its sentence")
    if status == 6 and (left := [name for name in os.listdir(folder) if name.startswith("x.")]):
        wrong.append(f"{', '.join(left)} is left although the document was refused")
    if seconds > MOST_SECONDS:
        wrong.append(f"{seconds:.1f} s of processor time")
    if memory > MOST_BYTES:
        wrong.append(f"{memory / 1e6:.0f} MB")
    return Judged("; ".join(wrong), status, seconds, memory, sentence.decode(errors="replace").strip())
