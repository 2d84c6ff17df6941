"""`python -m installer`, which is what `./atoll` runs."""

import sys

from installer.cli import main

sys.exit(main())
