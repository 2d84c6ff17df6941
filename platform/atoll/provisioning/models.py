"""The table of who provisions."""

from atoll.database.claims import Claimable

THE_ROW = "provisioner"


class ProvisionerRow(Claimable):
    """One row: the process of `jobs` that holds it provisions, and no other does."""

    __tablename__ = "provisioners"
