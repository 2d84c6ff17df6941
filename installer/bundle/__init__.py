"""The bundle: everything that nodes need, in one directory, built from pinned and hash-checked packages.

`ensure` is what `./atoll up` calls; the lock file `lock.yaml` says what there is; `platform/packaging` and
`platform/images` hold the recipes.
"""

from installer.bundle.building import Reporter, before_the_portal, ensure
from installer.bundle.errors import BundleError
from installer.bundle.index import verify

__all__ = ["BundleError", "Reporter", "before_the_portal", "ensure", "verify"]
