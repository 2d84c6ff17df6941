"""Files of users over the wire: what is told of each line, and the passwords of those who were made."""

from typing import Literal

from pydantic import Field

from atoll.web.schema import FieldError, Schema


class ImportLine(Schema):
    """One line of the file, as it is understood."""

    line: int = Field(description="Where it begins in the file, from 1")
    state: Literal["new", "existing", "wrong"]
    name: str
    nickname: str
    phone: str
    email: str
    roles: list[str] = Field(description="By their names, as they are called here")
    groups: list[str]
    virtual_clusters: list[str]
    errors: list[FieldError] = Field(description="The field is the column, empty for the line as a whole")


class InitialPassword(Schema):
    """It is told this once and kept as a hash only; it must be changed at the first sign-in."""

    name: str
    password: str


class UsersImport(Schema):
    """What would be made of the file, or was made of it."""

    dry_run: bool = Field(description="Nothing was changed")
    encoding: str = Field(description="In which the file was read")
    new: int
    existing: int = Field(description="Users who are there already: nothing of them is looked at or changed")
    mistakes: int = Field(description="Of all lines; the first thousand are told")
    lines: list[ImportLine] = Field(description="Of a dry run")
    errors: list[FieldError] = Field(description="What the file as a whole has wrong; the field is the line, if any")
    passwords: list[InitialPassword] = Field(description="Of those that were made")
