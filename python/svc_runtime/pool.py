"""Cell processes of one kind that wait for jobs, and jobs that wait for one of them."""


class Pool:
    def __init__(self, is_forked, places=0, ahead=()):
        self.is_forked = is_forked
        self.places = places
        self.ahead = list(ahead)  # what a process that is started afresh loads
        self.parked = []
        self.coming = []  # started, and not ready yet
        self.waiting = []  # (run, job)

    def add(self, process):
        (self.parked if process.is_parked else self.coming).append(process)

    def arrived(self, process):
        self.coming.remove(process)
        self.parked.append(process)

    def drop(self, process):
        for group in (self.parked, self.coming):
            if process in group:
                group.remove(process)

    def forget_job(self, run):
        """Whether the job was among those that wait."""
        count = len(self.waiting)
        self.waiting = [entry for entry in self.waiting if entry[0] != run]
        return len(self.waiting) < count

    @property
    def is_short(self):
        return len(self.parked) + len(self.coming) < self.places

    @property
    def is_short_for_jobs(self):
        return len(self.waiting) > len(self.coming)

    def surplus(self):
        """Processes that nobody needs any more."""
        count = max(0, len(self.parked) + len(self.coming) - max(self.places, len(self.waiting)))
        return [*reversed(self.coming), *reversed(self.parked)][:count]
