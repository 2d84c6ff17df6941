#!/usr/bin/python
# Apache-2.0
"""Documentation of the action `atoll_push`; all its work is done on the control host."""

DOCUMENTATION = r"""
module: atoll_push
short_description: Push the images of the bundle to the registry of the cluster
description:
  - Sends what the registry lacks, manifest by manifest and blob by blob, straight from the OCI layout of the bundle.
  - The bytes go through an SSH forwarding of the task's host, so the control host needs no way to the registry's port.
options:
  bundle:
    description: Directory of the bundle on the control host.
    type: path
    required: true
  sets:
    description: Sets of images to push.
    type: list
    elements: str
    default: [base, platform, framework]
  registry:
    description: Name and port by which nodes and certificates know the registry.
    type: str
    default: registry.atoll.internal:5000
  reach:
    description: Address and port of the registry as seen from the task's host.
    type: str
    default: 127.0.0.1:5000
  ca_file:
    description: Certificate authority of the registry, on the control host.
    type: path
    required: true
  client_certificate:
    description: Client certificate, on the control host.
    type: path
    required: true
  client_key:
    description: Key of the client certificate, on the control host.
    type: path
    required: true
extends_documentation_fragment:
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The registry holds every image of the bundle
  atoll_push:
    bundle: "{{ atoll_bundle }}"
    ca_file: "{{ atoll_state }}/pki/registry/ca.crt"
    client_certificate: "{{ atoll_state }}/pki/registry/client.crt"
    client_key: "{{ atoll_state }}/pki/registry/client.key"
"""

RETURN = r"""
pushed:
  description: Names of the images that the registry did not have in this form.
  returned: always
  type: list
  elements: str
bytes_sent:
  description: Bytes of blobs that were sent.
  returned: always
  type: int
"""
