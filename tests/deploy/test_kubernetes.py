"""The manifests: against the schemas of Kubernetes, and what no schema says about ours."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from typing import Any

import kubernetes_validate
import pytest
import yaml

from common.queue.base import HIGH_PRIORITY, NOTIFY_QUEUE, queue_for
from common.settings import load_settings
from infra.kubernetes.render import HERE, rendered
from infra.local.template import ROOT, http_routes

Manifest = dict[str, Any]
KUBERNETES = "1.32"
OURS = {"apps/v1", "batch/v1", "policy/v1", "v1", "networking.k8s.io/v1"}  # the rest are custom resources
TYPES = ("pdf", "session", "audio", "video", "imageocr", "transformer", "office", "batch_archive")


def manifests() -> Iterator[Manifest]:
    for path in sorted(HERE.rglob("*.yaml")):
        if path.name not in ("kustomization.yaml", "knative.yaml"):
            yield from (item for item in yaml.safe_load_all(path.read_text("utf-8")) if item)


def of_kind(kind: str) -> list[Manifest]:
    return [item for item in manifests() if item["kind"] == kind]


def pod_specs() -> dict[str, Manifest]:
    """Every pod that we describe, by the name of what makes it."""
    found = {}
    for item in manifests():
        if item["kind"] in ("Service", "Deployment"):
            found[item["metadata"]["name"]] = item["spec"]["template"]
        if item["kind"] == "CronJob":
            found[item["metadata"]["name"]] = item["spec"]["jobTemplate"]["spec"]["template"]
    return found


def entry_points() -> set[str]:
    script = (ROOT / "infra/container/entrypoint.sh").read_text("utf-8")
    return set(re.findall(r"^  (\w+)\)", script, re.MULTILINE))


def test_what_follows_from_the_template_is_rendered_from_it() -> None:
    for path, text in rendered().items():
        assert path.read_text("utf-8") == text, f"run python -m infra.kubernetes.render for {path.name}"


def test_our_manifests_fit_the_schemas_of_kubernetes() -> None:
    checked = 0
    for item in manifests():
        if item["apiVersion"] in OURS:
            kubernetes_validate.validate(item, KUBERNETES, strict=True)
            checked += 1
    assert checked >= 8


@pytest.mark.parametrize("overlay", ["mongo", "sqs"])
def test_each_overlay_builds(overlay: str) -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is not installed; it builds overlays without a cluster")
    built = subprocess.run(
        [kubectl, "kustomize", HERE / "overlays" / overlay], capture_output=True, check=True
    )
    items = [item for item in yaml.safe_load_all(built.stdout) if item]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    images = set(re.findall(rb"image: (\S+)", built.stdout))
    assert images == {f"secretary-{target}:{version}".encode() for target in ("api", "worker")}
    assert sum(item["kind"] == "ScaledObject" for item in items) == 1
    outside = {item["metadata"]["name"] for item in items if item["metadata"].get("namespace") != "secretary"}
    assert outside == {"secretary"}, "the namespace itself, and nothing else"


def test_no_pod_can_write_gain_rights_or_run_as_root() -> None:
    pods = pod_specs()
    assert set(pods) == {route.function for route in http_routes()} | {"worker", "sweep"}
    for name, pod in pods.items():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        (container,) = spec["containers"]
        locked = (spec.get("securityContext") or {}) | container["securityContext"]
        assert locked["runAsNonRoot"] is True
        assert locked["readOnlyRootFilesystem"] is True
        assert locked["allowPrivilegeEscalation"] is False
        assert locked["capabilities"] == {"drop": ["ALL"]}
        assert locked["seccompProfile"] == {"type": "RuntimeDefault"}
        assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/tmp"]
        assert "memory" in container["resources"]["limits"]
        assert container["args"][0] in entry_points()
        sources = [name for item in container["envFrom"] for name in item]
        assert sources == ["configMapRef", "secretRef"]


def test_functions_and_workers_are_probed() -> None:
    for name, pod in pod_specs().items():
        (container,) = pod["spec"]["containers"]
        assert ("readinessProbe" in container) == (name != "sweep"), name


def test_every_pod_is_under_the_policy_that_allows_nothing() -> None:
    policies = {item["metadata"]["name"]: item["spec"] for item in of_kind("NetworkPolicy")}
    assert policies["nothing-by-default"] == {
        "podSelector": {"matchLabels": {"app": "secretary"}},
        "policyTypes": ["Ingress", "Egress"],
    }
    for name, pod in pod_specs().items():
        assert pod["metadata"]["labels"] == {"app": "secretary", "part": name}
    parts = policies["requests-to-functions"]["podSelector"]["matchExpressions"][1]["values"]
    assert set(parts) == {route.function for route in http_routes()}
    for policy in policies.values():
        for rule in policy.get("egress", ()):
            for peer in rule.get("to", ()):
                assert peer["ipBlock"]["except"] == ["169.254.0.0/16"]


def test_each_route_reaches_its_function_and_no_other() -> None:
    reached: dict[tuple[str, str], str] = {}
    for item in of_kind("HTTPRoute"):
        name = item["metadata"]["name"]
        assert len(item["spec"]["rules"]) <= 16, "the Gateway API takes no more"
        for rule in item["spec"]["rules"]:
            assert rule["filters"][0]["urlRewrite"]["hostname"] == f"{name}.secretary.svc.cluster.local"
            for match in rule["matches"]:
                reached[match["method"], match["path"]["value"]] = name
    for route in http_routes():
        sample = re.sub(r"\{\w+\+?\}", "some-id", route.path)
        exact = reached.get((route.method, sample))
        fitting = {
            name
            for (method, pattern), name in reached.items()
            if method == route.method and re.fullmatch(pattern, sample)
        }
        assert exact == route.function or fitting == {route.function}, route


def test_keda_watches_every_queue_that_a_worker_reads() -> None:
    names = {queue_for(name, priority) for name in TYPES for priority in (0, HIGH_PRIORITY)} | {NOTIFY_QUEUE}
    (sqs,) = [
        item["spec"] for item in of_kind("ScaledObject") if item["spec"]["triggers"][0]["type"] != "mongodb"
    ]
    assert {item["metadata"]["queueURL"] for item in sqs["triggers"]} == {
        f"secretary-{name}" for name in names
    }
    (mongo,) = [item["spec"] for item in of_kind("ScaledObject") if item["spec"] != sqs]
    assert mongo["triggers"][0]["metadata"]["collection"] == "messages"


def test_the_sweep_runs_every_minute_and_never_twice_at_once() -> None:
    (cron,) = of_kind("CronJob")
    assert (cron["spec"]["schedule"], cron["spec"]["concurrencyPolicy"]) == ("* * * * *", "Forbid")


def test_the_settings_of_the_cluster_exist() -> None:
    (configured,) = of_kind("ConfigMap")
    loaded = load_settings(configured["data"])
    assert loaded.access.mode == "api_key"
    overlay = yaml.safe_load((HERE / "overlays/sqs/kustomization.yaml").read_text("utf-8"))
    patch = yaml.safe_load(overlay["patches"][0]["patch"])
    assert load_settings(configured["data"] | patch["data"]).queue.adapter == "sqs"
