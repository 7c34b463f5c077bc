import { validatingAdmissionPolicies } from '#api/admissionregistration/v1/resources.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import { selfSubjectAccessReviews } from '#api/authorization/v1/resources.ts'
import { componentNamespace } from '#api/access/component-users.ts'
import type { Node } from '#api/core/v1/node.ts'
import { namespaces, nodes } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createImageVolumeProbe } from '#features/vmi/index.ts'
import { silentLogger } from '#runtime/process/log.ts'
import type { ChosenCluster } from '#cli/cluster/connect.ts'
import type { CliContext } from '#cli/context.ts'
import { systemClock } from '#runtime/clock/clock.ts'

/** A fact, or the reason why the API server refused to tell it. */
export type Fact<T> = { readonly value: T } | { readonly refusal: string }

/** Right to create objects of a resource. */
export interface CreateRight {
  readonly group: string
  readonly resource: string
}

/** Facts about a cluster on which the system is or will be installed. */
export interface ClusterFacts {
  /** `gitVersion` of the API server. */
  readonly version: string
  readonly nodes: Fact<readonly Node[]>
  readonly hasAdmissionPolicies: Fact<boolean>
  readonly hasImageVolumes: Fact<boolean>
  /** Rights that an installation needs and the user does not have. */
  readonly missingRights: Fact<readonly CreateRight[]>
  readonly storageClasses: Fact<readonly StorageClass[]>
  readonly daemonSets: Fact<readonly KubeObject[]>
  /** Namespace of the components, if there is one. */
  readonly namespace: Fact<KubeObject | undefined>
  /** The CRD of KubeVirt objects, if there is one. */
  readonly definition: Fact<CustomResourceDefinition | undefined>
  /** The Deployment of virt-operator, if there is one. */
  readonly operator: Fact<KubeObject | undefined>
  readonly kubevirt: Fact<KubeVirt | undefined>
}

/** Objects whose creation an installation needs. Roles need the rights that they grant, too. */
const installedResources: readonly CreateRight[] = [
  { group: '', resource: 'namespaces' },
  { group: '', resource: 'serviceaccounts' },
  { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies' },
  { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  { group: 'apps', resource: 'deployments' },
  { group: 'policy', resource: 'poddisruptionbudgets' },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' },
  { group: 'storage.k8s.io', resource: 'csidrivers' },
]

/** Reads the facts. Writes nothing: the only pod that it creates is a dry run. */
export async function observeCluster({ client, version }: ChosenCluster, { signal }: Pick<CliContext, 'signal'>): Promise<ClusterFacts> {
  const mayCreate = async ({ group, resource }: CreateRight): Promise<boolean> => {
    const resourceAttributes = { group, resource, verb: 'create' }
    const review = await client.create(selfSubjectAccessReviews, { metadata: {}, spec: { resourceAttributes } }, { signal })
    return review.status?.allowed === true
  }
  const missingRights = async (): Promise<readonly CreateRight[]> => {
    const allowed = await Promise.all(installedResources.map(mayCreate))
    return installedResources.filter((_, index) => allowed[index] !== true)
  }
  const hasImageVolumes = createImageVolumeProbe({ client, namespace: 'default', clock: systemClock, log: silentLogger })
  const isServed = (reading: Promise<unknown>): Promise<boolean> => reading.then(() => true).catch(falseIfMissing)
  const [gitVersion, nodeList, hasAdmissionPolicies, imageVolumes, missing, classes, daemons, namespace, definition, operator, kubevirt] =
    await Promise.all([
      version(signal),
      factOf(itemsOf(client.list(nodes, { signal }))),
      factOf(isServed(client.list(validatingAdmissionPolicies, { limit: 1, signal }))),
      factOf(hasImageVolumes()),
      factOf(missingRights()),
      factOf(itemsOf(client.list(storageClasses, { signal }))),
      factOf(itemsOf<KubeObject>(client.list(daemonSets, { signal }))),
      factOf(client.get(namespaces, { name: componentNamespace }, { signal }).catch(undefinedIfMissing)),
      factOf(client.get(customResourceDefinitions, { name: 'kubevirts.kubevirt.io' }, { signal }).catch(undefinedIfMissing)),
      factOf(client.get(deployments, { namespace: componentNamespace, name: 'virt-operator' }, { signal }).catch(undefinedIfMissing)),
      factOf(
        itemsOf(client.list(kubeVirts, { signal }))
          .then(([first]) => first)
          .catch(undefinedIfMissing),
      ),
    ])
  return {
    version: gitVersion,
    nodes: nodeList,
    hasAdmissionPolicies,
    hasImageVolumes: imageVolumes,
    missingRights: missing,
    storageClasses: classes,
    daemonSets: daemons,
    namespace,
    definition,
    operator,
    kubevirt,
  }
}

async function itemsOf<T>(reading: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> {
  return (await reading).items
}

/** An answer of the API server that is no answer to the question becomes the refusal. */
async function factOf<T>(reading: Promise<T>): Promise<Fact<T>> {
  try {
    return { value: await reading }
  } catch (error) {
    if (error instanceof StatusError) return { refusal: error.message }
    throw error
  }
}

function falseIfMissing(error: unknown): boolean {
  if (isNotFound(error)) return false
  throw error
}

function undefinedIfMissing(error: unknown): undefined {
  if (isNotFound(error)) return undefined
  throw error
}
