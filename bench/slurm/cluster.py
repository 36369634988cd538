#!/usr/bin/env python3
"""Slurm on the loopback: one slurmctld and some slurmd in a folder, without systemd and without this machine's own
configuration. All that it started ends with it, the steps that slurmd put away from itself too: they are known by an
environment variable. Needs root, and Debian's slurmctld, slurmd, slurm-client and munge.

    with Cluster() as cluster:
        cluster.run("sbatch", "--wait", "job.sh")
        cluster.kill_node("n1")     # slurmd and its steps, as a computer that lost its power
        cluster.start_node("n1")

    bench/slurm/cluster.py [--nodes N] [--cpus N] [COMMAND WORD...]   # a command, or what it does by itself, tried
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["slurmctld", "slurmd", "sbatch", "munged", "mungekey"]
MARK = "PLATTER_LOOP_CLUSTER"

CONFIGURATION = """ClusterName=loop
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=10
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
MinJobAge=3600
JobRequeue=1
MaxArraySize=10001
MaxJobCount=20000
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=none
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """What this machine lacks to hold a cluster, as a sentence; empty if nothing."""
    absent = [name for name in PROGRAMS if not shutil.which(name)]
    if absent:
        return f"no {', '.join(absent)} on PATH: install slurmctld slurmd slurm-client munge"
    return "" if os.geteuid() == 0 else "slurmd starts jobs of others, so it must be root"


def free_ports(count):
    listeners = [socket.socket() for _ in range(count)]
    for listener in listeners:
        listener.bind(("127.0.0.1", 0))
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def marked(*entries):
    """The processes whose environment has all these entries (NAME=VALUE)."""
    wanted = {entry.encode() for entry in entries}
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted <= set(file.read().split(b"\0")):
                    found.append(int(name))
        except OSError:
            pass  # ended meanwhile
    return found


def kill_marked(*entries):
    """Until none is left: one that is killed may just have started another."""
    for _ in range(500):
        alive = [pid for pid in marked(*entries) if not is_zombie(pid)]
        if not alive:
            return
        for pid in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    raise SystemExit(f"processes with {entries} do not end: {alive}")


def is_zombie(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Cluster:
    def __init__(self, nodes=2, cpus=1):
        self.holder = tempfile.TemporaryDirectory(prefix="loop-slurm-")
        self.folder = self.holder.name
        self.nodes = [f"n{number + 1}" for number in range(nodes)]
        self.daemons = {}
        # what slurmd and the jobs inherit; SLURM_* of a job that this itself may run in would be obeyed by sbatch
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
        self.environment.update({"SLURM_CONF": self.folder + "/slurm.conf", MARK: self.folder})
        host, ports = socket.gethostname().split(".")[0], free_ports(nodes + 1)
        lines = [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus}"
                 for name, port in zip(self.nodes, ports[1:])]
        with open(self.folder + "/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=host, port=ports[0], folder=self.folder, nodes="\n".join(lines)))

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        os.chmod(self.folder, 0o755)  # munge's clients must reach its socket
        for name in ("munge", "state", "spool"):
            os.mkdir(f"{self.folder}/{name}", 0o755)
        for name in self.nodes:
            os.mkdir(f"{self.folder}/spool/{name}")
        key = self.folder + "/munge.key"
        subprocess.run(["mungekey", "--create", "--keyfile", key], check=True)
        self.daemon("munged", "munged", "--foreground", "--key-file", key, "--socket", self.folder + "/munge/socket",
                    "--pid-file", self.folder + "/munge/pid", "--log-file", self.folder + "/munge/log",
                    "--seed-file", self.folder + "/munge/seed", "--force")
        self.until(lambda: os.path.exists(self.folder + "/munge/socket"), "munged listens")
        self.daemon("slurmctld", "slurmctld", "-D", "-i")
        for name in self.nodes:
            self.start_node(name)

    def daemon(self, key, *words, **more):
        with open(f"{self.folder}/{key}.out", "ab") as out:
            self.daemons[key] = subprocess.Popen(words, env=dict(self.environment, **more), stdin=subprocess.DEVNULL,
                                                 stdout=out, stderr=out, start_new_session=True)

    def start_node(self, name):
        """Starts its slurmd, and waits until the controller gives it jobs again."""
        self.daemon(name, "slurmd", "-D", "-N", name, PLATTER_LOOP_NODE=f"{self.folder}:{name}")
        self.until(lambda: self.node_state(name) in ("IDLE", "MIXED", "ALLOCATED"), f"node {name} is up")

    def kill_node(self, name):
        """slurmd and all its steps by SIGKILL, as a computer that loses its power. Nobody tells the controller."""
        kill_marked(f"PLATTER_LOOP_NODE={self.folder}:{name}")
        kill_marked(f"{MARK}={self.folder}", f"SLURMD_NODENAME={name}")  # a job has its submitter's environment
        self.daemons.pop(name).wait()

    def node_state(self, name):
        said = self.run("sinfo", "--noheader", "--nodes", name, "--format", "%T", check=False).stdout
        return said.strip().upper()

    def run(self, *words, check=True, cwd=None, timeout=600):
        """A client of this cluster: what it printed, in .stdout and .stderr."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, cwd=cwd, timeout=timeout,
                              check=False)
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr.strip()}")
        return done

    def running(self):
        """The jobs that run, as {JOB or JOB_TASK: node}."""
        lines = self.run("squeue", "--noheader", "--array", "--states", "RUNNING", "--format", "%i %N").stdout.split("\n")
        return dict(line.split() for line in lines if len(line.split()) == 2)

    def job_processes(self, job):
        """The processes of a job (JOB, or JOB_TASK of an array), not slurmstepd."""
        array, _, task = job.partition("_")
        of = [f"SLURM_ARRAY_JOB_ID={array}", f"SLURM_ARRAY_TASK_ID={task}"] if task else [f"SLURM_JOB_ID={array}"]
        return marked(f"{MARK}={self.folder}", *of)

    def wait_for_all(self, seconds=600):
        """Until no job waits or runs."""
        self.until(lambda: not self.run("squeue", "--noheader").stdout.strip(), "all jobs have ended", seconds)

    def until(self, true, what, seconds=60):
        end = time.monotonic() + seconds
        while not true():
            ended = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if ended or time.monotonic() > end:
                raise RuntimeError((f"{ended[0]} ended" if ended else f"waited {seconds} s") + f" before {what}\n"
                                   + self.logs())
            time.sleep(0.1)

    def logs(self):
        """The ends of what the daemons wrote, to be shown when something did not work."""
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(f"{self.folder}/{name}", encoding="utf-8", errors="replace") as file:
                    text += f"-- {name}\n" + "".join(file.readlines()[-15:])
        return text

    def stop(self):
        kill_marked(f"{MARK}={self.folder}")
        for daemon in self.daemons.values():
            daemon.wait()
        self.holder.cleanup()


def tried(cluster):
    """Jobs run on every node; a killed node's job goes on elsewhere; nothing of a job outlives its node."""
    script = os.path.join(cluster.folder, "job.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho $SLURMD_NODENAME >> ran.$SLURM_ARRAY_TASK_ID\n"
                   "[ $SLURM_RESTART_COUNT ] || sleep 30\n")
    array = cluster.run("sbatch", "--parsable", "--requeue", f"--array=1-{len(cluster.nodes)}", "--output=/dev/null",
                        script, cwd=cluster.folder).stdout.strip()
    cluster.until(lambda: len(cluster.running()) == len(cluster.nodes), "a job on every node")
    victim = cluster.nodes[0]
    job = [name for name, node in cluster.running().items() if node == victim][0]
    cluster.until(lambda: cluster.job_processes(job), "processes of the job")
    cluster.kill_node(victim)
    if cluster.job_processes(job):
        raise SystemExit("the job outlived its node")
    cluster.start_node(victim)
    cluster.wait_for_all(200)
    with open(f"{cluster.folder}/ran.{job.partition('_')[2]}", encoding="utf-8") as file:
        nodes = file.read().split()
    print(f"array {array} ended; task {job} ran on {' then '.join(nodes)}")
    return 0 if len(nodes) == 2 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="run with SLURM_CONF set; else the cluster tries itself")
    options = parser.parse_args()
    if missing():
        print(missing(), file=sys.stderr)
        return 77
    with Cluster(options.nodes, options.cpus) as cluster:
        if options.command:
            return subprocess.run(options.command, env=cluster.environment, check=False).returncode
        return tried(cluster)


if __name__ == "__main__":
    sys.exit(main())
