import { selfSubjectReviews } from '#api/authentication/v1/resources.ts'
import { selfSubjectAccessReviews, subjectAccessReviews } from '#api/authorization/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { kubeVirtKey } from '#features/cluster-config/index.ts'
import { splitResource, type Right } from './inventory.ts'

/** The user that installs the release. */
export interface Installer {
  readonly user: string
  readonly groups: readonly string[]
}

interface PolicyRule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

/** Rights that every installation needs. */
const always: readonly Right[] = [
  { group: 'kubevirt.io', resource: 'kubevirts', verb: 'watch' },
  { group: 'kubevirt.io', resource: 'kubevirts/status', verb: 'patch' },
  { group: '', resource: 'nodes', verb: 'watch' },
  { group: '', resource: 'pods', verb: 'delete', namespace: kubeVirtKey.namespace },
]

const verbsOfInstallers = ['get', 'list', 'watch', 'create', 'patch'] as const

/**
 * Returns the rights that are necessary to install these objects: to write them, and all that their
 * roles grant, because of the API server's escalation check. Pure.
 */
export function rightsFor(objects: readonly KubeObject[]): readonly Right[] {
  const rights = [...always, ...objects.flatMap((object) => [...rightsToWrite(object), ...rightsGrantedBy(object)])]
  return [
    ...new Map(
      rights.map((right) => [`${right.verb} ${right.namespace ?? ''}/${right.group}/${right.resource}/${right.name ?? ''}`, right]),
    ).values(),
  ]
}

function rightsToWrite({ apiVersion = '', kind = '', metadata }: KubeObject): Right[] {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
  const resource = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`.replace(/ys$/, 'ies')
  return verbsOfInstallers.map((verb) => ({ group, resource, verb, ...namespaced(metadata?.namespace) }))
}

function rightsGrantedBy(object: KubeObject): Right[] {
  if (object.kind !== 'ClusterRole' && object.kind !== 'Role') return []
  const place = namespaced(object.kind === 'Role' ? object.metadata?.namespace : undefined)
  const rules = (object as { readonly rules?: readonly PolicyRule[] }).rules ?? []
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.flatMap((verb) => named({ group, resource, verb, ...place }, resourceNames))),
    ),
  )
}

function namespaced(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

function named(right: Right, names: readonly string[] | undefined): Right[] {
  return names === undefined || names.length === 0 ? [right] : names.map((name) => ({ ...right, name }))
}

/**
 * Returns the rights that an installer lacks; without one, the caller. Undefined when access
 * reviews are forbidden.
 */
export async function rightsOf(
  client: Pick<Client, 'create'>,
  installer: Installer | undefined,
  rights: readonly Right[],
  signal: AbortSignal | undefined,
): Promise<{ readonly user: string; readonly missing: readonly Right[] } | undefined> {
  const ask = <T extends KubeObject>(resource: ResourceType<T>, spec?: object): Promise<T> =>
    client.create<T, T>(
      resource,
      { metadata: {}, ...(spec === undefined ? {} : { spec }) } as KubeObject,
      signal === undefined ? {} : { signal },
    )
  const isDenied = async ({ group, resource, verb, name, namespace }: Right): Promise<boolean> => {
    const { plural, ...subresource } = splitResource(resource)
    const resourceAttributes = {
      group,
      resource: plural,
      verb,
      ...subresource,
      ...(name === undefined ? {} : { name }),
      ...namespaced(namespace),
    }
    const review =
      installer === undefined
        ? await ask(selfSubjectAccessReviews, { resourceAttributes })
        : await ask(subjectAccessReviews, { ...installer, resourceAttributes })
    return review.status?.allowed !== true
  }
  try {
    const denied = await Promise.all(rights.map(isDenied))
    const missing = rights.filter((_, index) => denied[index])
    if (installer !== undefined) return { user: installer.user, missing }
    // The name is only necessary for the commands of findings.
    return { user: missing.length === 0 ? '' : ((await ask(selfSubjectReviews)).status?.userInfo?.username ?? ''), missing }
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'Forbidden') return undefined
    throw error
  }
}
