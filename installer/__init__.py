"""Turns cluster.yaml into a plan and drives Ansible."""
