import { isHistory } from './collect-references.ts'
import type { Referrer } from '../types.ts'

/** Which condition of the KubeVirt object tells that nothing is left to do. */
export const upToDateCondition = 'InstancetypeRevisionsUpToDate'

/** Where things are, for the commands that settle them. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/**
 * Lets the controllers finish, also the collector of what was shared, who is in no hurry.
 * `kubevirt` is the object that carries the condition.
 */
export function waitCommand(kubevirt: ObjectName): string {
  return `kubectl wait kubevirt/${kubevirt.name} -n ${kubevirt.namespace} --for=condition=${upToDateCondition} --timeout=15m`
}

/** Deletes a revision that nobody needs. */
export function deleteCommand({ namespace, name }: ObjectName): string {
  return `kubectl delete controllerrevision ${name} -n ${namespace}`
}

/**
 * Waits for a revision that is being deleted already: whoever put its finalizers there has to let
 * it go.
 */
export function awaitDeletionCommand({ namespace, name }: ObjectName): string {
  return `kubectl wait controllerrevision/${name} -n ${namespace} --for=delete --timeout=15m`
}

/**
 * Gives up what cannot be used any more. A VM takes the newest generation of what it names; a guest
 * gets what its VM has; a snapshot goes. The VM comes first: what it names is what its guest gets
 * next.
 */
export function replaceCommand(namespace: string, referrers: readonly Referrer[]): string | undefined {
  for (const kind of ['VirtualMachine', 'ControllerRevision', 'VirtualMachineSnapshotContent'] as const) {
    const found = referrers.find((referrer) => referrer.kind === kind && !isHistory(referrer))
    if (found !== undefined) return `${remedies[kind](found.subject)} -n ${namespace}`
  }
  return undefined
}

const remedies: Readonly<Record<Referrer['kind'], (subject: string) => string>> = {
  VirtualMachine: (subject) => `steadyvm rollout refresh ${subject}`,
  ControllerRevision: (subject) => `virtctl restart ${subject.replace(/^vmi\//, '')}`,
  VirtualMachineSnapshotContent: (subject) => `kubectl delete ${subject}`,
}

/** Rewrites the stored objects of a kind. */
export function migrateCommand(definition: string): string {
  return `steadyvm revisions migrate-storage ${definition}`
}
