"""`python -m atoll.files`."""

from atoll.files.application import application
from atoll.web.internal import run

if __name__ == "__main__":
    run(application, 8002)
