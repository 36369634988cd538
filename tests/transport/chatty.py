"""Answers reads with all the bytes asked for, and checks every byte of the writes: megabytes both
ways through pipes that hold 64 KiB."""
import drive


class Chatty(drive.Drive):
    def handle(self, request):
        if request.direction == 2:
            assert request.data == bytes(range(256)) * (len(request.data) // 256)
        size = request.transfer if request.direction == 1 else 0
        self.answer(max(self.now, request.issue) + 1, request.tag, data=bytes(size))


if __name__ == "__main__":
    Chatty().run()
