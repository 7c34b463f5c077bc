import { isHistory } from './collect-references.ts'
import type { Referrer } from '../types.ts'

/** Condition of the KubeVirt object that is True when all revisions are up to date. */
export const upToDateCondition = 'InstancetypeRevisionsUpToDate'

/** Name of an object in a command. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/**
 * Waits for the controllers, including the collector, which takes minutes. `kubevirt` has the
 * condition.
 */
export function waitCommand(kubevirt: ObjectName): string {
  return `kubectl wait kubevirt/${kubevirt.name} -n ${kubevirt.namespace} --for=condition=${upToDateCondition} --timeout=15m`
}

/** Deletes an unreferenced revision. */
export function deleteCommand({ namespace, name }: ObjectName): string {
  return `kubectl delete controllerrevision ${name} -n ${namespace}`
}

/** Waits until the finalizers of a revision are removed. */
export function awaitDeletionCommand({ namespace, name }: ObjectName): string {
  return `kubectl wait controllerrevision/${name} -n ${namespace} --for=delete --timeout=15m`
}

/**
 * Replaces an unusable revision: refreshes a VM, restarts a guest or deletes a snapshot. VMs come
 * first, since their guests take what they name.
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
