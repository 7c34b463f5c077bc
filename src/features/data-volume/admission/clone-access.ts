import { subjectAccessReviews } from '#api/authorization/v1/resources.ts'
import type { ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec } from '#api/authorization/v1/subject-access-review.ts'
import type { Client } from '#client/client.ts'

/** A user, as an access review needs it. */
export type Cloner = Pick<SubjectAccessReviewSpec, 'user' | 'groups' | 'uid' | 'extra'>

/** Returns a service account as the user that it is. Pure. */
export function serviceAccountUser(namespace: string, name: string): Cloner {
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  }
}

/**
 * Asks whether a user may copy volumes of a namespace: by the right that CDI has for it, or because
 * pods can read them anyway.
 */
export async function mayClone(client: Pick<Client, 'create'>, user: Cloner, namespace: string): Promise<boolean> {
  const ask = async (resourceAttributes: ResourceAttributes): Promise<boolean> => {
    const review: SubjectAccessReview = { metadata: {}, spec: { ...user, resourceAttributes } }
    const { status } = await client.create<SubjectAccessReview>(subjectAccessReviews, review)
    return status?.allowed === true && status.denied !== true
  }
  const create = { namespace, verb: 'create' }
  if (await ask({ ...create, group: 'cdi.kubevirt.io', resource: 'datavolumes', subresource: 'source' })) return true
  return ask({ ...create, group: '', resource: 'pods' })
}
