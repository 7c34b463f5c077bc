import { managedLabels } from '#api/access/managed.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import type { PolicyRule, Subject } from '#api/rbac/v1/role.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { metricsPort, monitoringLabel } from '../manifests/install-strategy.ts'
import type { RuleGroup } from '../install/release-contents.ts'

/** KubeVirt's name of the ServiceMonitor and of the PrometheusRule. */
export const monitoringName = 'prometheus-kubevirt-rules'
/** KubeVirt's name of what Prometheus may read, and of its binding. */
const accessName = 'kubevirt-monitoring'

const kind = (name: string, plural: string): ResourceType<KubeObject> => ({
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: name,
  plural,
  namespaced: true,
})

/** Where metrics are, for the Prometheus operator. */
export const serviceMonitors: ResourceType<KubeObject> = kind('ServiceMonitor', 'servicemonitors')
/** Rules, for the Prometheus operator. */
export const prometheusRules: ResourceType<KubeObject> = kind('PrometheusRule', 'prometheusrules')

/** What the Prometheus of a cluster is, and where its objects belong. */
export interface MonitoringPlace {
  /** Namespace of the components. */
  readonly namespace: string
  /** Namespace and name of the service account of Prometheus. */
  readonly account: { readonly namespace: string; readonly name: string }
  readonly serviceMonitorNamespace: string
}

/** An object beside its kind. */
export interface MonitoringObject {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject & { readonly metadata: { readonly name: string; readonly namespace?: string } }
}

/**
 * What Prometheus needs of pods and Services to find the components, and of their servers to read
 * metrics.
 */
export const prometheusAccess: Readonly<Record<'namespace' | 'cluster', readonly PolicyRule[]>> = {
  namespace: [
    { apiGroups: [''], resources: ['services', 'endpoints', 'pods'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
  ],
  cluster: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
}

/**
 * Returns the rights of Prometheus, its ServiceMonitor, and the PrometheusRule with the groups of a
 * release; undefined: the release has none. The order is that of their creation. Pure.
 */
export function monitoringObjects(place: MonitoringPlace, groups: readonly RuleGroup[] | undefined): readonly MonitoringObject[] {
  const { namespace, account, serviceMonitorNamespace } = place
  const labels = { ...managedLabels, ...monitoringLabel, 'k8s-app': 'kubevirt' }
  const subjects: Subject[] = [{ kind: 'ServiceAccount', ...account }]
  const make = (resource: ResourceType<KubeObject>, metadata: object, content: object): MonitoringObject =>
    ({ resource, object: { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, ...content } }) as unknown as MonitoringObject
  const own = { name: accessName, namespace, labels }
  const everywhere = { name: accessName, labels }
  const roleRef = (role: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: role, name: accessName })
  return [
    make(roles as ResourceType<KubeObject>, own, { rules: prometheusAccess.namespace }),
    make(roleBindings as ResourceType<KubeObject>, own, { roleRef: roleRef('Role'), subjects }),
    make(clusterRoles as ResourceType<KubeObject>, everywhere, { rules: prometheusAccess.cluster }),
    make(clusterRoleBindings as ResourceType<KubeObject>, everywhere, { roleRef: roleRef('ClusterRole'), subjects }),
    make(
      serviceMonitors,
      { name: monitoringName, namespace: serviceMonitorNamespace, labels: { ...labels, 'openshift.io/cluster-monitoring': '' } },
      { spec: serviceMonitorSpec(namespace) },
    ),
    ...(groups === undefined ? [] : [make(prometheusRules, { name: monitoringName, namespace, labels }, { spec: { groups } })]),
  ]
}

/** KubeVirt's, with the token by which Prometheus proves who it is. */
function serviceMonitorSpec(namespace: string): object {
  return {
    selector: { matchLabels: monitoringLabel },
    namespaceSelector: { matchNames: [namespace] },
    endpoints: [
      {
        port: metricsPort,
        scheme: 'https',
        // Each component has a certificate for its own name.
        tlsConfig: { insecureSkipVerify: true },
        bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        // Metrics of guests have a namespace of their own.
        honorLabels: true,
      },
    ],
  }
}
