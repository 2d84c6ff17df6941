"""What the engine keeps of the objects that it watches. Pure."""

from atoll.engines.kubernetes.client import Object

_OF_A_POD = ("name", "namespace", "uid", "labels", "creationTimestamp", "deletionTimestamp", "resourceVersion")


def without_managed_fields(item: Object) -> Object:
    """An object without what nobody reads: managed fields are half of many objects."""
    item["metadata"].pop("managedFields", None)
    return item


def marker(item: Object) -> Object:
    """That it is there, and whose it is."""
    metadata = item["metadata"]
    return {"metadata": {name: metadata[name] for name in ("name", "namespace", "labels") if name in metadata}}


def pod(item: Object) -> Object:
    """Only what `machines` and `observing` read: a cluster has many pods."""
    metadata, spec = item["metadata"], item["spec"]
    return {
        "metadata": {name: metadata[name] for name in _OF_A_POD if name in metadata},
        "spec": {
            "nodeName": spec.get("nodeName"),
            "containers": [{"resources": container.get("resources", {})} for container in spec.get("containers", ())],
            "initContainers": [
                {"resources": container.get("resources", {})} for container in spec.get("initContainers", ())
            ],
        },
        "status": item.get("status", {}),
    }
