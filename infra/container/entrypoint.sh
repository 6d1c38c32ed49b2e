#!/bin/sh
# What a container of the image does: its first argument chooses, `serve` unless told otherwise.
set -eu
case "${1:-serve}" in
  serve)  # one function behind HTTP: Lambda, Knative
    exec python -m infra.container.serve "${FUNCTION_TARGET:?expected the name of a function, as in template.yaml}" ;;
  gateway)  # all HTTP functions on one port: a single server
    exec python -m infra.local.gateway "${PORT:-8080}" ;;
  worker)  # pulls from the queue: Kubernetes, a single server
    exec python -m infra.local.worker "${HOSTNAME:-worker}-$$" ;;
  timer)  # sweeps for ever: a single server
    exec python -m infra.local.timer ;;
  sweep)  # sweeps once: a CronJob
    exec python -m infra.container.sweep ;;
  migrate)  # indexes and documents of this version
    exec secretary migrate ;;
  ready)  # are MongoDB, objects and queue there: a probe of workers
    exec python -m infra.container.ready ;;
  *)
    echo "Expected serve, gateway, worker, timer, sweep, migrate or ready, found: $1" >&2
    exit 64 ;;
esac
