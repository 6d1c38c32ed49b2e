"""`python -m infra.kubernetes.render` writes the manifests that follow from template.yaml: a Knative service
per HTTP function, the routes to them, and a KEDA trigger per queue."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from infra.aws.document import Template, functions, load
from infra.local.template import HttpRoute, http_routes

HERE = Path(__file__).parent
HEADER = "# Rendered from template.yaml by `python -m infra.kubernetes.render`; a test compares them.\n"
Manifest = dict[str, Any]

REQUESTS_PER_POD = 50  # the function waits more than it works; its server has threads enough
MATCHES_PER_RULE = 8  # what every version of the Gateway API takes
JOBS_PER_WORKER = "2"
# Where Knative's ingress listens inside the cluster; the host name tells it which function is meant.
INGRESS = {"name": "kourier-internal", "namespace": "kourier-system", "port": 80}
LOCKED: Manifest = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


def http_functions(template: Template) -> dict[str, Template]:
    """By target, with their properties."""
    found = functions(template).values()
    served = {route.function for route in http_routes()}
    targets = {item["Environment"]["Variables"]["FUNCTION_TARGET"]: item for item in found}
    return {name: targets[name] for name in sorted(served)}


def knative_service(name: str, properties: Template) -> Manifest:
    image = "secretary-" + properties["ImageUri"]["Ref"].removesuffix("ImageUri").lower()
    container = {
        "image": image,
        "args": ["serve"],
        "env": [{"name": "FUNCTION_TARGET", "value": name}],
        "envFrom": [{"configMapRef": {"name": "secretary"}}, {"secretRef": {"name": "secretary"}}],
        "ports": [{"containerPort": 8080}],
        "readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 5},
        "livenessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 10, "failureThreshold": 3},
        "resources": {
            "requests": {"cpu": "100m", "memory": "192Mi"},
            "limits": {"memory": f"{properties['MemorySize']}Mi"},
        },
        "securityContext": LOCKED,
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108 - the one place that is written to
    }
    spec = {
        "serviceAccountName": "secretary",
        "automountServiceAccountToken": False,
        "containerConcurrency": REQUESTS_PER_POD,
        "timeoutSeconds": properties["Timeout"],
        "containers": [container],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    }
    metadata = {
        "labels": {"app": "secretary", "part": name},
        "annotations": {"autoscaling.knative.dev/min-scale": "0", "autoscaling.knative.dev/max-scale": "50"},
    }
    return {
        "apiVersion": "serving.knative.dev/v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": {"networking.knative.dev/visibility": "cluster-local"}},
        "spec": {"template": {"metadata": metadata, "spec": spec}},
    }


def match(route: HttpRoute) -> Manifest:
    if "{" not in route.path:
        return {"method": route.method, "path": {"type": "Exact", "value": route.path}}
    names = re.sub(r"\{\w+\+\}", ".+", route.path)
    pattern = re.sub(r"\{\w+\}", "[^/]+", names)
    return {"method": route.method, "path": {"type": "RegularExpression", "value": pattern}}


def http_route(name: str, routes: Iterable[HttpRoute]) -> Manifest:
    """Sends the paths of one function to Knative's ingress under the name of that function."""
    rewrite = {"type": "URLRewrite", "urlRewrite": {"hostname": f"{name}.secretary.svc.cluster.local"}}
    matches = [match(route) for route in routes]
    rules = [
        {
            "matches": matches[start : start + MATCHES_PER_RULE],
            "filters": [rewrite],
            "backendRefs": [INGRESS],
            "timeouts": {"request": "30s"},
        }
        for start in range(0, len(matches), MATCHES_PER_RULE)
    ]
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name},
        "spec": {"parentRefs": [{"name": "secretary"}], "rules": rules},
    }


def sqs_scaling(template: Template, prefix: str, region: str) -> list[Manifest]:
    """One trigger per queue that a worker reads; KEDA follows the one that asks for most."""
    names = [
        item["Properties"]["QueueName"]["Fn::Sub"].replace("${QueuePrefix}", prefix)
        for item in template["Resources"].values()
        if item["Type"] == "AWS::SQS::Queue" and "RedrivePolicy" in item["Properties"]
    ]
    triggers = [
        {
            "type": "aws-sqs-queue",
            "metadata": {
                "queueURL": name,
                "queueLength": JOBS_PER_WORKER,
                "awsRegion": region,
                "scaleOnInFlight": "true",
            },
            "authenticationRef": {"name": "aws"},
        }
        for name in names
    ]
    scaled = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": "worker"},
        "spec": {
            "scaleTargetRef": {"name": "worker"},
            "minReplicaCount": 0,
            "maxReplicaCount": 50,
            "pollingInterval": 15,
            "cooldownPeriod": 300,
            "triggers": triggers,
        },
    }
    access = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "TriggerAuthentication",
        "metadata": {"name": "aws"},
        "spec": {"podIdentity": {"provider": "aws", "identityOwner": "workload"}},
    }
    return [scaled, access]


def rendered() -> dict[Path, str]:
    template = load()
    served = http_functions(template)
    routes = http_routes()
    manifests: dict[Path, list[Manifest]] = {
        HERE / "base" / "functions.yaml": [knative_service(*item) for item in served.items()],
        HERE / "base" / "routes.yaml": [
            http_route(name, [route for route in routes if route.function == name]) for name in served
        ],
        HERE / "overlays" / "sqs" / "scaling.yaml": sqs_scaling(template, "secretary", "eu-central-1"),
    }
    return {path: HEADER + _dump(items) for path, items in manifests.items()}


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dump(items: list[Manifest]) -> str:
    return yaml.dump_all(items, Dumper=_Dumper, sort_keys=False, width=110)


def main() -> None:
    for path, text in rendered().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
