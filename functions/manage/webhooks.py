"""The routes of webhooks: their log, sending one again, trying a receiver out."""

from __future__ import annotations

from common.errors import Forbidden, NotFound, UrlNotAllowed, ValidationFailed
from common.http.answers import DeliveryList, DeliveryRow, WebhookTrial
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.queries import LogsQuery
from common.webhooks.manage import delivery_view, list_deliveries, redeliver, try_receiver
from common.webhooks.request import WebhookTestRequest

TAG = "Webhooks"
router = Router("job-manage")


@router.route(
    "GET",
    "/api/jobs/{job_id}/deliveries",
    operation=Operation(
        summary="What became of a job's webhooks",
        tag=TAG,
        query=LogsQuery,
        data=DeliveryList,
        top={"total": int},
        errors=(NotFound, Forbidden),
    ),
)
def deliveries(request: Request) -> Answer:
    query = request.parse(LogsQuery)
    job_id = request.arguments["job_id"]
    found, total = list_deliveries(
        request.services, request.caller, job_id, limit=query.limit, skip=query.skip
    )
    rows = [delivery_view(delivery) for delivery in found]
    return Answer(data={"deliveries": rows, "total": total}, top={"total": total})


@router.route(
    "POST",
    "/api/deliveries/{delivery_id}/redeliver",
    operation=Operation(
        summary="Send a webhook again", tag=TAG, status=202, data=DeliveryRow, errors=(NotFound, Forbidden)
    ),
)
def again(request: Request) -> Answer:
    delivery = redeliver(request.services, request.caller, request.arguments["delivery_id"])
    return Answer(status=202, data=delivery_view(delivery))


@router.route(
    "POST",
    "/api/webhooks/test",
    operation=Operation(
        summary="Try a receiver out with one signed event",
        tag=TAG,
        body=WebhookTestRequest,
        data=WebhookTrial,
        errors=(NotFound, Forbidden, UrlNotAllowed, ValidationFailed),
    ),
)
def test(request: Request) -> Answer:
    return Answer(data=try_receiver(request.services, request.caller, request.json()))
