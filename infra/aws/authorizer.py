"""`python -m infra.aws.authorizer none|jwt`: the template to deploy, with or without a JWT check in front.

SAM takes no condition in `DefaultAuthorizer`, so the choice is made here, before the deployment.
"""

from __future__ import annotations

import json
import sys

from common.http.router import PUBLIC
from infra.aws.document import Template, functions, load

CHOICES = ("none", "jwt")
JWT = {
    "DefaultAuthorizer": "Jwt",
    "Authorizers": {
        "Jwt": {
            "IdentitySource": "$request.header.Authorization",
            "JwtConfiguration": {"issuer": {"Ref": "JwtIssuer"}, "audience": [{"Ref": "JwtAudience"}]},
        }
    },
}


def with_authorizer(template: Template, choice: str) -> Template:
    """With `jwt` every route needs a token, except those that answer anyone; the functions check it again."""
    if choice == "none":
        return template
    template["Resources"]["Api"]["Properties"]["Auth"] = JWT
    for properties in functions(template).values():
        for event in properties.get("Events", {}).values():
            if event["Type"] == "HttpApi" and event["Properties"]["Path"] in PUBLIC:
                event["Properties"]["Auth"] = {"Authorizer": "NONE"}
    return template


def main() -> None:
    choice = sys.argv[1] if len(sys.argv) == 2 else ""
    if choice not in CHOICES:
        sys.exit(f"Expected one of {', '.join(CHOICES)}, found {choice!r}.")
    json.dump(with_authorizer(load(), choice), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
