import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { decodeRevision, RevisionUndecodable, type FamilyObject } from '../codec/codec.ts'
import type { Lookup } from '../lookup.ts'
import { UnexpectedKind, type Family } from '../matcher.ts'
import { liveInCache } from './live.ts'
import { pinOf } from './pin.ts'

/** What a VM is sized by: the revision that it is pinned to, or the live object. */
export type SizeSource = KubeObject

/**
 * Returns what a matcher of the VM stands for, of what is in the cache; undefined when it is not
 * there. May be stale: for messages and metrics only.
 */
export function sizeSourceInCache(lookup: Lookup, vm: VirtualMachine, family: Family): SizeSource | undefined {
  try {
    const pin = pinOf(vm, family)
    if (pin === undefined) return liveInCache(lookup, vm, family)
    return lookup.cached?.<ControllerRevision>(controllerRevisions, vm.metadata.namespace ?? '', pin.name)
  } catch (error) {
    if (error instanceof UnexpectedKind) return undefined
    throw error
  }
}

/** Returns the instance type or preference of a source; undefined if it cannot be decoded. Pure. */
export function objectInSource<F extends Family>(source: SizeSource | undefined, family: F): FamilyObject[F] | undefined {
  if (source === undefined) return undefined
  if (source.kind !== 'ControllerRevision') return source as FamilyObject[F]
  try {
    return decodeRevision(source as ControllerRevision, family).object
  } catch (error) {
    if (error instanceof RevisionUndecodable) return undefined
    throw error
  }
}
