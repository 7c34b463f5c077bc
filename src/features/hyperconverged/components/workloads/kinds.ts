import type { CachedKind } from '../rendering/components.ts'

/** Label of all objects of workloads, by which they are watched: the cluster has many others. */
const selector = 'app.kubernetes.io/managed-by=hco-operator'

const builtIn = (group: string, version: string, kind: string, plural: string, namespaced = true): CachedKind => ({
  name: plural,
  group,
  versions: [version],
  kind,
  plural,
  objectName: '',
  selector,
  builtIn: { namespaced },
})
const defined = (group: string, version: string, kind: string, plural: string): CachedKind => ({
  name: plural,
  group,
  versions: [version],
  kind,
  plural,
  objectName: '',
  selector,
})

const rbac = 'rbac.authorization.k8s.io'

/** Kinds of the objects of workloads. Those of others are there where their CRDs are. */
export const workloadKinds: readonly CachedKind[] = [
  builtIn('scheduling.k8s.io', 'v1', 'PriorityClass', 'priorityclasses', false),
  builtIn('', 'v1', 'ServiceAccount', 'serviceaccounts'),
  builtIn('', 'v1', 'ConfigMap', 'configmaps'),
  builtIn('', 'v1', 'Service', 'services'),
  builtIn(rbac, 'v1', 'ClusterRole', 'clusterroles', false),
  builtIn(rbac, 'v1', 'ClusterRoleBinding', 'clusterrolebindings', false),
  builtIn('policy', 'v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  builtIn('apps', 'v1', 'Deployment', 'deployments'),
  builtIn('apps', 'v1', 'DaemonSet', 'daemonsets'),
  builtIn('admissionregistration.k8s.io', 'v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false),
  defined('cert-manager.io', 'v1', 'Issuer', 'issuers'),
  defined('cert-manager.io', 'v1', 'Certificate', 'certificates'),
  defined('security.openshift.io', 'v1', 'SecurityContextConstraints', 'securitycontextconstraints'),
]

/** Returns the kind of an object of a workload. @throws TypeError */
export function workloadKindOf(kind: string): CachedKind {
  const found = workloadKinds.find((one) => one.kind === kind)
  if (found === undefined) throw new TypeError(`${kind} is no kind of a workload's object`)
  return found
}
