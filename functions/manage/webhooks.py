"""The routes of webhooks: their log, sending one again, trying a receiver out."""

from __future__ import annotations

from common.http.message import Answer, Request
from common.http.router import Router
from common.webhooks.manage import delivery_view, list_deliveries, redeliver, try_receiver

MOST_ROWS = 200


def add_routes(router: Router) -> None:
    router.route("GET", "/api/jobs/{job_id}/deliveries")(deliveries)
    router.route("POST", "/api/deliveries/{delivery_id}/redeliver")(again)
    router.route("POST", "/api/webhooks/test")(test)


def deliveries(request: Request) -> Answer:
    limit = request.integer("limit", 100, at_least=1, at_most=MOST_ROWS)
    skip = request.integer("skip", 0, at_least=0, at_most=1_000_000)
    job_id = request.arguments["job_id"]
    found, total = list_deliveries(request.services, request.caller, job_id, limit=limit, skip=skip)
    rows = [delivery_view(delivery) for delivery in found]
    return Answer(data={"deliveries": rows, "total": total}, top={"total": total})


def again(request: Request) -> Answer:
    delivery = redeliver(request.services, request.caller, request.arguments["delivery_id"])
    return Answer(status=202, data=delivery_view(delivery))


def test(request: Request) -> Answer:
    return Answer(data=try_receiver(request.services, request.caller, request.json()))
