"""Files of users, as programs of this world write them. Needs nothing."""

import pytest
from atoll.users.csv_file import (
    COLUMNS,
    HEADS,
    MOST_BYTES,
    MOST_COLUMNS,
    MOST_ROWS,
    cell_of,
    names_in,
    read,
    template,
)
from atoll.web.errors import Invalid

HEAD = "User name,Nickname,Phone,E-mail,Roles,Groups,Virtual clusters"
ADA = "ada,Ada Lovelace,+49 30 1234,ada@example.org,User;Watch,Ops,default"
CHINESE = "用户名,昵称,角色\r\nli-lei,李雷,普通用户\r\n"


def cells(content: bytes | str) -> list[tuple[int, dict[str, str]]]:
    """Where each line begins, and what is in it but for what is empty."""
    found = read(content.encode() if isinstance(content, str) else content).lines
    return [(line.number, {name: cell for name, cell in line.cells.items() if cell}) for line in found]


def refused(content: bytes | str) -> list[tuple[str, str]]:
    """The places and codes of what is wrong with the file."""
    with pytest.raises(Invalid) as error:
        read(content.encode() if isinstance(content, str) else content)
    assert error.value.code == "users_file_mistakes"
    return [(each.field, each.code) for each in error.value.errors]


def test_every_column_is_read_by_its_head_wherever_it_stands() -> None:
    ((number, ada),) = cells(f"{HEAD}\n{ADA}\n")
    assert number == 2
    assert ada == dict(zip(COLUMNS, ADA.split(","), strict=True))
    assert cells("Roles,Nickname,User name\nUser,Ada,ada")[0][1] == {"roles": "User", "nickname": "Ada", "name": "ada"}


WIDE = "\uff35\uff53\uff45\uff52 \uff4e\uff41\uff4d\uff45"  # as it is typed between Chinese letters


@pytest.mark.parametrize("head", ["USER NAME", " user_name ", "user-name", "username", "Name", "用户名", WIDE])
def test_a_head_is_read_however_it_is_written(head: str) -> None:
    assert cells(f"{head},Nickname,Roles\nada,Ada,User")[0][1]["name"] == "ada"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_template_is_read_with_every_column(language: str) -> None:
    text = template("en" if language == "en" else "zh")
    assert cells(text + ADA)[0][1] == dict(zip(COLUMNS, ADA.split(","), strict=True))
    assert (text.isascii(), text.endswith("\r\n")) == (language == "en", True)
    assert [*HEADS] == [*COLUMNS]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (CHINESE.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + CHINESE.encode(), "utf-8"),
        (CHINESE.encode("gbk"), "gb18030"),
        (CHINESE.encode("gb18030"), "gb18030"),
        (CHINESE.replace(",", "\t").encode("utf-16"), "utf-16-le"),
        (b"\xfe\xff" + CHINESE.encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_the_encoding_is_found_out(content: bytes, encoding: str) -> None:
    file = read(content)
    assert file.encoding == encoding
    assert (file.lines[0].cells["nickname"], file.lines[0].cells["roles"]) == ("李雷", "普通用户")


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xff\xff\xff",
        b"User name,Nickname,Roles\nada,Ada\0,User",
        b"\xef\xbb\xbfUser name,\xff",
        "User name,Nickname,Roles\nada,Ada,User".encode("utf-16-le"),
    ],
)
def test_what_is_no_text_is_told(content: bytes) -> None:
    assert refused(content) == [("", "file_encoding")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_ends_of_lines_are_those_of_any_program(separator: str, end: str) -> None:
    lines = (
        ["User name", "Nickname", "Roles"],
        ["ada", '"Ada, Countess; of L"', "User"],
        [""],
        ["", "", ""],
        ["eve", '"said ""no"""', "User"],
    )
    found = cells(end.join(separator.join(line) for line in lines))
    assert [(number, each["name"]) for number, each in found] == [(2, "ada"), (5, "eve")]
    assert [each["nickname"] for _, each in found] == ["Ada, Countess; of L", 'said "no"']


def test_a_line_that_says_the_separator_is_excels_own() -> None:
    assert cells("sep=;\r\nUser name;Nickname;Roles\r\nada;Ada;User\r\n") == [
        (3, {"name": "ada", "nickname": "Ada", "roles": "User"})
    ]


def test_a_cell_may_have_lines_and_the_next_line_is_numbered_as_an_editor_does() -> None:
    found = cells('User name,Nickname,Roles\nada,Ada,"User\nWatch"\neve,Eve,User\n')
    assert [(number, each["roles"]) for number, each in found] == [(2, "User\nWatch"), (4, "User")]


def test_spaces_and_an_apostrophe_of_a_spreadsheet_program_are_no_part_of_a_cell() -> None:
    found = cells("User name,Nickname,Roles,Phone\n ada ,\u3000Ada ,User,'+49 30 1\n")
    assert found[0][1] == {"name": "ada", "nickname": "Ada", "roles": "User", "phone": "+49 30 1"}
    assert cells("User name,Nickname,Roles\nada,'t Hooft,User")[0][1]["nickname"] == "'t Hooft"


def test_cells_that_are_missing_at_the_end_are_empty_and_more_than_there_are_columns_are_told() -> None:
    file = read(f"{HEAD}\nada,Ada,,,User\neve,Eve,,,User,,,,\nbob,Bob,,,User,,,x\n".encode())
    assert [each.cells["virtual_clusters"] for each in file.lines] == ["", "", ""]
    assert [[(each.field, each.code, each.params) for each in line.mistakes] for line in file.lines] == [
        [],
        [],
        [("", "too_many_cells", {"columns": 7, "found": 8})],
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", [("", "file_without_lines")]),
        ("\n\n", [("", "file_without_lines")]),
        (HEAD, [("", "file_without_lines")]),
        (f"{HEAD}\n,,,,,,\n", [("", "file_without_lines")]),
        ("ada,Ada,User", [("1", "unknown_column")] * 3 + [("1", "columns_missing")]),
        ("\nUser name,Nickname,Password,Roles\nx", [("2", "unknown_column")]),
        ("User name,Nickname,Nickname,Roles\nx", [("1", "column_twice")]),
        ("User name,Name,Nickname,Roles\nx", [("1", "column_twice")]),
        ("User name,Nickname\nada,Ada", [("1", "columns_missing")]),
        ('User name,Nickname,Roles\nada,"Ada,User\neve,Eve,User', [("2", "broken_line")]),
        ('User name,Nickname,Roles\nada,Ada,User\neve,"Eve"x,User', [("3", "broken_line")]),
    ],
)
def test_a_file_that_cannot_be_meant_is_told_with_its_line(content: str, found: list[tuple[str, str]]) -> None:
    assert refused(content) == found


def test_columns_that_are_unknown_or_missing_are_named() -> None:
    with pytest.raises(Invalid) as error:
        read(b"User name,Passwort\nada,secret")
    unknown, missing = error.value.errors
    assert (unknown.params["position"], unknown.params["name"]) == (2, "Passwort")
    assert "Virtual clusters" in unknown.message
    assert missing.params == {"names": ["Nickname", "Roles"]}
    assert "secret" not in str(error.value.errors)


def test_a_file_has_a_size() -> None:
    lines = "User name,Nickname,Roles\n" + "a,A,User\n" * MOST_ROWS
    assert len(read(lines.encode()).lines) == MOST_ROWS
    assert refused(lines + "a,A,User\n") == [("", "too_many_lines")]
    assert refused(b" " * (MOST_BYTES + 1)) == [("", "file_too_large")]
    assert refused(b"\n" * MOST_BYTES) == [("", "file_without_lines")]
    assert refused("User name,Nickname,Roles\nada," + "x" * 200_000 + ",User") == [("2", "broken_line")]


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("", []),
        (";", []),
        ("User", ["User"]),
        ("User; Watch;User", ["User", "Watch"]),
        ("甲；乙，丙、丁", ["甲", "乙", "丙", "丁"]),
        ("one\ntwo, three", ["one", "two", "three"]),
        ("Ops; EU", ["Ops; EU"]),
        ("Ops; EU;User", ["Ops", "EU", "User"]),
        (r"Ops\; EU;User", ["Ops; EU", "User"]),
        (r"A\\;B", ["A\\", "B"]),
        (r"HOUSE\users;甲\，乙", [r"HOUSE\users", "甲，乙"]),
    ],
)
def test_the_names_in_a_cell_are_parted_unless_all_of_it_is_one(cell: str, found: list[str]) -> None:
    assert names_in(cell, lambda each: each == "Ops; EU") == found


@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_of_a_head_without_end_some_columns_are_looked_at(separator: str) -> None:
    head = separator.join(["User name", "Nickname", "Roles", *"x" * 200_000])
    mistakes = refused(f"{head}\nada{separator}Ada{separator}User")
    assert len(mistakes) == MOST_COLUMNS - 3, "each of a million columns is a mistake that is told"
    assert {code for _, code in mistakes} == {"unknown_column"}


@pytest.mark.parametrize(
    "names", [["User", "Watch"], ["User;System Admin", "B"], ["a\\"], ["a\\", ";b"], ["，、,；"], ["a\\;b", "c"], []]
)
def test_names_in_a_cell_that_was_made_of_them_are_those(names: list[str]) -> None:
    assert names_in(cell_of(names), lambda _: False) == names
