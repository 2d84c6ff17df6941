"""What the control service and its client say."""

from atoll.web.codes import ProblemCode


class NoControlService(
    ProblemCode,
    title="This installation has no control service",
    remedy="Services and runs are to be had on an installed cluster, not under ./atoll dev.",
):
    pass


class ControlUnavailable(
    ProblemCode,
    title="The control service does not answer",
    detail="The control service does not answer ({why}).",
    remedy="On a master, see kubectl -n kube-system logs control-NODE; its files lie in /var/log/pods/kube-system_control-*.",
):
    why: str


class ControlVersion(
    ProblemCode,
    title="The control service has another version",
    detail="The control service gave an answer that this version does not understand.",
    remedy="An administrator ends the upgrade on the control host: ./atoll plan shows what is left, ./atoll apply does it.",
):
    pass


class ControlFailed(
    ProblemCode,
    title="The control service failed at this",
    detail="{detail}",
    remedy="Its log on a master says more: kubectl -n kube-system logs control-NODE.",
):
    detail: str


class Busy(
    ProblemCode,
    title="The cluster is just being changed",
    detail="{detail}",
    remedy="Wait until that run has ended; Installer runs shows it.",
):
    detail: str


class BadClusterYaml(
    ProblemCode,
    title="cluster.yaml has mistakes",
    detail="{detail}",
    remedy="Mend cluster.yaml on the control host, then try again.",
):
    detail: str


class KubernetesUnavailable(
    ProblemCode,
    title="Kubernetes does not answer",
    detail="{detail}",
    remedy="On a master, see service_ctl status kubernetes; it works without Kubernetes.",
):
    detail: str


class NodeUnreachable(
    ProblemCode, title="A node cannot be reached", detail="{detail}", remedy="Check that it is on and answers SSH."
):
    detail: str


class NotInCluster(
    ProblemCode,
    title="It is missing in the cluster",
    detail="{detail}",
    remedy="Run ./atoll plan on the control host: it says what is missing.",
):
    detail: str


class NotInstalled(
    ProblemCode,
    title="The cluster is not fully installed",
    detail="{detail}",
    remedy="Run ./atoll apply on the control host.",
):
    detail: str


class NoSuchService(
    ProblemCode,
    title="This service does not exist",
    detail="There is no service `{service}`.",
    remedy="The page Services shows those that there are; load it again.",
):
    service: str


class NoSuchAction(
    ProblemCode,
    title="This service does not know that action",
    detail="`{service}` cannot be told to {action}.",
    remedy="Load the page Services again: it shows what this service can be told.",
):
    action: str
    service: str


class NoSuchRun(
    ProblemCode,
    title="This run does not exist",
    detail="There is no run `{run}`.",
    remedy="Old runs are removed after a while.",
):
    run: str


class NoImageName(
    ProblemCode,
    title="This is no name of an image",
    detail="`{image}` is no name of an image.",
    remedy="Write it as the registry shows it, for example atoll/pytorch:2.8.",
):
    image: str


class NoSuchImage(
    ProblemCode,
    title="The registry has no such image",
    detail="The registry has no image {image}.",
    remedy="An administrator imports it: atoll image import.",
):
    image: str


class RegistryUnavailable(
    ProblemCode,
    title="The image registry does not answer",
    detail="{detail}",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    detail: str


class UserNotAllowed(
    ProblemCode,
    title="The control service refuses this user",
    detail="The control service finds no session of `{user}` with the role for this.",
    remedy="Sign in again.",
):
    user: str


class UsersUnavailable(
    ProblemCode,
    title="The control service cannot ask the database",
    detail="Whether `{user}` may ask for this cannot be found out: the database does not answer the control service.",
    remedy="Try again in some seconds; on a master, see service_ctl status database.",
):
    user: str
