"""Programs that compute until a timer ends: with system calls, with the counter alone, with neither."""

from guest import GuestTest
from harness import INCOMPLETE

TIMER_S = 0.02
# Each computes until a timer ends, and does meanwhile what stands in its midst.
UNTIL = """
import ctypes, mmap, os, signal, time
ended = []
signal.signal(signal.SIGALRM, lambda *_: ended.append(1))
{before}
began = time.monotonic()
signal.setitimer(signal.ITIMER_REAL, {timer})
while not ended: {step}
print(time.monotonic() - began)
"""
CALLS = UNTIL.format(timer=TIMER_S, before="", step="os.getpid()")
WRITES = UNTIL.format(timer=TIMER_S, before="fd = os.open('/tmp/file', os.O_RDWR | os.O_CREAT)",
                      step="os.pwrite(fd, b'x' * 8192, 0)")
FAULTS = UNTIL.format(timer=TIMER_S, before="area = mmap.mmap(-1, 1 << 20)",
                      step="area.madvise(mmap.MADV_DONTNEED); area[0]")
COUNTER_TIMER_S = TIMER_S / 8  # each reading is a stop of the program
COUNTER = UNTIL.format(timer=COUNTER_TIMER_S, before="""
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("0f31" "48c1e220" "4809d0" "c3"))  # RDTSC, in one register
stamp = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
""", step="stamp()")
SPIN = """
import mmap, os, signal, time
area = mmap.mmap(-1, 4096)
signal.signal(signal.SIGUSR1, lambda *_: None)
if os.fork() == 0:
    for _ in range(3):
        time.sleep(0.003)
        os.kill(os.getppid(), signal.SIGUSR1)
    area[0] = 1
    os._exit(0)
while not area[0]: pass
os.wait()
print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""
LOOP = "while :; do :; done"


class Computing(GuestTest):
    def test_what_calls_the_kernel_sees_time_pass_and_the_same_again(self):
        for text, timer_s in ((CALLS, TIMER_S), (WRITES, TIMER_S), (FAULTS, TIMER_S), (COUNTER, COUNTER_TIMER_S)):
            with self.subTest(text):
                took, runs = [], []
                for _ in range(2):
                    took.append(float(self.succeeds("python3", "-c", text)))
                    self.assertEqual(self.report["ticks_of_the_host"], 0)
                    runs.append(self.report["simulated_seconds"])
                self.assertEqual(runs[0], runs[1])
                for each in took:
                    self.assertGreaterEqual(each, timer_s)
                    self.assertLess(each, 2 * timer_s)

    def test_a_call_takes_what_is_asked(self):
        calls = ("python3", "-c", "import os\nfor i in range(20000): os.getppid()")
        took = []
        for cost in (0, 1000, 2000):
            self.succeeds(*calls, options=("--syscall-ns", cost))
            took.append(self.report["simulated_seconds"])
        self.assertGreater(took[1] - took[0], 0.02)
        self.assertAlmostEqual(took[2] - took[1], took[1] - took[0], delta=0.002)

    def test_a_loop_without_a_call_ends_with_its_timer_and_is_told(self):
        done = self.cosim("timeout", "0.5", "sh", "-c", LOOP, options=("--patience", 1))
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertIn(b"/sh has computed for 1 s", done.stderr)
        self.assertIn(b"not the same again", done.stderr)
        self.assertGreater(self.report["ticks_of_the_host"], 0)

    def test_one_that_waits_for_another_to_write_goes_on_when_it_has(self):
        """As a database does whose workers are to begin: the other runs, and signals arrive, meanwhile."""
        self.assertEqual(self.succeeds("python3", "-c", SPIN, options=("--patience", 0.2)), "set()\n")
        self.assertIn(self.report["ticks_of_the_host"], range(1, 40))
        self.assertLess(self.report["simulated_seconds"], 2)

    def test_strictly_it_ends_the_run_by_name(self):
        done = self.cosim("timeout", "2", "sh", "-c", LOOP, options=("--patience", 1, "--strict"))
        self.assertEqual(done.returncode, INCOMPLETE, done.stderr)
        self.assertIn(b"/sh has computed for 1 s", done.stderr)

    def test_patience_is_the_host_s(self):
        """A program that computes long and then asks for a drive repeats, if it is waited for."""
        done = self.cosim("python3", "-c", "sum(range(30000000))", options=("--patience", 60))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report["ticks_of_the_host"], 0)
