"""Two interfaces of the kubelet: the vendored `.proto` files and what grpcio-tools makes of them (`generate.py`)."""
