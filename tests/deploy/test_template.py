"""template.yaml: what linters do not see. They accept misspelt keys in events, so each is compared whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from common.processing.registry import job_types
from common.queue.base import BATCH_ARCHIVE, HIGH_PRIORITY, NOTIFY_QUEUE, queue_for
from common.settings import Settings, load_settings
from infra.aws.authorizer import with_authorizer
from infra.aws.document import Template, functions, load
from infra.local.template import function_source, http_routes, template_file

TYPES = ("pdf", "session", "audio", "video", "imageocr", "transformer", "office", "batch_archive")
QUEUE_FUNCTIONS = {"ProcessFunction", "NotifyFunction", "SweepFunction"}
WORKER_IMAGE = {"SessionFunction", "ProcessFunction"}
KEEPS_WEBHOOKS = {"EnqueueFunction", "ManageFunction", "SessionFunction", "NotifyFunction"}
LAMBDA_PAYLOAD_BYTES = 6 * 1024 * 1024
GATEWAY_SECONDS = 30
ALARM_METRICS = 10  # CloudWatch takes no more in one alarm
SEND = {"sqs:SendMessage", "sqs:GetQueueUrl"}
POLL = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"}
WRITE = {"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"}
RESULTS = {"jobs/*", "archives/*", "cache/*"}

# What each function may do, and nothing more: (actions, resources).
ALLOWED: dict[str, list[tuple[set[str], set[str]]]] = {
    "EnqueueFunction": [(SEND, {"jobs-*"}), ({"s3:PutObject", "s3:GetObject"}, {"uploads/*"})],
    "StatusFunction": [({"s3:GetObject"}, RESULTS)],
    "ManageFunction": [
        (SEND, {"jobs-*", "NotifyQueue"}),
        ({"s3:DeleteObject"}, {"jobs/*", "archives/*"}),
        ({"s3:ListBucket"}, {"Bucket"}),
    ],
    "DownloadFunction": [(SEND, {"jobs-*"}), ({"s3:GetObject"}, RESULTS)],
    "SessionFunction": [
        (SEND, {"jobs-*", "NotifyQueue"}),
        ({"s3:GetObject"}, {"uploads/*"}),
        (WRITE, RESULTS),
        ({"s3:ListBucket"}, {"Bucket"}),
    ],
    "MonitorFunction": [
        ({"sqs:GetQueueAttributes", "sqs:GetQueueUrl"}, {"jobs-*", "NotifyQueue"}),
        ({"s3:ListBucket"}, {"Bucket"}),
    ],
    "ProcessFunction": [
        (POLL | SEND, {"jobs-*"}),
        (SEND, {"NotifyQueue"}),
        ({"s3:GetObject"}, {"uploads/*"}),
        (WRITE | {"s3:DeleteObject"}, RESULTS),
        ({"s3:ListBucket"}, {"Bucket"}),
    ],
    "NotifyFunction": [(POLL | SEND, {"NotifyQueue"})],
    "SweepFunction": [
        (SEND, {"jobs-*", "NotifyQueue"}),
        ({"s3:DeleteObject"}, {"jobs/*", "archives/*", "uploads/*"}),
        ({"s3:ListBucket"}, {"Bucket"}),
    ],
}


@pytest.fixture(scope="module")
def template() -> Template:
    return load()


@pytest.fixture(scope="module")
def defaults(template: Template) -> dict[str, str]:
    return {name: str(item.get("Default", "")) for name, item in template["Parameters"].items()}


def of_type(template: Template, kind: str) -> dict[str, Template]:
    return {name: item for name, item in template["Resources"].items() if item["Type"] == kind}


def queues(template: Template) -> dict[str, Template]:
    """The properties of every queue by its name without the prefix."""
    prefix = "${QueuePrefix}-"
    found = {}
    for item in of_type(template, "AWS::SQS::Queue").values():
        name = item["Properties"]["QueueName"]["Fn::Sub"]
        assert name.startswith(prefix)
        found[name.removeprefix(prefix)] = item["Properties"]
    return found


def queue_of(template: Template, logical_name: str) -> str:
    name: str = template["Resources"][logical_name]["Properties"]["QueueName"]["Fn::Sub"]
    return name.removeprefix("${QueuePrefix}-")


RESOLVED = "resolved-" * 4  # as long as a secret must be


def resolved(value: Any, defaults: dict[str, str]) -> str:
    """As deployed with the default parameters; what only AWS knows becomes some text."""
    if not isinstance(value, dict):
        return str(value)
    if "Ref" in value:
        return defaults.get(value["Ref"], RESOLVED)
    return RESOLVED


def environment(template: Template, name: str, defaults: dict[str, str]) -> dict[str, str]:
    everywhere = template["Globals"]["Function"]["Environment"]["Variables"]
    own = functions(template)[name]["Environment"]["Variables"]
    return {key: resolved(value, defaults) for key, value in (everywhere | own).items()}


def test_every_type_and_lane_has_its_queue_and_its_dead_letters(template: Template) -> None:
    live = {queue_for(name, priority) for name in TYPES for priority in (0, HIGH_PRIORITY)} | {NOTIFY_QUEUE}
    assert set(queues(template)) == live | {f"{name}-dead" for name in live}
    assert {queue_for(name, 0) for name in (*job_types(), BATCH_ARCHIVE)} <= live


def test_a_message_is_given_up_into_the_dead_letters_of_its_own_queue(template: Template) -> None:
    found = queues(template)
    for name, properties in found.items():
        assert properties["SqsManagedSseEnabled"] is True
        assert properties["MessageRetentionPeriod"] == 14 * 86_400
        if name.endswith("-dead"):
            assert "RedrivePolicy" not in properties
            continue
        redrive = properties["RedrivePolicy"]
        assert set(redrive) == {"deadLetterTargetArn", "maxReceiveCount"}
        assert redrive["maxReceiveCount"] == Settings().queue.max_deliveries
        logical_name, attribute = redrive["deadLetterTargetArn"]["Fn::GetAtt"]
        assert attribute == "Arn"
        assert queue_of(template, logical_name) == f"{name}-dead"


@pytest.mark.parametrize(("function", "batch_size"), [("ProcessFunction", 1), ("NotifyFunction", 10)])
def test_each_queue_calls_its_function_and_hears_of_single_failures(
    template: Template, function: str, batch_size: int
) -> None:
    properties = functions(template)[function]
    read = []
    for event in properties["Events"].values():
        assert set(event) == {"Type", "Properties"}
        assert event["Type"] == "SQS"
        what = event["Properties"]
        assert set(what) == {"Queue", "BatchSize", "FunctionResponseTypes", "ScalingConfig"}
        assert what["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert what["BatchSize"] == batch_size
        logical_name, attribute = what["Queue"]["Fn::GetAtt"]
        assert attribute == "Arn"
        read.append(queue_of(template, logical_name))
        visibility = template["Resources"][logical_name]["Properties"]["VisibilityTimeout"]
        assert visibility >= 6 * properties["Timeout"]
    live = {name for name in queues(template) if not name.endswith("-dead")}
    expected = {NOTIFY_QUEUE} if function == "NotifyFunction" else live - {NOTIFY_QUEUE}
    assert sorted(read) == sorted(expected)


def test_each_type_has_a_limit_of_its_own_within_what_lambda_allows(template: Template) -> None:
    for event in functions(template)["ProcessFunction"]["Events"].values():
        scaling = event["Properties"]["ScalingConfig"]
        assert set(scaling) == {"MaximumConcurrency"}
        parameter = template["Parameters"][scaling["MaximumConcurrency"]["Ref"]]
        assert (parameter["MinValue"], parameter["MaxValue"]) == (2, 1000)
        logical_name = event["Properties"]["Queue"]["Fn::GetAtt"][0]
        wanted = "MaxConcurrent" + logical_name.removesuffix("Queue").removesuffix("High")
        assert scaling["MaximumConcurrency"]["Ref"] == wanted
    notify = functions(template)["NotifyFunction"]["Events"]["Notify"]["Properties"]["ScalingConfig"]
    assert set(notify) == {"MaximumConcurrency"}


def test_the_sweep_runs_every_minute_and_the_next_minute_is_its_retry(template: Template) -> None:
    sweep = functions(template)["SweepFunction"]
    assert sweep["Events"] == {
        "EveryMinute": {
            "Type": "ScheduleV2",
            "Properties": {
                "ScheduleExpression": "rate(1 minute)",
                "RetryPolicy": {"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": 60},
            },
        }
    }
    assert sweep["EventInvokeConfig"]["MaximumRetryAttempts"] == 0


def short(resource: Any) -> str:
    """A resource of a statement as the table above names it; anything else shows up unchanged."""
    if "Fn::GetAtt" in resource:
        return str(resource["Fn::GetAtt"][0])
    text: str = resource["Fn::Sub"]
    queue_names = "arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:${QueuePrefix}-"
    return text.removeprefix(queue_names).removeprefix("${Bucket.Arn}/")


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_a_function_may_do_what_it_needs_and_nothing_more(template: Template, name: str) -> None:
    (policy,) = functions(template)[name]["Policies"]
    granted = []
    for statement in policy["Statement"]:
        assert set(statement) == {"Effect", "Action", "Resource"}
        assert statement["Effect"] == "Allow"
        resources = statement["Resource"]
        listed = resources if isinstance(resources, list) else [resources]
        granted.append((set(statement["Action"]), {short(item) for item in listed}))
    assert granted == ALLOWED[name]


def test_the_table_of_rights_names_every_function(template: Template) -> None:
    assert set(functions(template)) == set(ALLOWED)


def test_the_variables_of_every_function_are_settings_that_exist(
    template: Template, defaults: dict[str, str]
) -> None:
    for name in functions(template):
        loaded = load_settings(environment(template, name, defaults))
        assert loaded.queue.adapter == "sqs"
        assert loaded.access.mode != "open", "the open mode must never face the internet"


def test_secrets_come_from_secrets_manager_and_only_where_they_are_used(template: Template) -> None:
    everywhere = template["Globals"]["Function"]["Environment"]["Variables"]
    secret = {"MONGODB_URI", "SECRETARY_ACCESS__GATEWAY_SECRET"}
    models = {"OPENAI_API_KEY", "SECRETARY_SPEECH__API_KEY"}
    assert {key for key, value in everywhere.items() if "resolve:secretsmanager" in str(value)} == secret
    for name, properties in functions(template).items():
        own = properties["Environment"]["Variables"]
        found = {key for key, value in own.items() if "resolve:secretsmanager" in str(value)}
        hooks = {"SECRETARY_WEBHOOKS__SECRET_KEYS"} if name in KEEPS_WEBHOOKS else set()
        assert found == hooks | (models if name in WORKER_IMAGE else set()), name
    assert not any("password" in name.lower() or "key" in name.lower() for name in template["Parameters"])


def test_an_error_page_fails_a_queue_function_instead_of_reading_as_success(template: Template) -> None:
    for name, properties in functions(template).items():
        codes = properties["Environment"]["Variables"].get("AWS_LWA_ERROR_STATUS_CODES")
        assert codes == ("400-599" if name in QUEUE_FUNCTIONS else None), name


def test_each_function_has_its_source_and_the_image_that_it_needs(template: Template) -> None:
    for name, properties in functions(template).items():
        target = properties["Environment"]["Variables"]["FUNCTION_TARGET"]
        assert name == f"{target.capitalize()}Function"
        assert function_source(target).is_file()
        image = "WorkerImageUri" if name in WORKER_IMAGE else "ApiImageUri"
        assert (properties["PackageType"], properties["ImageUri"]) == ("Image", {"Ref": image})


def test_time_limits_fit_into_one_another(template: Template, defaults: dict[str, str]) -> None:
    for name, properties in functions(template).items():
        loaded = load_settings(environment(template, name, defaults))
        if name not in QUEUE_FUNCTIONS:
            assert loaded.http.max_wait_seconds < properties["Timeout"] <= GATEWAY_SECONDS
    process = load_settings(environment(template, "ProcessFunction", defaults))
    assert process.jobs.slice_seconds is not None
    assert (
        process.jobs.slice_seconds + process.jobs.lease_seconds
        < functions(template)["ProcessFunction"]["Timeout"]
    )


def test_answers_fit_into_what_lambda_carries(template: Template, defaults: dict[str, str]) -> None:
    loaded = load_settings(environment(template, "StatusFunction", defaults))
    base64_bytes = loaded.limits.inline_archive_bytes * 4 // 3
    assert base64_bytes + loaded.limits.inline_markdown_bytes < LAMBDA_PAYLOAD_BYTES
    assert loaded.http.body_limit_bytes < LAMBDA_PAYLOAD_BYTES


def test_the_bucket_is_private_encrypted_and_takes_young_signatures_over_tls(template: Template) -> None:
    bucket = template["Resources"]["Bucket"]
    assert bucket["DeletionPolicy"] == bucket["UpdateReplacePolicy"] == "Retain"
    properties = bucket["Properties"]
    assert properties["PublicAccessBlockConfiguration"] == dict.fromkeys(
        ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True
    )
    assert properties["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]
    assert properties["BucketEncryption"]
    (cors,) = properties["CorsConfiguration"]["CorsRules"]
    assert cors["AllowedMethods"] == ["GET", "HEAD", "PUT"]
    rules = template["Resources"]["BucketRules"]["Properties"]["PolicyDocument"]["Statement"]
    tls, age = rules
    assert [rule["Effect"] for rule in rules] == ["Deny", "Deny"]
    assert tls["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert age["Condition"]["NumericGreaterThan"] == {
        "s3:signatureAge": {"Fn::Sub": "${UrlExpiresSeconds}000"}
    }


def test_no_rule_of_age_removes_what_a_living_job_may_hold(template: Template) -> None:
    rules = template["Resources"]["Bucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert {rule["Id"] for rule in rules} == {"unfinished-uploads", "uploads", "cache-cools-down"}
    assert [rule["Prefix"] for rule in rules if "ExpirationInDays" in rule] == ["uploads/"]


def alarmed(template: Template, metric: str) -> set[str]:
    """The logical names that some alarm watches for this metric."""
    found: set[str] = set()
    for alarm in of_type(template, "AWS::CloudWatch::Alarm").values():
        watched = [item["MetricStat"]["Metric"] for item in alarm["Properties"].get("Metrics", ())[1:]]
        assert len(watched) <= ALARM_METRICS
        for item in watched:
            if item["MetricName"] == metric:
                (dimension,) = item["Dimensions"]
                value = dimension["Value"]
                found.add(value["Ref"] if "Ref" in value else value["Fn::GetAtt"][0])
    return found


def test_alarms_watch_every_queue_and_every_function(template: Template) -> None:
    all_queues = set(of_type(template, "AWS::SQS::Queue"))
    dead = {name for name in all_queues if name.endswith("Dead")}
    assert alarmed(template, "ApproximateNumberOfMessagesVisible") == dead
    assert alarmed(template, "ApproximateAgeOfOldestMessage") == all_queues - dead
    assert alarmed(template, "Errors") == alarmed(template, "Throttles") == set(functions(template))
    for alarm in of_type(template, "AWS::CloudWatch::Alarm").values():
        assert alarm["Properties"]["AlarmActions"] == [{"Ref": "AlarmTopic"}]


def test_logs_are_kept_for_a_stated_time(template: Template) -> None:
    assert template["Globals"]["Function"]["LoggingConfig"] == {"LogGroup": {"Ref": "FunctionLogs"}}
    for group in of_type(template, "AWS::Logs::LogGroup").values():
        assert group["Properties"]["RetentionInDays"] == {"Ref": "LogDays"}


def test_queues_refuse_what_does_not_come_over_tls(template: Template) -> None:
    policy = template["Resources"]["QueuesTlsOnly"]["Properties"]
    assert {item["Ref"] for item in policy["Queues"]} == set(of_type(template, "AWS::SQS::Queue"))
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Condition"]) == (
        "Deny",
        {"Bool": {"aws:SecureTransport": "false"}},
    )


def test_every_route_event_is_whole_and_belongs_to_the_api(template: Template) -> None:
    count = 0
    for name, properties in functions(template).items():
        for event in properties.get("Events", {}).values() if name not in QUEUE_FUNCTIONS else ():
            assert event["Type"] == "HttpApi"
            assert set(event["Properties"]) == {"ApiId", "Method", "Path"}
            assert event["Properties"]["ApiId"] == {"Ref": "Api"}
            count += 1
    assert count == len(http_routes()) > 0


def test_the_authorizer_guards_all_but_the_public_routes() -> None:
    guarded = with_authorizer(load(), "jwt")
    assert guarded["Resources"]["Api"]["Properties"]["Auth"]["DefaultAuthorizer"] == "Jwt"
    open_paths = {
        event["Properties"]["Path"]
        for properties in functions(guarded).values()
        for event in properties.get("Events", {}).values()
        if event["Properties"].get("Auth") == {"Authorizer": "NONE"}
    }
    assert {"/health", "/ready"} <= open_paths
    assert not any(path.startswith(("/api/jobs", "/api/batches", "/api/keys")) for path in open_paths)
    assert with_authorizer(load(), "none") == load()


def test_cfn_lint_finds_nothing() -> None:
    program = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run([program, template_file()], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
