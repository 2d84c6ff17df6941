import json
from pathlib import Path

import pytest

from installer.bundle import lock
from installer.bundle.errors import BundleError
from installer.bundle.images import full_name
from installer.bundle.lock import load_images, load_lock
from installer.bundle.outputs import Output
from installer.bundle.programs import module_directory, modules
from installer.bundle.sbom import materials
from installer.bundle.steps import Workshop

TREE = Path(__file__).parents[3]
BASE_SET = {
    "registry.k8s.io/pause:3.10",
    "registry.k8s.io/kube-apiserver:v1.36.3",
    "registry.k8s.io/kube-controller-manager:v1.36.3",
    "registry.k8s.io/kube-scheduler:v1.36.3",
    "registry.k8s.io/kube-proxy:v1.36.3",
    "registry.k8s.io/etcd:3.6.16-0",
    "registry.k8s.io/coredns/coredns:v1.14.2",
    "docker.io/cloudnativelabs/kube-router:v2.1.0",
}


def test_the_base_set_is_what_a_node_imports_before_there_is_a_registry() -> None:
    images = load_images(TREE).images.values()
    assert {full_name(image) for image in images if image.set == "base"} == BASE_SET


def test_images_have_the_version_of_the_tree_and_unique_names() -> None:
    names = [full_name(image) for image in load_images(TREE).images.values()]
    version = (TREE / "VERSION").read_text().strip()
    assert f"registry.atoll.internal:5000/frameworks/numpy:{version}" in names
    assert len(names) == len(set(names))


def test_a_layer_stands_only_on_layers_before_it_and_images_keep_that_order() -> None:
    images = load_images(TREE)
    order = list(images.layers)
    for name, layer in images.layers.items():
        assert all(order.index(parent) < order.index(name) for parent in layer.above)
    for name, image in images.images.items():
        for position, used in enumerate(image.layers):
            missing = set(images.layers[used].above) - set(image.layers[:position])
            assert not missing, f"image {name}: {used} stands on {missing}"


def test_every_layer_is_used() -> None:
    images = load_images(TREE)
    assert {layer for image in images.images.values() for layer in image.layers} == set(images.layers)


def test_services_and_frameworks_run_as_a_number_that_is_not_root() -> None:
    privileged = {"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd", "kube-router"}
    privileged |= {"base", "control", "local-path-provisioner"}
    for name, image in load_images(TREE).images.items():
        if name not in privileged:
            assert int(image.user.split(":")[0]) > 0, name


def test_every_program_has_a_module_with_sums_and_pins_its_version() -> None:
    for name, program in load_lock(TREE).programs.items():
        module = module_directory(TREE, name, program)
        assert (module / "go.sum").stat().st_size > 0
        text = (module / "go.mod").read_text()
        if name not in {"prometheus"}:  # its modules count 0.315 where its releases count 3.15
            assert f"v{program.version}" in text, f"{name}: lock.yaml says {program.version}"


def test_no_registry_address_is_in_the_recipes() -> None:
    for path in (TREE / "platform" / "packaging").glob("*/go.mod"):
        assert "replace ../" not in path.read_text()
    text = (TREE / "installer" / "bundle" / "debian.lock").read_text()
    assert "://" not in text


def test_a_misspelt_key_is_refused_with_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "installer" / "bundle"
    folder.mkdir(parents=True)
    (folder / "lock.yaml").write_text("architectures: [amd64]\nprogrammes: {}\n")
    with pytest.raises(BundleError, match=r"lock\.yaml"):
        lock.load_lock(tmp_path)


def test_every_package_set_of_the_recipes_is_locked(tmp_path: Path) -> None:
    workshop = Workshop(TREE, tmp_path)
    known: dict[str, str] = {}
    keys = [workshop.key(name, known) for name in workshop.steps if name.startswith(("os/", "layer/amd64/base"))]
    assert len(keys) == len(set(keys))


def test_a_part_is_found_by_each_of_its_names_and_a_wrong_one_is_explained(tmp_path: Path) -> None:
    workshop = Workshop(TREE, tmp_path)
    assert workshop.find("image/numpy") == workshop.find("numpy") == ["image/amd64/numpy"]
    with pytest.raises(BundleError, match="bundle list"):
        workshop.find("numpyy")


def test_a_program_says_itself_which_modules_are_in_it_and_a_replacement_counts() -> None:
    told = (
        "bin/kueue: go1.27\n\tpath\tsigs.k8s.io/kueue/cmd/kueue\n\tmod\tatoll.local/packaging/controllers\t(devel)\t\n"
        "\tdep\tk8s.io/api\tv0.37.1\n\t=>\tk8s.io/api\tv0.36.3\th1:x=\n\tdep\tsigs.k8s.io/kueue\tv0.19.2\th1:y=\n"
    )
    assert modules(told) == ["k8s.io/api@v0.36.3", "sigs.k8s.io/kueue@v0.19.2"]


def test_the_list_of_materials_names_modules_packages_and_wheels(tmp_path: Path) -> None:
    workshop = Workshop(TREE, tmp_path)
    wanted = ("program/amd64/crane", "image/amd64/numpy")
    crane = {"modules": ["github.com/google/go-containerregistry@v0.22.1"]}
    outputs = {name: Output(name, "", tmp_path, {}, crane) for name in wanted}
    document = json.loads(materials(workshop, outputs))
    addresses = {r["referenceLocator"].split("@")[0] for p in document["packages"] for r in p.get("externalRefs", [])}
    assert {
        "pkg:golang/github.com/google/go-containerregistry",
        "pkg:pypi/scikit-learn",
        "pkg:deb/debian/python3",
    } <= addresses
    assert document["spdxVersion"] == "SPDX-2.3"
