"""What settings say."""

from atoll.web.codes import FieldCode


class PrivilegedNowhere(FieldCode, words="None of your virtual clusters has room for privileged jobs."):
    pass


class UnknownTimeZone(FieldCode, words="There is no such time zone. Names are those of IANA: Asia/Shanghai, UTC."):
    pass
