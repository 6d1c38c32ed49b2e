"""A hello world that imports the two libraries no API function of ours can do without."""

from __future__ import annotations

import flask
import functions_framework
import pydantic
import pymongo


class Greeting(pydantic.BaseModel):
    hello: str = pymongo.version


@functions_framework.http
def libraries(request: flask.Request) -> tuple[dict[str, object], int]:
    return Greeting().model_dump(), 200
