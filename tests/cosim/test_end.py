"""How a guest ends, and that it leaves nothing behind."""

import os
import random
import signal
import subprocess
import sys
import time

from guest import GuestTest
from harness import INTERRUPTED, PLATTER


class End(GuestTest):
    """Every process of a guest has its folder, in the folder of temporary files, as working directory."""

    def guest_processes(self):
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{name}/cwd").startswith(os.path.realpath(self.temporary)):
                    found.append(int(name))
            except OSError:
                pass
        return found

    def setUp(self):
        super().setUp()
        self.addCleanup(self.kill_what_is_left)

    def kill_what_is_left(self):
        for each in self.guest_processes():
            os.kill(each, signal.SIGKILL)

    def wait_for(self, what):
        end = time.monotonic() + 60
        while not what():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def start(self, *command, **more):
        """A run whose command says that it runs."""
        run = subprocess.Popen(self.command(*command, **more), cwd=self.folder, env=self.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        self.assertEqual(run.stdout.readline(), b"begun\n")
        self.assertNotEqual(self.guest_processes(), [])
        return run

    def assert_nothing_is_left(self):
        self.wait_for(lambda: not self.guest_processes())
        self.assertEqual(os.listdir(self.temporary), [])

    BUSY = ("sh", "-c", "echo begun; while :; do dd if=/dev/sda of=/dev/null bs=4k count=100 iflag=direct 2>/dev/null; "
            "done")

    FORKS = ("sh", "-c", "echo begun; while :; do for i in 1 2 3 4 5 6 7 8; do (:)& done; wait; done")

    def test_a_signal_ends_it_within_a_second(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                run = self.start(*self.BUSY, options=("--contents", "disk"))
                run.send_signal(number)
                began = time.monotonic()
                self.assertEqual(run.wait(timeout=60), INTERRUPTED)
                self.assertLess(time.monotonic() - began, 30)  # a second, where the machine is not busy
                self.assertRegex(run.stderr.read(), rb"\Aplatter: the simulation was stopped[^\n]+\n\Z")
                self.assert_nothing_is_left()

    def test_a_guest_that_computes_without_end_is_ended_by_a_signal(self):
        run = self.start("sh", "-c", "echo begun; while :; do :; done")
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(timeout=60), INTERRUPTED)
        self.assert_nothing_is_left()

    def test_a_program_that_is_just_starting_ends_too(self):
        """Stopped before the guest's kernel traces it, it would stand for ever."""
        for _ in range(15):  # one in fifty was left
            run = self.start(*self.FORKS)
            time.sleep(random.uniform(0, 0.05))
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(timeout=60), INTERRUPTED)
        self.assert_nothing_is_left()

    def test_no_process_outlives_a_platter_that_is_killed(self):
        for command in (self.BUSY, ("sh", "-c", "echo begun; while :; do :; done"),
                        ("python3", "-c", "import os, time\nos.fork()\nos.fork()\nprint('begun', flush=True)\n"
                         "while True: os.getppid()")):
            run = self.start(*command)
            run.kill()
            run.wait()
            self.wait_for(lambda: not self.guest_processes())

    def test_no_program_that_is_just_starting_outlives_a_platter_that_is_killed(self):
        for _ in range(15):  # one in ten was left
            run = self.start(*self.FORKS)
            time.sleep(random.uniform(0, 0.05))
            run.kill()
            run.wait()
            self.wait_for(lambda: not self.guest_processes())

    # A child that asks to be traced as soon as the kernel that made it has ended.
    LATE = ("import ctypes, os, signal\n"
            "kernel = os.getpid()\n"
            "if os.fork():\n"
            "  print('begun', flush=True)\n"
            "  signal.pause()\n"
            "while os.getppid() == kernel: pass\n"
            "ctypes.CDLL(None).ptrace(0, 0, None, None)\n"
            "os.kill(os.getpid(), signal.SIGSTOP)\n")

    def test_what_a_kernel_is_making_when_it_ends_ends_too(self):
        """Without a guest: a program that makes another takes the kernel's place."""
        preload = os.path.join(os.path.dirname(PLATTER), "cosim/preload.so")
        with subprocess.Popen([sys.executable, "-c", self.LATE], cwd=self.temporary, stdout=subprocess.PIPE,
                              env=dict(os.environ, LD_PRELOAD=preload)) as kernel:
            self.assertEqual(kernel.stdout.readline(), b"begun\n")
            kernel.terminate()
            self.wait_for(lambda: not self.guest_processes())

    def test_programs_left_behind_end_with_the_command(self):
        began = time.monotonic()
        self.assertEqual(self.succeeds("sh", "-c", "sleep 100000 & echo done"), "done\n")
        self.assertLess(self.report["simulated_seconds"], 100)
        self.assertLess(time.monotonic() - began, 200)
        self.assert_nothing_is_left()

    def test_an_array_that_is_mounted_is_put_away(self):
        """Its kernel threads write to the end: they are none of the programs."""
        mdadm = os.path.join(os.path.dirname(PLATTER), "../tools/sbin/mdadm")
        if not os.path.exists(mdadm):
            self.skipTest("mdadm is not in build/tools (scripts/unpack)")
        drives = {"models": ("virtual:cache-write-burst",) * 3, "options": ("--contents", "a", "b", "c")}
        self.succeeds("sh", "-c", f"{mdadm} -q --create /dev/md0 --run --level=5 --raid-devices=3 /dev/sda /dev/sdb /dev/sdc && "
                      "mkfs.ext4 -q /dev/md0 && mount /dev/md0 /mnt && cp /etc/passwd /mnt && (while sleep 0.01; do :; done &)",
                      **drives)
        self.assertEqual(self.succeeds("sh", "-c", f"{mdadm} -q --assemble /dev/md0 /dev/sda /dev/sdb /dev/sdc && "
                                       "mount /dev/md0 /mnt && cmp /etc/passwd /mnt/passwd && echo same", **drives), "same\n")

    def test_what_waits_for_nothing_can_be_timed_out_in_its_own_time(self):
        done = self.cosim("timeout", "10000", "sh", "-c", "mkfifo pipe; cat pipe")
        self.assertEqual(done.returncode, 124)
        self.assertAlmostEqual(self.report["simulated_seconds"], 10000, delta=10)
        self.assert_nothing_is_left()
