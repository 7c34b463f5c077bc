import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { ManagedKind } from '../../components/rendering/components.ts'
import type { ManagedObject } from './observe.ts'

/** The next step of the teardown. The following one is derived from the state after it. */
export type TeardownStep =
  | {
      readonly do: 'delete'
      /** Those of the current stage that nothing has deleted yet. */
      readonly objects: readonly ManagedObject[]
    }
  | { readonly do: 'wait' | 'finish' }

/** Components that others depend on, in the order in which they are removed after those. */
const lastComponents: readonly string[] = ['kubevirt', 'cdi', 'priority-class']

/**
 * Decides the next step: first all objects that build upon virtual machines and their disks, then
 * KubeVirt, then CDI, which holds the disks, then what pods of all of them refer to. Each stage
 * waits until the objects of the one before are gone. Pure, and derived from stored state, so that
 * it survives a kill between any two steps.
 */
export function decideTeardown(managed: readonly ManagedObject[]): TeardownStep {
  if (managed.length === 0) return { do: 'finish' }
  const current = stageOf(managed)
  const objects = current.filter(({ object }) => !isBeingDeleted(object))
  return objects.length === 0 ? { do: 'wait' } : { do: 'delete', objects }
}

/** Returns the objects that are removed now; the others follow. Pure. */
export function stageOf(managed: readonly ManagedObject[]): readonly ManagedObject[] {
  const first = Math.min(...managed.map(({ component }) => rankOf(component)))
  return managed.filter(({ component }) => rankOf(component) === first)
}

function rankOf({ name }: ManagedKind): number {
  return lastComponents.indexOf(name)
}
