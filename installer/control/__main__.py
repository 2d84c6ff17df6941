"""`python -m installer.control`: the process in the image atoll/control."""

import logging

from installer.control.server import serve
from installer.control.settings import Settings

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
serve(Settings.of_environment())
