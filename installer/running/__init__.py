"""Running a plan against the world: ansible-runner, journal, events, resume and the lock of one writer."""
