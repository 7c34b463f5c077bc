import type { PolicyRule } from '../policy.ts'

/** The roles that people bind, and that others add to. */
type UserRole = 'admin' | 'edit' | 'view'

/** One role of the bootstrap policy, and who holds it from the start. */
export interface BootstrapRole {
  readonly name: string
  readonly rules?: readonly PolicyRule[]
  /** The role that this one is part of. */
  readonly aggregateTo?: UserRole
  /** Has the rules of all roles that are part of it, and none of its own. */
  readonly aggregates?: UserRole
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
  /**
   * Who keeps it from then on: it is made when it is missing, and left alone otherwise. Nobody: the
   * server itself does.
   */
  readonly keptBy?: 'virt-operator'
}

/** Verbs that change nothing. */
export const read: readonly string[] = ['get', 'list', 'watch']
/** Verbs that change something. */
export const write: readonly string[] = ['create', 'delete', 'deletecollection', 'patch', 'update']
/** Every verb on stored objects. */
export const all: readonly string[] = [...read, ...write] as const

/** Verbs on resources of one or several groups. */
export function rule(group: string | readonly string[], resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group].flat(), resources, verbs }
}

/** Reading of paths outside of resources. */
export function paths(...nonResourceURLs: readonly string[]): PolicyRule {
  return { nonResourceURLs, verbs: ['get'] }
}

/** Groups of what belongs to virtual machines. */
export const vmGroups = [
  'kubevirt.io',
  'pool.kubevirt.io',
  'snapshot.kubevirt.io',
  'clone.kubevirt.io',
  'export.kubevirt.io',
  'cdi.kubevirt.io',
] as const
/** What sizes virtual machines, in a namespace. */
export const instancetypes = ['virtualmachineinstancetypes', 'virtualmachinepreferences'] as const
/** The same for the whole cluster. */
export const clusterInstancetypes = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'] as const

/** To ask who a caller is, and what it may do. */
export const askAccess: readonly PolicyRule[] = [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
]
