"""What a command in a guest sees, may do, and hands back."""

import json
import os
import random
import signal
import subprocess
import tempfile

from guest import DRIVE, GuestTest
from harness import MISSING_PROGRAM, OUTPUT, USAGE

TELL = """
import json, os, sys
print(json.dumps({"arguments": [os.fsencode(a).hex() for a in sys.argv[1:]],
                  "variable": os.environb.get(b"A_VARIABLE", b"").hex(), "folder": os.getcwd(), "user": os.getuid(),
                  "input": sys.stdin.buffer.read().hex()}))
"""


class Handing(GuestTest):
    def test_words_variables_and_folder_are_the_command_s_as_they_are(self):
        words = ["", "two words", "a\nline", '"quoted\'', b"\xff\xfe\x80", "--log"]
        self.environment["A_VARIABLE"] = "some = \"thing\"\n"
        told = self.python(TELL, *words)
        self.assertEqual(told["arguments"], [os.fsencode(word).hex() for word in words])
        self.assertEqual(bytes.fromhex(told["variable"]).decode(), self.environment["A_VARIABLE"])
        self.assertEqual(told["folder"], os.path.realpath(self.folder))
        self.assertEqual(told["user"], 0)

    def test_input_is_a_file_a_pipe_or_nothing(self):
        content = random.Random(1).randbytes(300_000)
        with open(self.write("input", content), "rb") as file:
            self.assertEqual(self.python(TELL, stdin=file)["input"], content.hex())
        with open(self.path("input"), "rb") as file:
            file.seek(1000)
            self.assertEqual(self.python(TELL, stdin=file)["input"], content[1000:].hex())
        done = self.cosim("cat", input=content, stdin=None)
        self.assertEqual(done.stdout, content)
        self.assertEqual(self.python(TELL)["input"], "")

    def test_output_is_handed_on_byte_by_byte(self):
        content = random.Random(2).randbytes(1_000_000)
        self.write("out", content)
        self.write("err", content[::-1])
        done = self.cosim("sh", "-c", "cat out; cat err >&2; exit 3")
        self.assertEqual(done.stdout, content)
        self.assertEqual(done.stderr, content[::-1])
        self.assertEqual(done.returncode, 3)

    def test_output_and_errors_of_one_file_keep_their_order(self):
        done = self.cosim("sh", "-c", "for i in 1 2 3 4 5; do echo $i; echo -$i >&2; done", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
        self.assertEqual(done.stdout, b"1\n-1\n2\n-2\n3\n-3\n4\n-4\n5\n-5\n")

    def test_output_that_nobody_reads_any_more_ends_the_run(self):
        with subprocess.Popen(self.command("sh", "-c", "while :; do echo line; done"), cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            run.stdout.readline()
            run.stdout.close()
            self.assertEqual(run.wait(timeout=60), -signal.SIGPIPE)
            self.assertEqual(run.stderr.read(), b"")
        self.assertEqual(os.listdir(self.temporary), [])

    def test_the_status_is_the_command_s(self):
        for text, status in (("exit 0", 0), ("exit 77", 77), ("kill -9 $$", 137), ("kill -15 $$", 143)):
            self.assertEqual(self.cosim("sh", "-c", text).returncode, status)
            self.assertEqual(self.report["status"], status)

    def test_a_command_that_is_not_there_is_told(self):
        for command in ("no-such-program", "/etc/passwd"):
            done = self.cosim(command)
            self.assertEqual(done.returncode, MISSING_PROGRAM)
            self.assertRegex(done.stderr, rb"\Aplatter: " + command.encode() + rb": is no program[^\n]+\n\Z")
        self.assertEqual(os.listdir(self.temporary), [])

    def test_a_line_tells_how_it_went_without_a_report(self):
        done = subprocess.run(self.command("true"), cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, check=True)
        self.assertRegex(done.stderr,
                         r"\Aplatter: 0\.\d{6} s simulated in [\d.]+ s; \d+ commands, [\d.]+ messages [^\n]+\n\Z")


class Files(GuestTest):
    def test_the_host_s_files_are_seen_and_never_written(self):
        self.write("file", "host\n")
        place = self.path("new")
        self.assertEqual(self.succeeds("sh", "-c", "cat file; echo guest >file; cat file; echo x >new; cat new; "
                                       "rm /etc/passwd; mkdir /nowhere-of-the-host; ls -d /nowhere-of-the-host"),
                         "host\nguest\nx\n/nowhere-of-the-host\n")
        with open(self.path("file"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "host\n")
        self.assertFalse(os.path.exists(place))
        self.assertTrue(os.path.exists("/etc/passwd"))
        self.assertFalse(os.path.exists("/nowhere-of-the-host"))

    def test_what_is_shared_is_written_and_nothing_beside_it(self):
        for name in ("shared", "shared too", "kept"):
            os.mkdir(self.path(name))
        self.succeeds("sh", "-c", "for each in shared 'shared too' kept; do echo $each >$each/file; done",
                      options=("--share", "shared", "shared too"))
        self.assertEqual([name for name in self.files() if name.endswith("/file")],
                         ["shared too/file", "shared/file"])

    def test_the_guest_has_folders_of_its_own(self):
        told = self.succeeds("sh", "-c", "ls /run; cat /proc/1/comm /proc/sys/kernel/hostname; stat -fc %T /dev/shm; "
                             "grep -c . /proc/net/dev; python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", "
                             "0)); socket.create_connection(s.getsockname()); print(\"connected\")'")
        self.assertEqual(told, "lock\ninit\ncosim\ntmpfs\n3\nconnected\n")

    def test_root_s_programs_are_found(self):
        self.environment["PATH"] = "/usr/bin:/bin"
        self.assertIn("sbin/mkfs.ext4", self.succeeds("sh", "-c", "command -v mkfs.ext4"))

    def test_what_the_guest_cannot_see_of_the_host_is_told_or_brought_in(self):
        """It has /dev, /proc, /run and /sys of its own."""
        with tempfile.TemporaryDirectory(dir="/dev/shm") as hidden:
            place = os.path.join(hidden, "input")
            with open(place, "w", encoding="ascii") as file:
                file.write("hidden\n")
            self.environment["TMPDIR"] = hidden
            with open(place, encoding="ascii") as file:
                self.assertEqual(self.succeeds("cat", stdin=file), "hidden\n")
            done = subprocess.run(self.command("pwd"), cwd=hidden, env=self.environment, text=True, capture_output=True,
                                  stdin=subprocess.DEVNULL, check=False)
            self.assert_one_sentence(done, USAGE, hidden, "another folder")

    def test_a_guest_larger_than_the_host_is_refused(self):
        done = self.cosim("true", options=("--memory", 1 << 20))
        self.assertEqual(done.returncode, OUTPUT)
        self.assertRegex(done.stderr, rb"\Aplatter: neither /dev/shm nor [^\n]+\n\Z")


class Drives(GuestTest):
    def test_models_are_the_disks_in_their_order(self):
        told = self.succeeds("sh", "-c", "cat /sys/block/sd?/device/model /sys/block/sd?/size; ls /dev/sg* /dev/bsg",
                             models=("virtual:seagate-cheetah9lp", DRIVE, "virtual:hp-c2247"))
        self.assertEqual([line.strip() for line in told.splitlines()],
                         ["ST39102LW", "ATLAS 10K", "C2247A", "17918387", "17966953", "2054864", "/dev/sg0", "/dev/sg1",
                          "/dev/sg2", "", "/dev/bsg:", "0:0:0:0", "0:0:1:0", "0:0:2:0"])

    def test_there_may_be_many(self):
        """They are asked together while the kernel starts, and answer while interrupts are disabled."""
        for count in (12, 14, 18, 20, 64):
            with self.subTest(count=count):
                self.assertEqual(self.succeeds("sh", "-c", "ls /dev/sd* | wc -l", models=(DRIVE,) * count), f"{count}\n")

    def test_contents_are_kept_in_files(self):
        self.succeeds("sh", "-c", "mkfs.ext4 -q /dev/sda && mount /dev/sda /mnt && echo kept >/mnt/file",
                      options=("--contents", "disk"))
        self.assertEqual(self.succeeds("sh", "-c", "mount /dev/sda /mnt && cat /mnt/file",
                                       options=("--contents", "disk")), "kept\n")
        # What the first guest left mounted was unmounted at its end: there is nothing to recover.
        self.assertIn("clean", self.succeeds("sh", "-c", "dumpe2fs -h /dev/sda 2>&1 | grep state",
                                             options=("--contents", "disk")))

    def test_contents_may_be_generated(self):
        told = self.succeeds("sh", "-c", "mkfs.ext4 -q /dev/sda && mount /dev/sda /mnt && head -c 100M /dev/zero >/mnt/file && "
                             "umount /mnt && fsck.ext4 -fn /dev/sda >&2 && mount /dev/sda /mnt && wc -c </mnt/file",
                             options=("--contents", "generated:disk"))
        self.assertEqual(told, "104857600\n")
        self.assertTrue(os.path.exists(self.path("disk")))

    def test_the_power_goes_at_its_time_and_takes_the_write_cache_along(self):
        write = ("sh", "-c", "dd if=/dev/zero bs=4k count=1 2>/dev/null | tr '\\0' A >block; sleep 1; "
                 "dd if=block of=/dev/sda oflag=direct,sync bs=4k 2>/dev/null; echo synchronized; sleep 5; "
                 "dd if=block of=/dev/sda oflag=direct bs=4k seek=1000 2>/dev/null; echo written; sleep 5; echo never")
        read = ("sh", "-c", "for at in 0 1000; do dd if=/dev/sda bs=4k skip=$at count=1 2>/dev/null | tr -d '\\0' | wc -c; done")
        # The write cache is on: the second write is answered before it is on the media, 6 s in.
        for at, told, kept in (("0.5", "", "0\n0\n"), ("3", "synchronized\n", "4096\n0\n"),
                               ("9", "synchronized\nwritten\n", "4096\n4096\n")):
            with self.subTest(at=at):
                options = ("--contents", f"disk{at}", "--write-cache-loss")
                self.assertEqual(self.succeeds(*write, options=(*options, "--power-cut-at", at)), told)
                self.assertIs(self.report["power_cut"], True)
                self.assertNotIn("status", self.report)
                self.assertEqual(self.report["simulated_seconds"], float(at))
                self.assertEqual(self.succeeds(*read, options=("--contents", f"disk{at}")), kept)
        self.assertEqual(self.cosim("sh", "-c", "exit 7", options=("--power-cut-at", "50")).returncode, 7)
        self.assertIs(self.report["power_cut"], False)

    def test_what_only_the_write_cache_holds_goes_with_the_power(self):
        # A drive that writes nothing to its media before it is asked to.
        self.platter("truth", "virtual:cache-shared-writes", "-o", "w.json")
        model = self.read_json("w.json")
        model["cache"]["destage_idle"] = {**model["cache"]["segments"], "value": 9e5, "unit": "ms"}
        self.write("w.json", json.dumps(model))
        write = ("python3", "-c", "import mmap, os, time\nfd = os.open('/dev/sda', os.O_WRONLY | os.O_DIRECT)\n"
                 "page = mmap.mmap(-1, 4096)\npage.write(b'A' * 4096)\n"
                 "for i in range(12):\n  os.pwrite(fd, page, i * 40960)\n  if i == 4: os.fsync(fd)\n"
                 "print('written', flush=True)\ntime.sleep(20)\n")
        read = ("python3", "-c", "import os\nfd = os.open('/dev/sda', os.O_RDONLY)\n"
                "print([i for i in range(12) if os.pread(fd, 1, i * 40960) == b'A'])")
        for loss, kept in ((), range(12)), (("--write-cache-loss",), range(5)):
            with self.subTest(loss=loss):
                contents = ("--contents", "disk" + str(len(loss)))
                self.assertEqual(self.succeeds(*write, models=("w.json",),
                                               options=(*contents, *loss, "--power-cut-at", 10)), "written\n")
                self.assertEqual(self.succeeds(*read, models=("w.json",), options=contents), f"{list(kept)}\n")

    def test_file_systems_work(self):
        for kind in ("ext4", "xfs", "btrfs"):
            if subprocess.run(["sh", "-c", f"command -v mkfs.{kind}"], capture_output=True, check=False,
                              env=dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")).returncode != 0:
                continue
            with self.subTest(kind=kind):
                self.assertEqual(self.succeeds("sh", "-c", f"mkfs.{kind} /dev/sda >/dev/null 2>&1 && mount /dev/sda /mnt && "
                                               "cp /etc/passwd /mnt && sync && echo 3 >/proc/sys/vm/drop_caches && "
                                               "cmp /etc/passwd /mnt/passwd && echo same"), "same\n")

    def test_the_log_is_the_engine_s_again(self):
        self.succeeds("sh", "-c", "dd if=/dev/sda of=/dev/null bs=64k count=200 iflag=direct 2>/dev/null; "
                      "dd if=/dev/zero of=/dev/sdb bs=4k count=200 oflag=direct 2>/dev/null",
                      models=(DRIVE, "virtual:hp-c2247"), options=("--log", "log"))
        checked = json.loads(self.platter("emulate", DRIVE, "virtual:hp-c2247", "--check-log", "log", "--json"))
        self.assertGreater(checked["completions"], 400)
        self.assertEqual(checked["differ"], 0)
        self.assertEqual(self.report["commands"], checked["completions"])
