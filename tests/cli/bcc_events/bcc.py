"""What biosnoop needs of the BPF Compiler Collection: four completions, then the user's Control-C."""


class Event:
    def __init__(self, ts, name, disk, write, sector, length, delta, pattern):
        self.ts, self.name, self.pid, self.disk_name = ts, name, 4711, disk
        self.rwflag, self.sector, self.len = write, sector, length
        self.delta, self.qdelta, self.pattern = delta, 20_000, pattern


# us, then ns of latency; a command's name has blanks, one is empty; the second takes longest.
EVENTS = [
    Event(5_000_000, b"jbd2/sda1-8", b"sda", 1, 20856, 4096, 610_000, 1),
    Event(5_004_210, b"kworker/u 4:1", b"sda", 0, 1048576, 1048576, 12_500_000, 2),
    Event(5_005_000, b"", b"sda", 0, 99, 512, 250_000, 0),
    Event(5_006_000, b"fio", b"", 0, 7, 512, 250_000, 0),
]


class Buffer:
    def event(self, data):
        return EVENTS[data]

    def open_perf_buffer(self, callback, page_cnt=0):
        del page_cnt
        self.callback = callback


class BPF:
    def __init__(self, text):
        assert "blk" in text
        self.events = Buffer()

    @staticmethod
    def kernel_struct_has_field(struct, field):
        return bool(struct and field)

    @staticmethod
    def get_kprobe_functions(name):
        return [name]

    def attach_kprobe(self, event, fn_name):
        assert event and fn_name

    def __getitem__(self, name):
        assert name == "events"
        return self.events

    def perf_buffer_poll(self):
        for number in range(len(EVENTS)):
            self.events.callback(0, number, 0)
        raise KeyboardInterrupt
