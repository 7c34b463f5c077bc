#!/bin/sh
# Becomes Prometheus. Run by the Deployment "prometheus".
# PROMETHEUS is the program, MONITORING_DIR the folder of its configuration and data, PROMETHEUS_ADDRESS what it listens on.
# The kubelet renews the token of the service account in the folder of the pod, which has another name after each change.
set -eu
ln -sfn "$POD_DIR/volumes/kubernetes.io~projected/token/token" "$MONITORING_DIR/token"
exec "$PROMETHEUS" \
  --config.file="$MONITORING_DIR/prometheus.json" \
  --storage.tsdb.path="$MONITORING_DIR/data" \
  --storage.tsdb.retention.time=15d \
  --storage.tsdb.retention.size=1GB \
  --web.listen-address="$PROMETHEUS_ADDRESS" \
  --web.external-url="http://$PROMETHEUS_ADDRESS/" \
  --log.level=warn
