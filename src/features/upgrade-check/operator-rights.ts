import type { SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import { selfSubjectAccessReviews, subjectAccessReviews } from '#api/authorization/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import type { Right } from './world.ts'

/** Whoever installs: the caller, or somebody about whom the caller asks. */
export interface Installer {
  readonly user: string
  readonly groups: readonly string[]
  readonly isCaller: boolean
}

interface PolicyRule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly verbs: readonly string[]
}

/** What is needed whatever is installed. */
const always: readonly Right[] = [
  { group: 'kubevirt.io', resource: 'kubevirts', verb: 'watch' },
  { group: 'kubevirt.io', resource: 'kubevirts/status', verb: 'patch' },
  { group: '', resource: 'nodes', verb: 'watch' },
  { group: '', resource: 'pods', verb: 'delete' },
]

const verbsOfInstallers = ['get', 'list', 'watch', 'create', 'patch'] as const

/** What whoever installs these objects must be allowed to do: to write them, and all that they grant to others. Pure. */
export function rightsFor(objects: readonly KubeObject[]): readonly Right[] {
  const rights = [...always, ...objects.flatMap((object) => [...rightsToWrite(object), ...rightsGrantedBy(object)])]
  return [...new Map(rights.map((right) => [`${right.verb} ${right.group}/${right.resource}`, right])).values()]
}

function rightsToWrite({ apiVersion = '', kind = '' }: KubeObject): Right[] {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
  const resource = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`.replace(/ys$/, 'ies')
  return verbsOfInstallers.map((verb) => ({ group, resource, verb }))
}

function rightsGrantedBy(object: KubeObject): Right[] {
  if (object.kind !== 'ClusterRole' && object.kind !== 'Role') return []
  const rules = (object as { readonly rules?: readonly PolicyRule[] }).rules ?? []
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb })))),
  )
}

/** Asks the API server for each right, and gives those that are denied. Undefined: the caller may not ask. */
export async function missingRights(
  client: Pick<Client, 'create'>,
  installer: Installer,
  rights: readonly Right[],
  signal: AbortSignal | undefined,
): Promise<readonly Right[] | undefined> {
  const options = signal === undefined ? {} : { signal }
  const isDenied = async ({ group, resource, verb }: Right): Promise<boolean> => {
    const [name, subresource] = resource.split('/')
    const resourceAttributes = { group, resource: name ?? '', verb, ...(subresource === undefined ? {} : { subresource }) }
    const { user, groups, isCaller } = installer
    const review = isCaller
      ? await client.create<KubeObject, SubjectAccessReview>(
          selfSubjectAccessReviews,
          { metadata: {}, spec: { resourceAttributes } } as KubeObject,
          options,
        )
      : await client.create<KubeObject, SubjectAccessReview>(
          subjectAccessReviews,
          { metadata: {}, spec: { user, groups: [...groups], resourceAttributes } } as KubeObject,
          options,
        )
    return review.status?.allowed !== true
  }
  try {
    const denied = await Promise.all(rights.map(isDenied))
    return rights.filter((_, index) => denied[index])
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'Forbidden') return undefined
    throw error
  }
}
