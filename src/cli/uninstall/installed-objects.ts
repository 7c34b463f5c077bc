import {
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
} from '#api/admissionregistration/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import { configMaps, pods, secrets, serviceAccounts, services } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { csiDrivers } from '#api/storage/v1/resources.ts'
import { systemLabels } from '#api/access/managed.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, keyOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import {
  hyperConvergedKey,
  monitoringObjects,
  operatorCertificates,
  operatorName,
  registrationNames,
} from '#features/hyperconverged/index.ts'

/** A part of an operator. */
export interface InstalledObject {
  /** `Kind/name`. */
  readonly title: string
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
  /** Position in the order: processes, then what they registered and their rights, CRDs last. */
  readonly stage: 0 | 1 | 2
  /** Tool that would install it again, and that must remove it; undefined: none. */
  readonly owner: string | undefined
}

/** Kinds of the manifests, by the stage in which they are removed. */
const stages = [
  [deployments, podDisruptionBudgets, pods],
  [
    mutatingWebhookConfigurations,
    validatingWebhookConfigurations,
    services,
    secrets,
    configMaps,
    leases,
    validatingAdmissionPolicyBindings,
    validatingAdmissionPolicies,
    clusterRoleBindings,
    roleBindings,
    clusterRoles,
    roles,
    serviceAccounts,
    csiDrivers,
  ],
  [customResourceDefinitions],
] as unknown as readonly (readonly ResourceType<KubeObject>[])[]

/** CRDs that end with the operators. Others have been removed by then, or hold disks of users. */
const definitions: readonly string[] = [hyperConvergeds, componentOverrides, kubeVirts].map(groupResourceOf)

/** Kinds of objects that this release alone names so, and that do not have its label. */
const kindsWithoutLabel: readonly string[] = [
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'Secret',
  'ConfigMap',
  'Lease',
  'CustomResourceDefinition',
  'PrometheusRule',
  'ServiceMonitor',
]

interface Reference {
  readonly resource: ResourceType<KubeObject>
  readonly stage: InstalledObject['stage']
  readonly name: string
  /** The empty string for cluster-scoped objects. */
  readonly namespace: string
}

/**
 * Reads which parts of the operators exist: those of the manifests with the label of this system,
 * and what the operator of HyperConverged creates for itself. Parts of others with the same name,
 * such as those of KubeVirt's own operator, are not among them.
 */
export async function observeInstalled(
  client: Pick<Client, 'get' | 'list'>,
  manifests: readonly KubeObject[],
  signal: AbortSignal,
): Promise<readonly InstalledObject[]> {
  const { namespace } = hyperConvergedKey
  const references = [...manifests.flatMap(referenceOf), ...ownReferences()]
  const read = references.map(async ({ resource, stage, name, namespace: place }): Promise<readonly InstalledObject[]> => {
    const object = await found(client.get(resource, place === '' ? { name } : { namespace: place, name }, { signal }))
    return object === undefined || !isOurs(object, resource) ? [] : [installed(resource, object, stage)]
  })
  const processes = ['virt-operator', operatorName].map(async (operator): Promise<readonly InstalledObject[]> => {
    const { items } = await client.list(pods, { namespace, labelSelector: `kubevirt.io=${operator}`, signal })
    // A pod of a Deployment ends with it, and is only awaited.
    const ours = items.filter((pod) => pod.metadata.ownerReferences !== undefined && isOurs(pod, pods as ResourceType<KubeObject>))
    return ours.map((pod) => installed(pods as ResourceType<KubeObject>, pod, 0))
  })
  return (await Promise.all([...read, ...processes])).flat()
}

function referenceOf(manifest: KubeObject): readonly Reference[] {
  const { namespace, name } = keyOf(manifest)
  const stage = stages.findIndex((kinds) => kinds.some(({ kind }) => kind === manifest.kind))
  const resource = stages[stage]?.find(({ kind }) => kind === manifest.kind)
  if (resource === undefined || (resource === stages[2]?.[0] && !definitions.includes(name))) return []
  return [{ resource, stage: stage as InstalledObject['stage'], name, namespace }]
}

/** What the operator of HyperConverged creates for itself. */
function ownReferences(): readonly Reference[] {
  const { namespace } = hyperConvergedKey
  const at = (resource: unknown, name: string, place = ''): Reference => ({
    resource: resource as ResourceType<KubeObject>,
    stage: 1,
    name,
    namespace: place,
  })
  return [
    ...registrationNames.flatMap((name) => [at(mutatingWebhookConfigurations, name), at(validatingWebhookConfigurations, name)]),
    ...Object.values(operatorCertificates).flatMap((name) => [at(secrets, name, namespace), at(configMaps, name, namespace)]),
    ...monitoringObjects.map(({ resource, name }) => at(resource, name, namespace)),
    at(leases, operatorName, namespace),
  ]
}

function isOurs({ metadata }: KubeObject, { kind }: ResourceType<KubeObject>): boolean {
  if (kindsWithoutLabel.includes(kind)) return true
  return Object.entries(systemLabels).every(([key, value]) => metadata?.labels?.[key] === value)
}

function installed(resource: ResourceType<KubeObject>, object: KubeObject, stage: InstalledObject['stage']): InstalledObject {
  return { title: `${resource.kind}/${object.metadata?.name ?? ''}`, resource, object, stage, owner: ownerOf(object) }
}

function ownerOf({ metadata }: KubeObject): string | undefined {
  if (metadata?.labels?.['olm.owner'] !== undefined) return 'the Operator Lifecycle Manager'
  const release = metadata?.annotations?.['meta.helm.sh/release-name']
  return release === undefined ? undefined : `the Helm release "${release}"`
}
