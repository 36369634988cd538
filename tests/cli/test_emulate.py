"""`platter emulate`: drives for other programs, what it refuses, and what it leaves behind."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import time
import unittest

from harness import (BAD_INPUT, DIFFERS, INTERRUPTED, MISSING_PROGRAM, NO_DEVICE, OK, OUTPUT, PLATTER, REFUSED, USAGE,
                     PlatterTest)
from nbd_client import HungUp, NbdClient, READ
from vhost_client import ANSWER, Guest

LOAD = os.path.abspath(os.environ["PLATTER_NBD_LOAD"]) if os.environ.get("PLATTER_NBD_LOAD") else ""
DRIVE = "virtual:hp-c2247"
PATIENCE_S = 60


def has_ended(process):
    """Whether nobody has waited for it yet, or somebody has."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as status:
            return status.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


class Served(PlatterTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)
        self.environment["TMPDIR"] = self.temporary
        self.platter("truth", DRIVE, "-o", "m.json")
        self.servers = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for server in self.servers:
            if server.poll() is None:
                server.kill()
            server.wait()
            if server.stdout:
                server.stdout.close()

    def serve(self, *arguments, ready=True, **more):
        """A server in the background; what it says on stderr goes to the file `said`."""
        with open(self.path("said"), "w", encoding="utf-8") as said:
            server = subprocess.Popen([PLATTER, "emulate", *map(str, arguments)], cwd=self.folder, text=True,
                                      env=self.environment, **{"stdout": subprocess.PIPE, "stderr": said, **more})
        self.servers.append(server)
        self.wait_for(lambda: not ready or "platter: ready" in self.said() or server.poll() is not None)
        return server

    def said(self):
        with open(self.path("said"), encoding="utf-8") as said:
            return said.read()

    def wait_for(self, what):
        end = time.monotonic() + PATIENCE_S
        while not what():
            self.assertLess(time.monotonic(), end, self.said())
            time.sleep(0.02)

    @staticmethod
    def child_of(server):
        with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="ascii") as children:
            return int(children.read().split()[0])

    def end(self, server, number=signal.SIGTERM, status=OK):
        server.send_signal(number)
        out, _ = server.communicate(timeout=PATIENCE_S)
        self.assertEqual(server.returncode, status, self.said())
        return out

    def checked(self, *arguments, status=OK):
        return self.platter_json("emulate", *arguments, status=status)

    def check_socket(self, path, in_private_folder):
        mode = os.stat(path).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        folder = stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode)
        self.assertTrue(not in_private_folder or folder == 0o700, oct(folder))

    def check_refused_sockets(self, option):
        self.write("text", "a letter")
        with socket.socket(socket.AF_UNIX) as served:
            served.bind(self.path("served"))
            served.listen()
            self.fails(REFUSED, ["served", "another program"], "emulate", "m.json", option, "served")
        self.fails(REFUSED, ["served", "remove it"], "emulate", "m.json", option, "served")
        self.fails(REFUSED, ["text", "remove it"], "emulate", "m.json", option, "text")
        self.fails(USAGE, "too long", "emulate", "m.json", option, "x" * 120)
        self.fails(OUTPUT, "no/such", "emulate", "m.json", option, "no/such/socket")

    def check_refused_drives(self, option):
        self.write("small.img", "x")
        model = self.read_json("m.json")
        model["provenance"].update(complete=False, missing=[{"name": "seeks", "reason": "no time was left"}])
        self.write("half.json", json.dumps(model))
        done = self.run_platter("emulate", "half.json", option, "s")
        self.assert_one_sentence(done, BAD_INPUT, "half.json", "seeks")
        self.fails(BAD_INPUT, "text", "emulate", "text", option, "s")
        self.fails(NO_DEVICE, "virtual:nonesuch", "emulate", "virtual:nonesuch", option, "s")
        self.fails(BAD_INPUT, ["small.img", "1 bytes"], "emulate", "m.json", option, "s", "--contents", "small.img")
        self.fails(REFUSED, "text", "emulate", "m.json", option, "s", "--log", "text")
        self.fails(USAGE, "one for each", "emulate", "m.json", "m.json", option, "s", "--contents", "a")


    def write_episodes(self, *episodes, name="bad.json", **more):
        self.write(name, json.dumps({"schema": {"name": "platter-episodes", "version": "1.0"}, **more,
                                     "episodes": episodes}))
        return name

    def check_log_of_episodes(self):
        """The log of a drive with those of bad.json: how often they acted."""
        checked = self.checked("m.json", "--check-log", "log", "--episodes", "bad.json")
        self.assertEqual(checked["differ"], 0, checked["first_difference"])
        self.fails(BAD_INPUT, ["log:1", "--episodes"], "emulate", "m.json", "--check-log", "log")
        self.write_episodes(name="other.json")
        self.fails(BAD_INPUT, ["log:1", "SHA-256"], "emulate", "m.json", "--check-log", "log", "--episodes", "other.json")
        return checked["episodes"]

    def check_refused_episodes(self, option):
        good = self.write_episodes({"what": "stuck"})
        wrong = self.write_episodes({"what": "stall"}, name="wrong.json")
        for file in (wrong, "text", "none.json", "m.json"):
            self.fails(BAD_INPUT, file, "emulate", "m.json", option, "s", "--episodes", file)
        self.fails(USAGE, "one for each", "emulate", "m.json", option, "s", "--episodes", good, good)
        self.fails(USAGE, "bad.json", "emulate", "m.json", option, "s", "--episodes", good, "--log", good, "--force")
        self.assertFalse(os.path.exists(self.path("s")))


@unittest.skipUnless(LOAD and shutil.which("nbdkit"), "nbdkit or the plugin is not there")
class OverNbd(Served):
    def uri(self):
        return re.search(r"nbd\+unix:\S+", self.said()).group(0)

    def load(self, *options, uri=None):
        done = subprocess.run([LOAD, uri or self.uri(), *map(str, options)], text=True, capture_output=True,
                              timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_twenty_thousand_requests_one_at_a_time_are_the_engine_s_again(self):
        server = self.serve("m.json", "--nbd", "s", "--log", "log", "--speed", 1000, "--json")
        self.load("--requests", 20000, "--writes", 0.3)
        report = json.loads(self.end(server))
        self.assertEqual(report["drives"][0]["delivery_against_model"]["answers"], 20000)
        checked = self.checked("m.json", "--check-log", "log")
        self.assertEqual((checked["completions"], checked["differ"]), (20000, 0))

    # holds: emulators.md: The check of a log
    def test_two_thousand_at_depth_32_for_each_scheduler(self):
        late = 0
        for scheduler in ("fcfs", "sstf", "look", "c-look", "sptf"):
            with self.subTest(scheduler):
                server = self.serve("m.json", "--nbd", "s", "--log", "log", "--speed", 300, "--json",
                                    "--scheduler", scheduler, "--depth", 32, "--force")
                self.load("--requests", 2000, "--writes", 0.3, "--depth", 32)
                late += json.loads(self.end(server))["drives"][0]["late_arrivals"]
                checked = self.checked("m.json", "--check-log", "log")
                self.assertEqual((checked["completions"], checked["differ"]), (2000, 0))
        self.assertGreater(late, 0)  # without any, the test would show less than it says

    @unittest.skipUnless(shutil.which("fio"), "fio is not there")
    def test_fio_verifies_what_it_wrote(self):
        server = self.serve("m.json", "--nbd", "s", "--log", "log", "--speed", 300)
        done = subprocess.run(["fio", "--name=verify", "--ioengine=nbd", f"--uri={self.uri()}", "--rw=randrw", "--bs=4k",
                               "--size=8m", "--iodepth=16", "--verify=crc32c", "--verify_fatal=1", "--do_verify=1"],
                              cwd=self.path(""), text=True, capture_output=True, timeout=PATIENCE_S, check=False)
        if "not loadable" in done.stderr + done.stdout:
            self.skipTest("fio has no nbd engine")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.end(server)
        self.assertEqual(self.checked("m.json", "--check-log", "log")["differ"], 0)

    # holds: emulators.md: A log of episodes is checked
    # holds: emulators.md: What fails is neither returned nor stored
    def test_a_drive_that_misbehaves(self):
        self.write_episodes({"what": "fail", "of": "read", "lbns": [8, 15]}, {"what": "fail", "of": "write", "lbns": [16, 16]},
                            {"what": "stall", "of": "flush", "for_s": 0.5, "every_s": 1},
                            {"what": "slow", "probability": 0.5, "delay_ms": {"distribution": "uniform", "from": 1, "to": 9}})
        server = self.serve("m.json", "--nbd", "s", "--log", "log", "--json", "--episodes", "bad.json")
        client = self.client()
        client.write(0, b"1" * 4096)
        for failing in (lambda: client.read(4096, 4096), lambda: client.write(8192, b"2" * 4096)):
            with self.assertRaises(OSError) as failed:
                failing()
            self.assertEqual(failed.exception.errno, 5)
        self.assertEqual(client.read(8192, 4096), bytes(4096))
        self.assertEqual(client.read(0, 4096), b"1" * 4096)
        client.flush()
        client.close()
        acted = json.loads(self.end(server))["drives"][0]["episodes"]
        self.assertEqual([each["what"] for each in acted], ["fail", "fail", "stall", "slow"])
        self.assertEqual([each["requests"] for each in acted[:2]], [1, 1])
        self.assertEqual(self.check_log_of_episodes(), sum(each["requests"] for each in acted))

    def wait_for_episode(self):
        """Until the log tells of one."""
        given_up = time.monotonic() + PATIENCE_S
        while True:
            with open(self.path("log"), encoding="utf-8") as log:
                if re.search(r"^[0-9]+ e ", log.read(), re.MULTILINE):
                    return
            self.assertLess(time.monotonic(), given_up, "no episode acts")
            time.sleep(0.01)

    # holds: emulators.md: A request that is stuck can be aborted
    def test_what_is_stuck_holds_up_neither_the_end_nor_a_power_cut(self):
        self.write_episodes({"what": "stuck", "of": "read"})
        server = self.serve("m.json", "--nbd", "s", "--log", "log", "--episodes", "bad.json", "--depth", 8)
        stuck, other = self.client(), self.client()
        stuck.send(READ, 0, 4096)
        other.write(0, b"1" * 4096)
        self.wait_for_episode()
        server.send_signal(signal.SIGUSR2)
        with self.assertRaises(HungUp):
            stuck.answer(4096)
        self.client().send(READ, 0, 4096)
        self.assertIn("1 stuck (", self.end(server))
        self.assertGreaterEqual(self.check_log_of_episodes(), 1)

    # holds: emulators.md: A file of episodes that cannot be
    def test_episodes_that_are_refused(self):
        self.check_refused_episodes("--nbd")

    def test_several_drives_are_exports_of_their_own(self):
        shutil.copy(self.path("m.json"), self.path("n.json"))
        server = self.serve("m.json", "n.json", "--nbd", "s", "--log", "log", "--speed", 1000,
                            "--contents", "m.img", "n.img", "--json")
        base = f"?socket={self.path('s')}"
        self.load("--requests", 300, "--writes", 1, "--span", 40960, uri=f"nbd+unix:///m{base}")
        self.load("--requests", 100, uri=f"nbd+unix:///n{base}")
        refused = subprocess.run([LOAD, f"nbd+unix:///other{base}"], capture_output=True, check=False)
        self.assertNotEqual(refused.returncode, 0)
        report = json.loads(self.end(server))
        self.assertEqual([(drive["name"], drive["delivery_against_model"]["answers"]) for drive in report["drives"]],
                         [("m", 300), ("n", 100)])
        self.assertGreater(os.stat(self.path("m.img")).st_blocks, 0)
        self.assertEqual(os.stat(self.path("n.img")).st_blocks, 0)
        self.assertEqual(self.checked("m.json", "n.json", "--check-log", "log")["differ"], 0)
        self.fails(BAD_INPUT, ["log:1", "2 drives"], "emulate", "m.json", "--check-log", "log")

    # holds: emulators.md: Contents in a file are there
    # holds: exit-statuses.md: `emulate` keeps
    def test_contents_outlive_the_drive_and_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            name = f"{number.name}.img"
            server = self.serve("m.json", "--nbd", "s", "--contents", name, "--speed", 1000)
            self.load("--requests", 200, "--writes", 1, "--seed", 7, "--span", 40960)
            self.end(server, number)
            with open(self.path(name), "rb") as file:
                contents = file.read(40960)
            self.assertGreater(contents.count(b"\0\0\0\0\0\0\0"), 0)
            self.assertNotEqual(contents, bytes(40960))

    # holds: emulators.md: The socket is its owner
    def test_the_socket_is_its_owner_s_and_goes(self):
        for arguments, number in ((["--nbd", "s"], signal.SIGTERM), (["--nbd"], signal.SIGINT)):
            server = self.serve("m.json", *arguments)
            path = self.uri().partition("socket=")[2]
            self.check_socket(path, arguments == ["--nbd"])
            self.end(server, number)
            self.assertFalse(os.path.exists(path))
            self.assertEqual(os.listdir(self.temporary), [])

    def test_a_client_that_stays_holds_nothing_up(self):
        server = self.serve("m.json", "--nbd", "s", "--log", "log")
        client = subprocess.Popen([LOAD, self.uri(), "--requests", "1000000", "--depth", "8"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        time.sleep(0.5)
        self.end(server)
        self.assertEqual(self.checked("m.json", "--check-log", "log")["differ"], 0)

    def test_silent_clients_hold_nothing_up(self):
        server = self.serve("m.json", "--nbd", "s", "--contents", "c.img")
        client = subprocess.Popen([LOAD, self.uri(), "--requests", "3", "--writes", "1", "--stay"],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.assertIn("3 requests", client.stdout.readline())
        with socket.socket(socket.AF_UNIX) as mute:  # not even its side of the handshake
            mute.connect(self.path("s"))
            self.assertIn("3 answers", self.end(server))

    def test_when_the_server_is_killed_so_is_nbdkit(self):
        server = self.serve("m.json", "--nbd", "s")
        with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="ascii") as children:
            child = children.read().split()[0]
        server.kill()
        self.wait_for(lambda: not os.path.exists(f"/proc/{child}") or self.state_of(child) == "Z")

    @staticmethod
    def state_of(process):
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]

    def test_a_report_meanwhile(self):
        server = self.serve("m.json", "--nbd", "s", "--speed", 1000)
        self.load("--requests", 50)
        server.send_signal(signal.SIGUSR1)
        first = [server.stdout.readline() for _ in range(5)]
        self.assertIn("50 answers", first[2])
        self.load("--requests", 50)
        self.assertIn("100 answers", self.end(server))

    def test_what_is_refused(self):
        self.check_refused_sockets("--nbd")
        self.check_refused_drives("--nbd")
        self.fails(USAGE, "--nbd", "emulate", "m.json")
        self.fails(USAGE, "--nbd", "emulate", "m.json", "--nbd", "s", "--check-log", "text")
        self.fails(BAD_INPUT, "text:1", "emulate", "m.json", "--check-log", "text")
        self.fails(BAD_INPUT, "none", "emulate", "m.json", "--check-log", "none")
        self.environment["PATH"] = self.temporary
        self.fails(MISSING_PROGRAM, "nbdkit", "emulate", "m.json", "--nbd", "s")

    def client(self):
        """Where the power is just coming back, it comes again."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                client = NbdClient(self.path("s"))
                self.addCleanup(client.close)
                return client
            except (HungUp, ConnectionError):
                self.assertLess(time.monotonic(), end, self.said())
                time.sleep(0.02)

    def client_after_power_cut(self):
        """Who comes while the power goes is answered with an error, or hung up on after being greeted."""
        end = time.monotonic() + PATIENCE_S
        while True:
            client = self.client()
            try:
                client.read(0, 4096)
                time.sleep(0.2)
                client.read(0, 4096)
                return client
            except (HungUp, BrokenPipeError):  # ESHUTDOWN
                self.assertLess(time.monotonic(), end, self.said())

    def waiting_drive(self):
        """One whose cache writes nothing before it is asked to, whatever the host does meanwhile."""
        self.platter("truth", "virtual:cache-shared-writes", "-o", "w.json")
        model = self.read_json("w.json")
        model["cache"]["destage_idle"] = {**model["cache"]["segments"], "value": 9e5, "unit": "ms"}
        self.write("w.json", json.dumps(model))
        return "w.json"

    # holds: emulators.md: With `--write-cache-loss` the blocks
    # holds: emulators.md: What is outstanding when
    def test_a_power_cut_takes_what_the_cache_has_not_written(self):
        server = self.serve(self.waiting_drive(), "--nbd", "s", "--write-cache-loss", "--log", "log", "--json")
        client = self.client()
        client.write(0, b"1" * 4096)
        client.write(8192, b"1" * 4096)
        client.flush()
        client.write(0, b"2" * 4096)
        client.write(16384, b"2" * 4096, through=True)
        client.send(READ, client.bytes - 4096, 4096)  # has to seek: is outstanding when the power goes
        server.send_signal(signal.SIGUSR2)
        with self.assertRaises(HungUp):
            client.answer(4096)
            client.send(READ, 0, 4096)  # it was answered in time
            client.answer(4096)
        client = self.client_after_power_cut()
        self.assertEqual(client.read(0, 4096), b"1" * 4096)
        self.assertEqual(client.read(8192, 4096), b"1" * 4096)
        self.assertEqual(client.read(16384, 4096), b"2" * 4096)
        server.send_signal(signal.SIGUSR2)
        with self.assertRaises(HungUp):
            for _ in range(1000):
                client.read(0, 4096)
        report = json.loads(self.end(server))
        self.assertEqual(report["drives"][0]["power_cuts"], 2)
        self.assertEqual(self.checked("w.json", "--check-log", "log")["differ"], 0)

    # holds: emulators.md: With `--write-cache-loss` and contents
    def test_a_kill_leaves_of_contents_in_a_file_what_was_on_the_media(self):
        server = self.serve(self.waiting_drive(), "--nbd", "s", "--write-cache-loss", "--contents", "c.img")
        client = self.client()
        client.write(0, b"1" * 4096)
        client.flush()
        client.write(0, b"2" * 4096)
        client.write(4096, b"2" * 4096)
        nbdkit = self.child_of(server)
        server.kill()
        server.wait()
        self.wait_for(lambda: has_ended(nbdkit))  # it takes its socket along
        if os.path.exists(self.path("s")):
            os.remove(self.path("s"))
        server = self.serve("w.json", "--nbd", "s", "--contents", "c.img")
        client = self.client()
        self.assertEqual(client.read(0, 8192), b"1" * 4096 + bytes(4096))
        self.end(server)

    def mount_ext4(self, client):
        """What mkfs writes, and that the file system is in use, as its kernel says so."""
        image = self.path("image")
        with open(image, "wb") as file:
            file.truncate(client.bytes // 4096 * 4096)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-b", "4096", image], check=True,
                       env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
        with open(image, "rb") as file:
            for at in range(0, client.bytes // 4096 * 4096, 4096):
                page = file.read(4096)
                if page.count(0) < 4096:
                    client.write(at, page)
        superblock = bytearray(client.read(0, 4096))
        superblock[1024 + 0x60] |= 4  # needs recovery
        client.write(0, bytes(superblock))

    def test_generated_contents_keep_what_a_file_system_needs(self):
        data = os.urandom(4096)
        for contents in ("generated", "generated:g.img"):
            with self.subTest(contents):
                server = self.serve("m.json", "--nbd", "s", "--speed", 100000, "--contents", contents, "--json",
                                    "--contents-limit", "100M", "--keep", "none")
                client = self.client()
                last = client.bytes // 4096 * 4096 - 4096
                client.write(last, data)
                self.assertEqual(client.read(last, 4096), data)
                self.mount_ext4(client)
                for i in range(300):  # past what may wait for a name
                    client.write(last - 4096 * i, data)
                self.assertEqual(client.read(last, 4096), data)
                report = json.loads(self.end(server))["drives"][0]
                self.assertIn("ext4", report["generated"]["file_systems"][0])
                self.assertGreaterEqual(report["generated"]["waiting_bytes"], 300 * 4096)
                server = self.serve("m.json", "--nbd", "s", "--speed", 100000, "--contents", contents, "--json")
                client = self.client()
                if contents == "generated":
                    self.assertEqual(client.read(last, 4096), bytes(4096))
                    self.mount_ext4(client)
                client.write(last, data)
                self.assertIn(b"platter dropped data", client.read(last, 4096))
                report = json.loads(self.end(server))["drives"][0]
                self.assertEqual(report["generated"]["dropped_bytes"], 4096)
                self.assertLess(report["stored_bytes"], 8_000_000)

    # holds: emulators.md: What has to be kept
    def test_what_may_be_kept_is_limited(self):
        server = self.serve("m.json", "--nbd", "s", "--speed", 100000, "--contents", "generated",
                            "--contents-limit", "40K")
        client = self.client()
        for i in range(10):
            client.write(4096 * i, os.urandom(4096))
        with self.assertRaises(OSError):
            client.write(40960, os.urandom(4096))
        client.write(40960, bytes(4096))
        self.end(server)

    def test_what_is_refused_of_contents(self):
        def refused(status, words, *arguments):
            self.fails(status, words, "emulate", "m.json", "--nbd", "s", *arguments)

        refused(USAGE, ["--keep", "--contents generated"], "--keep", "a")
        refused(USAGE, ["--contents-limit", "--contents generated"], "--contents-limit", "1M", "--contents", "c.img")
        refused(USAGE, "--contents-waiting", "--contents", "generated", "--contents-waiting", "much")
        refused(USAGE, "one for each", "--contents", "generated", "generated")
        self.write("text", "a letter")
        refused(BAD_INPUT, ["text", "8 bytes"], "--contents", "generated:text")
        refused(OUTPUT, "no/such", "--contents", "generated:no/such/file")
        self.fails(USAGE, "--write-cache-loss", "emulate", "m.json", "--check-log", "text", "--write-cache-loss")

    def test_contents_in_use(self):
        self.serve("m.json", "--nbd", "s", "--contents", "c.img")
        self.fails(REFUSED, ["c.img", "another emulator"], "emulate", "m.json", "--nbd", "t", "--contents", "c.img")

    # holds: emulators.md: A time in the log
    def test_a_log_that_was_changed_differs(self):
        server = self.serve("m.json", "--nbd", "s", "--log", "log", "--speed", 1000)
        self.load("--requests", 100)
        self.end(server)
        with open(self.path("log"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        at = next(i for i, line in enumerate(lines) if i > 100 and line.startswith("0 t"))
        lines[at] += "0"
        self.write("other", "\n".join(lines) + "\n")
        done = self.run_platter("emulate", "m.json", "--check-log", "other")
        self.assertEqual(done.returncode, DIFFERS)
        self.assertIn(f"other:{at + 1}", done.stderr)
        self.fails(BAD_INPUT, "too few", "emulate", "m.json", "--check-log",
                   self.write("cut", "\n".join(lines[:5]) + "\n0 s 1\n"))

    # holds: emulators.md: The socket is its owner
    def test_killed_twice(self):
        server = self.serve("m.json", "--nbd", "s")
        os.kill(self.child_of(server), signal.SIGSTOP)
        server.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        self.end(server, status=INTERRUPTED)
        self.assertFalse(os.path.exists(self.path("s")))


class OverVhostUser(Served):
    """What guests see of it is tests/uml's and tests/emulator_vhost_user's."""

    def socket_path(self):
        return re.search(r"target 0 of (\S+)", self.said()).group(1)

    # holds: emulators.md: The socket is its owner
    def test_the_socket_is_its_owner_s_and_goes(self):
        for arguments, number in ((["s"], signal.SIGTERM), ([], signal.SIGINT), (["s"], signal.SIGHUP)):
            server = self.serve("m.json", "--vhost-user", *arguments)
            path = self.socket_path()
            self.check_socket(path, not arguments)
            self.end(server, number)
            self.assertFalse(os.path.exists(path))
            self.assertEqual(os.listdir(self.temporary), [])

    # holds: exit-statuses.md: `emulate` keeps
    def test_a_report_meanwhile_and_at_the_end(self):
        server = self.serve("m.json", "virtual:quantum-atlas10k", "--vhost-user", "s")
        server.send_signal(signal.SIGUSR1)
        first = [server.stdout.readline() for _ in range(10)]
        self.assertEqual((first[0], first[5]), ("m\n", "quantum-atlas10k\n"))
        self.assertIn("no request was answered", self.end(server))
        server = self.serve("m.json", "--vhost-user", "s", "--json", "--log", "log")
        report = json.loads(self.end(server))
        self.assertEqual(report["schema"]["name"], "platter-emulation")
        with open(self.path("log"), encoding="utf-8") as log:
            head = json.loads(log.readline())
        self.assertEqual(list(head)[:2], ["schema", "platter"])
        self.assertEqual(head["platter"], report["platter"])
        self.assertEqual(report["drives"][0]["delivery_against_model"]["answers"], 0)
        self.assertEqual(self.checked("m.json", "--check-log", "log")["completions"], 0)
        self.fails(BAD_INPUT, ["log:1", "another model"], "emulate", "virtual:quantum-atlas10k", "--check-log", "log")

    # holds: emulators.md: A log of episodes is checked
    # holds: emulators.md: A request that is stuck can be aborted
    def test_a_drive_that_misbehaves(self):
        read, write = (bytes([opcode, 0, 0, 0, 0, 8, 0, 0, 1, 0]) for opcode in (0x28, 0x2a))
        self.write_episodes({"what": "fail", "requests": [2, 3], "lbns": [8, 8]}, {"what": "stuck", "requests": [5, 5]},
                            {"what": "slow", "delay_ms": 20})
        server = self.serve("m.json", "--vhost-user", "s", "--log", "log", "--json", "--episodes", "bad.json")
        guest = Guest(self.path("s"))
        guest.begin()
        self.assertEqual(guest.do(bytes(6)), 0)  # it is told of the power-on
        self.assertEqual(guest.do(read, into=512), 0)

        def sense_of(cdb, **data):
            guest.offer(cdb, **data)
            self.wait_for(guest.answers)
            sense = guest.memory[ANSWER + 12:ANSWER + 30]
            return guest.memory[ANSWER + 10], sense[2] & 15, sense[12], sense[13], sense[6]
        self.assertEqual(sense_of(read, into=512), (2, 3, 0x11, 0, 8))
        self.assertEqual(sense_of(write, out=512), (2, 3, 0x0c, 0, 8))
        self.assertEqual(guest.do(read, into=512), 0)
        with self.assertRaises(TimeoutError):
            guest.do(read, into=512, patience=1)
        guest.close()  # what is stuck goes with it
        again = Guest(self.path("s"))
        again.begin()
        self.assertEqual(again.do(read, into=512), 0)
        again.close()
        acted = json.loads(self.end(server))["drives"][0]["episodes"]
        self.assertEqual([(each["what"], each["requests"]) for each in acted], [("fail", 2), ("stuck", 1), ("slow", 5)])
        self.assertEqual(self.check_log_of_episodes(), 8)

    # holds: emulators.md: A file of episodes that cannot be
    def test_episodes_that_are_refused(self):
        self.check_refused_episodes("--vhost-user")

    def test_power_that_is_cut_hangs_up(self):
        server = self.serve("m.json", "--vhost-user", "s", "--write-cache-loss", "--contents", "generated:c.img",
                            "--json")
        with socket.socket(socket.AF_UNIX) as guest:
            guest.connect(self.path("s"))
            guest.sendall(struct.pack("<III", 1, 1, 0))  # GET_FEATURES
            self.assertEqual(len(guest.recv(20)), 20)
            server.send_signal(signal.SIGUSR2)
            guest.settimeout(PATIENCE_S)
            self.assertEqual(guest.recv(1), b"")
        with socket.socket(socket.AF_UNIX) as guest:
            guest.connect(self.path("s"))
            guest.sendall(struct.pack("<III", 1, 1, 0))
            self.assertEqual(len(guest.recv(20)), 20)
        drive = json.loads(self.end(server))["drives"][0]
        self.assertEqual(drive["power_cuts"], 1)
        self.assertIn("all is kept", drive["generated"]["file_systems"][0])

    def test_guests_that_say_nothing_or_nonsense_hold_nothing_up(self):
        server = self.serve("m.json", "--vhost-user", "s", "--contents", "c.img")
        for said in (b"", b"\x1b[2J\x1b[2J\x1b[2J", struct.pack("<III", 8, 1, 8) + b"\xff" * 8):
            with socket.socket(socket.AF_UNIX) as guest:
                guest.connect(self.path("s"))
                if said:
                    guest.sendall(said)
                    guest.settimeout(PATIENCE_S)
                    self.assertEqual(guest.recv(1), b"")
        with socket.socket(socket.AF_UNIX) as guest, socket.socket(socket.AF_UNIX) as second:
            for each in (guest, second):
                each.connect(self.path("s"))
            guest.sendall(struct.pack("<III", 1, 1, 0))  # GET_FEATURES
            self.assertEqual(guest.recv(20)[:4], struct.pack("<I", 1))
            self.end(server)
        self.assertEqual(self.said().count("the guest is not served any more"), 2)
        self.assertNotIn("\x1b", self.said())

    def test_what_is_refused(self):
        self.check_refused_sockets("--vhost-user")
        self.check_refused_drives("--vhost-user")
        self.platter("emit", "table", "m.json", "-o", "m.ptab")
        self.fails(BAD_INPUT, ["m.ptab", "SCSI"], "emulate", "m.ptab", "--vhost-user", "s")
        self.fails(USAGE, "--vhost-user", "emulate", "m.json", "--vhost-user", "s", "--nbd", "t")
        self.fails(USAGE, "--vhost-user", "emulate", "m.json", "--vhost-user", "s", "--depth", "4")
        self.serve("m.json", "--vhost-user", "s", "--contents", "c.img")
        self.fails(REFUSED, ["c.img", "another emulator"], "emulate", "m.json", "--vhost-user", "t", "--contents",
                   "c.img")


if __name__ == "__main__":
    unittest.main()
