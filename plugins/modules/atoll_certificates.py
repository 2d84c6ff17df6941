#!/usr/bin/python
# Apache-2.0
"""Documentation of the action `atoll_certificates`; all its work is done on the control host."""

DOCUMENTATION = r"""
module: atoll_certificates
short_description: Authorities and certificates of the cluster
description:
  - Keeps them on the control host in C({{ atoll_state }}/pki). Makes what is missing, renews what has less than a
    third of its life left or was made for other names, and leaves everything else as it is.
  - Authorities C(registry), C(gateway) and C(webhooks) are signed by the cluster's root, whose key can then be
    taken away. C(kubernetes), C(etcd), C(front_proxy), C(control), C(storage) and C(monitoring) are roots of their own,
    since what they sign proves who somebody is, and must prove nothing elsewhere.
  - For each authority C(<authority>/ca.crt) is what those trust that check a server, C(<authority>/issuer.crt) what
    those trust that check a client. C(inventory.json) lists every certificate with its owner and its end.
options:
  authorities:
    description: Authorities to have, beside those of C(certificates).
    type: list
    elements: str
    default: []
  certificates:
    description: Certificates to have.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: >-
          Path below C(pki) without ending. Its first part names the authority. C(.crt) holds the certificate and what
          leads to the root, C(.key) the key.
        type: str
        required: true
      common_name: {description: Common name. Default is the last part of C(name)., type: str}
      organisation: {description: Organisation; Kubernetes takes it for a group., type: str}
      names: {description: DNS names and IP addresses., type: list, elements: str, default: []}
      usages: {description: "C(server), C(client) or both.", type: list, elements: str, default: [server]}
      days: {description: Days of life., type: int, default: 397}
  signing_keys:
    description: Names of RSA key pairs (C(.key), C(.pub)) that sign tokens.
    type: list
    elements: str
    default: []
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The webhooks of Kueue have a certificate
  atoll_certificates:
    certificates:
      - name: webhooks/kueue
        names: [kueue-webhook-service.kueue-system.svc, kueue-webhook-service.kueue-system.svc.cluster.local]

- name: Kueue knows it
  atoll_objects:
    manifests: ["{{ lookup('ansible.builtin.template', 'certificates.yaml.j2') }}"]
  vars:
    certificate: "{{ lookup('ansible.builtin.file', atoll_state ~ '/pki/webhooks/kueue.crt') }}"
    authority: "{{ lookup('ansible.builtin.file', atoll_state ~ '/pki/webhooks/ca.crt') }}"
  no_log: true
"""

RETURN = r"""
made:
  description: Names of authorities and certificates that were made or renewed.
  returned: always
  type: list
  elements: str
"""
