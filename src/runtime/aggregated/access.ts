import { subjectAccessReviews } from '#api/authorization/v1/resources.ts'
import type { ResourceAttributes, SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import { forbidden } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { Caller } from './front-proxy.ts'

/** Verb and resource of an access check. */
export type Access = Required<Pick<ResourceAttributes, 'namespace' | 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'name'>>

/** Asks the cluster whether the caller may. @throws StatusError 403 when not */
export async function assertAccess(client: Pick<Client, 'create'>, caller: Caller, access: Access, signal: AbortSignal): Promise<void> {
  const { username, uid, groups, extra } = caller
  const review: SubjectAccessReview = {
    metadata: {},
    spec: {
      user: username,
      ...(uid === undefined ? {} : { uid }),
      groups: [...groups],
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
      resourceAttributes: { ...access },
    },
  }
  const { status } = await client.create<SubjectAccessReview>(subjectAccessReviews, review, { signal })
  if (status?.allowed === true && status.denied !== true) return
  const { group, resource, name } = access
  throw forbidden({ group, plural: resource }, name, describe(caller, access, status?.reason ?? ''))
}

function describe({ username }: Caller, { verb, resource, subresource, group, namespace }: Access, reason: string): string {
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const why = reason === '' ? '' : `: ${reason}`
  return `User "${username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}${why}`
}
