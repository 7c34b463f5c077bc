import { csiDrivers } from '#api/storage/v1/resources.ts'
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from '#api/admissionregistration/v1/resources.ts'
import { roleBindings } from '#api/rbac/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'

/**
 * Kinds that a bundle of the Operator Lifecycle Manager cannot contain, and role bindings of other
 * namespaces.
 */
export const unbundledKinds: readonly ResourceType<KubeObject>[] = [
  csiDrivers,
  roleBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
] as ResourceType<KubeObject>[]

/** An object of {@link unbundledKinds}. */
export interface UnbundledObject {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
}

/** Milliseconds between two applies: other clients may have changed the objects. */
const applyEveryMs = 10 * 60_000

/** Returns the resources of objects. @throws TypeError for another kind. Pure. */
export function unbundledObjects(objects: readonly KubeObject[]): readonly UnbundledObject[] {
  return objects.map((object) => {
    const resource = unbundledKinds.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion)
    if (resource === undefined) throw new TypeError(`${object.apiVersion} ${object.kind} belongs into the bundle`)
    return { resource, object }
  })
}

/**
 * Returns a function that applies the objects, at most once in ten minutes: virt-operator does so
 * where the Operator Lifecycle Manager has installed it. Elsewhere administrators apply them, and
 * virt-operator has no right to.
 */
export function createUnbundledObjects(
  { client, clock }: { readonly client: Pick<Client, 'patch'>; readonly clock: Pick<Clock, 'now'> },
  objects: readonly UnbundledObject[],
): (signal: AbortSignal) => Promise<void> {
  let appliedMs = -Infinity
  return async (signal) => {
    const now = clock.now()
    if (objects.length === 0 || now < appliedMs + applyEveryMs) return
    for (const { resource, object } of objects) {
      const { namespace, name = '' } = object.metadata ?? {}
      const patch = { type: 'apply', body: object, fieldManager: 'virt-operator', force: true } as const
      await client.patch(resource, { ...(namespace === undefined ? {} : { namespace }), name }, patch, { signal })
    }
    appliedMs = now
  }
}
