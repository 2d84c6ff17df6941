"""What the first page says of machines."""

from atoll.web.codes import ReasonCode


class NodeNotReady(ReasonCode, words="Node {node} is not ready."):
    node: str


class NodeUnknown(ReasonCode, words="The state of node {node} is not known."):
    node: str


class NodeCordoned(ReasonCode, words="Node {node} is cordoned: nothing new starts there."):
    node: str
