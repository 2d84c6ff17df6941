"""`python -m atoll.api`."""

import os
import sys

from atoll.api.application import application
from atoll.configuration import ConfigurationError, load
from atoll.web import bodies
from atoll.web.internal import serve

if __name__ == "__main__":
    try:
        configuration = load()
        app = application(configuration)
    except ConfigurationError as error:
        sys.exit(str(error))
    serve(
        app,
        host=os.environ.get("ATOLL_LISTEN", "0.0.0.0"),
        port=int(os.environ.get("ATOLL_PORT", "8000")),
        tls=configuration.tls,
        most_body_bytes=bodies.PEOPLE,
    )
