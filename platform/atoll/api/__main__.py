"""`python -m atoll.api`."""

from atoll.api.application import application
from atoll.web import bodies
from atoll.web.internal import run

if __name__ == "__main__":
    run(application, 8000, bodies.PEOPLE)
