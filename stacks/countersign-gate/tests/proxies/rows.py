"""The table of what was asked, what came and what should have."""


class Rows:
    def __init__(self):
        self.count, self.failed, self.skipped = 0, [], 0

    def check(self, name, got, expected):
        self.count += 1
        is_right = expected(got) if callable(expected) else got == expected
        mark = "ok  " if is_right else "FAIL"
        shown = str(got) if len(str(got)) < 60 else str(got)[:57] + "..."
        print(f"{mark} {name:66} {shown}", flush=True)
        if not is_right:
            self.failed.append(name)
            if not callable(expected):
                print(f"     expected {expected!r}", flush=True)

    def skip(self, name):
        self.skipped += 1
        print(f"skipped: {name}", flush=True)
