import { eventually, type KubeJson, type TestMachine } from '../machine.ts'

/** Name of our objects for the Prometheus operator. */
export const monitoringName = 'prometheus-kubevirt-rules'
/** Kinds of the Prometheus operator, by their plurals with the group. */
export const [monitorKind, ruleKind] = ['servicemonitors.monitoring.coreos.com', 'prometheusrules.monitoring.coreos.com'] as const

/** A CRD as the Prometheus operator brings it, without its schema. */
function definitionOf(kind: string, plural: string): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

/**
 * Creates what the operator of Prometheus brings: its CRDs, and the service account of Prometheus
 * in the namespace `monitoring`.
 */
export async function createPrometheusKinds(machine: Pick<TestMachine, 'kubectl'>): Promise<void> {
  const definitions = [definitionOf('ServiceMonitor', 'servicemonitors'), definitionOf('PrometheusRule', 'prometheusrules')]
  await machine.kubectl(['create', 'namespace', 'monitoring'])
  await machine.kubectl(['create', 'serviceaccount', 'prometheus-k8s', '-n', 'monitoring'])
  await machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: definitions }))
}

/**
 * Removes what {@link createPrometheusKinds} has created, and the rights of Prometheus in the
 * namespace of the components, which stay until an uninstallation.
 */
export async function removePrometheusKinds(machine: Pick<TestMachine, 'tryKubectl'>): Promise<void> {
  await machine.tryKubectl(['delete', 'crd', monitorKind, ruleKind, '--timeout=30s'])
  await machine.tryKubectl(['delete', 'role,rolebinding', 'kubevirt-monitoring', '-n', 'kubevirt', '--ignore-not-found'])
  await machine.tryKubectl(['delete', 'namespace', 'monitoring', '--wait=false'])
}

/** Returns the spec of one of our objects, when it is there. */
export async function monitoringSpec(machine: Pick<TestMachine, 'tryKubectl'>, kind: string, namespace: string): Promise<KubeJson> {
  let text = ''
  const read = async (): Promise<boolean> => {
    text = (await machine.tryKubectl(['get', kind, monitoringName, '-n', namespace, '-o', 'json', '--ignore-not-found'])).stdout.trim()
    return text !== ''
  }
  await eventually(read, () => `there is no object of ${kind} in ${namespace}`)
  return (JSON.parse(text) as KubeJson)['spec'] as KubeJson
}
