import type { AggregatedRole } from '#api/access/user-roles.ts'
import type { PolicyRule } from '../policy.ts'

/** A role of the bootstrap policy with its subjects. */
export interface BootstrapRole {
  readonly name: string
  readonly rules?: readonly PolicyRule[]
  /** Role that includes this one. */
  readonly aggregateTo?: AggregatedRole
  /** Makes this an aggregated role without rules of its own. */
  readonly aggregates?: AggregatedRole
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
  readonly serviceAccounts?: readonly { readonly namespace: string; readonly name: string }[]
  /** Component that maintains the role after its creation. Default: the server. */
  readonly keptBy?: 'virt-operator'
}

/** Verbs for reading. */
export const read: readonly string[] = ['get', 'list', 'watch']
/** Verbs for writing. */
export const write: readonly string[] = ['create', 'delete', 'deletecollection', 'patch', 'update']
/** Every verb on stored objects. */
export const all: readonly string[] = [...read, ...write] as const

/** Builds a rule for resources. */
export function rule(group: string | readonly string[], resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group].flat(), resources, verbs }
}

/** Builds a rule for `get` on paths. */
export function paths(...nonResourceURLs: readonly string[]): PolicyRule {
  return { nonResourceURLs, verbs: ['get'] }
}

/** TokenReview and SubjectAccessReview. */
export const askAccess: readonly PolicyRule[] = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
]
