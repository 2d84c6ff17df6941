"""Needs root and the bundle (built or in the cache): molecule applies roles to one lab node.

What lies in `node/` is for molecule's verifier, a pytest of its own that sees the node.
"""

from __future__ import annotations

import os

collect_ignore = [] if "MOLECULE_SCENARIO_NAME" in os.environ else ["node"]
