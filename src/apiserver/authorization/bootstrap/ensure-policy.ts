import { managedByLabel } from '#api/access/managed.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { RequestContext, Target, Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { BindingObject } from '../policy.ts'
import { bootstrapPolicy } from './bootstrap-policy.ts'

const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'

interface PolicyLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Fields of a role or binding that the server maintains. */
function contentOf(object: KubeObject): string {
  const { rules, aggregationRule, subjects, roleRef } = object as Record<string, unknown>
  // The aggregation controller writes the rules of aggregated roles.
  return JSON.stringify([
    aggregationRule === undefined ? (rules ?? null) : null,
    aggregationRule ?? null,
    subjects ?? null,
    roleRef ?? null,
  ])
}

async function ensure(verbs: Verbs, target: Target, wanted: KubeObject, context: RequestContext): Promise<void> {
  try {
    const { object } = await verbs.get(target, context)
    // An administrator has disabled updates with the annotation, as in Kubernetes.
    if (object.metadata?.annotations?.[autoUpdate] !== 'true')
      return await ensureSubjects(verbs, target, { object: object as BindingObject, wanted: wanted as BindingObject }, context)
    if (contentOf(object) === contentOf(wanted)) return
    const metadata = { ...object.metadata, labels: { ...object.metadata?.labels, ...wanted.metadata?.labels } }
    await verbs.update(target, { object: { ...wanted, metadata }, duplicates: [] }, internalMutation, context)
  } catch (error) {
    if (!isNotFound(error)) throw error
    await verbs.create({ ...target, name: '' }, { object: wanted, duplicates: [] }, internalMutation, context)
  }
}

/**
 * Adds the subjects that a binding of the operator lacks. A component that got another username
 * with this release must have its rights before the operator runs.
 */
async function ensureSubjects(
  verbs: Verbs,
  target: Target,
  { object, wanted }: { readonly object: BindingObject; readonly wanted: BindingObject },
  context: RequestContext,
): Promise<void> {
  if (object.metadata?.labels?.[managedByLabel] === undefined) return
  const known = object.subjects ?? []
  const missing = (wanted.subjects ?? []).filter((subject) => !known.some((each) => deepEqual(each, subject)))
  if (missing.length === 0) return
  const whole: BindingObject = { ...object, subjects: [...known, ...missing] }
  await verbs.update(target, { object: whole, duplicates: [] }, internalMutation, context)
}

/**
 * Creates missing bootstrap roles and bindings, and updates those with the autoupdate annotation.
 */
export async function ensureBootstrapPolicy(verbs: Verbs, registry: ResourceRegistry, log: PolicyLog): Promise<void> {
  const clusterRoles = registry.find('rbac.authorization.k8s.io', 'v1', 'clusterroles')
  const clusterRoleBindings = registry.find('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings')
  if (clusterRoles === undefined || clusterRoleBindings === undefined) {
    return log.warn({}, 'No roles are served, so only members of system:masters have access')
  }
  const context = internalContext('system:apiserver', 'steadyvm-apiserver')
  const { roles, bindings } = bootstrapPolicy()
  const wanted = [
    ...roles.map((object) => ({ definition: clusterRoles, object })),
    ...bindings.map((object) => ({ definition: clusterRoleBindings, object })),
  ]
  // Concurrent, so that they share a commit.
  await Promise.all(
    wanted.map(({ definition, object }) =>
      ensure(verbs, { definition, namespace: '', name: object.metadata?.name ?? '', subresource: '' }, object, context),
    ),
  )
}
