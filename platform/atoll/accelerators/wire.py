"""Protocol buffer messages of two kubelet interfaces, built from tables instead of generated code.

`v1beta1` is the device plugin API, `v1` the part of the pod resources API that is needed here. Only names, numbers and
types go over the wire, so these tables are the whole contract (k8s.io/kubelet, pkg/apis; unknown fields are skipped).
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as _Field

# field -> (number, type); `[]` in front: repeated; `map`: string to string; a capital: another message of the table
_DEVICE_PLUGIN: dict[str, dict[str, tuple[int, str]]] = {
    "Empty": {},
    "DevicePluginOptions": {"pre_start_required": (1, "bool"), "get_preferred_allocation_available": (2, "bool")},
    "RegisterRequest": {
        "version": (1, "string"),
        "endpoint": (2, "string"),
        "resource_name": (3, "string"),
        "options": (4, "DevicePluginOptions"),
    },
    "NUMANode": {"ID": (1, "int64")},
    "TopologyInfo": {"nodes": (1, "[]NUMANode")},
    "Device": {"ID": (1, "string"), "health": (2, "string"), "topology": (3, "TopologyInfo")},
    "ListAndWatchResponse": {"devices": (1, "[]Device")},
    "ContainerPreferredAllocationRequest": {
        "available_deviceIDs": (1, "[]string"),
        "must_include_deviceIDs": (2, "[]string"),
        "allocation_size": (3, "int32"),
    },
    "PreferredAllocationRequest": {"container_requests": (1, "[]ContainerPreferredAllocationRequest")},
    "ContainerPreferredAllocationResponse": {"deviceIDs": (1, "[]string")},
    "PreferredAllocationResponse": {"container_responses": (1, "[]ContainerPreferredAllocationResponse")},
    "ContainerAllocateRequest": {"devicesIDs": (1, "[]string")},
    "AllocateRequest": {"container_requests": (1, "[]ContainerAllocateRequest")},
    "ContainerAllocateResponse": {"envs": (1, "map"), "annotations": (4, "map")},
    "AllocateResponse": {"container_responses": (1, "[]ContainerAllocateResponse")},
    "PreStartContainerRequest": {"devicesIDs": (1, "[]string")},
    "PreStartContainerResponse": {},
}
_POD_RESOURCES: dict[str, dict[str, tuple[int, str]]] = {
    "ListPodResourcesRequest": {},
    "ContainerDevices": {"resource_name": (1, "string"), "device_ids": (2, "[]string")},
    "ContainerResources": {"name": (1, "string"), "devices": (2, "[]ContainerDevices")},
    "PodResources": {"name": (1, "string"), "namespace": (2, "string"), "containers": (3, "[]ContainerResources")},
    "ListPodResourcesResponse": {"pod_resources": (1, "[]PodResources")},
}
_SCALARS = {
    "bool": _Field.TYPE_BOOL,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "string": _Field.TYPE_STRING,
}


def _add_map(message: descriptor_pb2.DescriptorProto, package: str, field: _Field) -> None:
    """Make `field` a map<string, string>, which on the wire is a repeated entry message."""
    entry = message.nested_type.add(name=field.name.title() + "Entry")
    entry.options.map_entry = True
    for number, name in ((1, "key"), (2, "value")):
        entry.field.add(name=name, number=number, type=_Field.TYPE_STRING, label=_Field.LABEL_OPTIONAL)
    field.type, field.label = _Field.TYPE_MESSAGE, _Field.LABEL_REPEATED
    field.type_name = f".{package}.{message.name}.{entry.name}"


def _build(package: str, table: dict[str, dict[str, tuple[int, str]]]) -> dict[str, Any]:
    """Return a message class for each line of `table`."""
    file = descriptor_pb2.FileDescriptorProto(name=f"atoll/{package}.proto", package=package, syntax="proto3")
    for message_name, fields in table.items():
        message = file.message_type.add(name=message_name)
        for name, (number, kind) in fields.items():
            field = message.field.add(name=name, number=number)
            if kind == "map":
                _add_map(message, package, field)
                continue
            field.label = _Field.LABEL_REPEATED if kind.startswith("[]") else _Field.LABEL_OPTIONAL
            kind = kind.removeprefix("[]")
            if kind in _SCALARS:
                field.type = _SCALARS[kind]
            else:
                field.type, field.type_name = _Field.TYPE_MESSAGE, f".{package}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}")) for name in table}


plugin = _build("v1beta1", _DEVICE_PLUGIN)
pods = _build("v1", _POD_RESOURCES)
