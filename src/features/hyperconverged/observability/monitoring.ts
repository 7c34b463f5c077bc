import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { runbookUrls } from '#features/operator/index.ts'
import { ComponentWriter, type Outcome } from '../reconcile/act.ts'
import { createLatestObjects } from '../components/objects/latest-objects.ts'
import { decideObject } from '../reconcile/decide.ts'
import { hyperConvergedKey, operatorName } from '../names.ts'
import { observeObject } from '../reconcile/observe.ts'
import type { Ports } from '../reconcile/ports.ts'
import type { ManagedKind } from '../components/rendering/components.ts'
import { hyperConvergedRuleSpec, type PrometheusRuleSpec } from './alert-rules.ts'

const { namespace } = hyperConvergedKey
const shared = { group: 'monitoring.coreos.com', versions: ['v1'], part: 'monitoring', onlyIn: namespace } as const

const prometheusRule: ManagedKind = {
  ...shared,
  name: 'prometheus-rule',
  kind: 'PrometheusRule',
  plural: 'prometheusrules',
  objectName: 'kubevirt-hyperconverged-prometheus-rule',
}
const serviceMonitor: ManagedKind = {
  ...shared,
  name: 'service-monitor',
  kind: 'ServiceMonitor',
  plural: 'servicemonitors',
  objectName: 'kubevirt-hyperconverged-operator-metrics',
}

/** Kinds of the Prometheus operator whose objects are maintained where they are installed. */
export const monitoringKinds: readonly ManagedKind[] = [prometheusRule, serviceMonitor]

/** The objects for Prometheus, which end with the operator. */
export const monitoringObjects: readonly { readonly resource: ResourceType<KubeObject>; readonly name: string }[] = monitoringKinds.map(
  ({ group, versions: [version = ''], kind, plural, objectName: name }) => ({
    resource: { group, version, kind, plural, namespaced: true },
    name,
  }),
)

/** Name of the port of the operator's Service that serves its metrics. */
export const metricsPortName = 'metrics'

/** The rules as an object that is applied by hand. Pure. */
export function prometheusRuleObject(): KubeObject & { readonly spec: PrometheusRuleSpec } {
  return {
    apiVersion: apiVersionOf({ group: prometheusRule.group, version: 'v1' }),
    kind: prometheusRule.kind,
    metadata: { name: prometheusRule.objectName, namespace },
    spec: hyperConvergedRuleSpec(runbookUrls()),
  }
}

/** Outcome of a pass, and the time after which the next one is due. */
export interface MonitoringResult {
  readonly outcomes: readonly Outcome[]
  readonly waitMs: number | undefined
}

/**
 * Keeps the objects by which Prometheus finds metrics and alerts of the operator. They do not
 * depend on the HyperConverged object, so that its absence is an alert.
 */
export function createMonitoring(ports: Ports): (signal: AbortSignal) => Promise<MonitoringResult> {
  const writer = new ComponentWriter(ports)
  const latest = createLatestObjects(ports.clock)
  const rendered = [
    [prometheusRule, { spec: hyperConvergedRuleSpec(runbookUrls(ports.environment['RUNBOOK_URL_TEMPLATE'])) }],
    [serviceMonitor, { spec: serviceMonitorSpec }],
  ] as const
  return async (signal) => {
    const decisions = rendered.map(([kind, object]) => decideObject(observeObject(ports, kind, latest), object, ports))
    const outcomes = await writer.act(decisions, signal)
    for (const { decision, written } of outcomes) if (written !== undefined) latest.note(decision.observed.component.name, written)
    const waits = [writer.retryAfterMs(), latest.waitMs].filter((ms) => ms !== undefined)
    return { outcomes, waitMs: waits.length === 0 ? undefined : Math.min(...waits) }
  }
}

/** Prometheus proves who it is by the token of its service account. */
const serviceMonitorSpec = {
  selector: { matchLabels: { 'kubevirt.io': operatorName } },
  namespaceSelector: { matchNames: [namespace] },
  endpoints: [
    {
      port: metricsPortName,
      path: '/metrics',
      scheme: 'https',
      // As KubeVirt's own: its certificate is for the name of its Service, and pods are scraped.
      tlsConfig: { insecureSkipVerify: true },
      bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    },
  ],
} as const
