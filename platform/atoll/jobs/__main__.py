"""`python -m atoll.jobs`."""

from atoll.jobs.application import application
from atoll.web.internal import run

if __name__ == "__main__":
    run(application, 8001)
