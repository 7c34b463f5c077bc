import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePool, VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { choose } from './members/choose.ts'
import { msUntilReplaced } from './members/failing.ts'
import { holdsFinalizer } from './members/finalizer.ts'
import { memberName, revisionName } from './names.ts'
import { guestUpdateOf, isOutdatedVm, revisionOf } from './update/outdated.ts'

/** A pool and what belongs to it. */
export interface Observed {
  readonly pool: VirtualMachinePool
  /** VMs that the pool controls, in every state. */
  readonly vms: readonly VirtualMachine[]
  readonly vmiOf: (vm: VirtualMachine) => VirtualMachineInstance | undefined
  /** Specs of the ControllerRevisions that the pool owns, by name. */
  readonly revisions: ReadonlyMap<string, VirtualMachinePoolSpec>
  /** Reports whether the namespace has a VM of this name, of whatever owner. */
  readonly isTaken: (name: string) => boolean
  /** False while the cache lacks earlier writes of this controller. */
  readonly isSettled: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A VM whose guest is to be brought up to date. */
export interface GuestChange {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance
}

/** Changes of one pass; usually most are empty. */
export interface Decision {
  /** VMs being deleted, which the pool gives up. */
  readonly release: readonly VirtualMachine[]
  /** Ordinals of VMs to create. */
  readonly create: readonly number[]
  /** VMs to delete. */
  readonly remove: readonly VirtualMachine[]
  /** VMs that get the current template. */
  readonly update: readonly VirtualMachine[]
  readonly relabel: readonly GuestChange[]
  readonly restart: readonly GuestChange[]
  /** Names of revisions that nothing was made from. */
  readonly prune: readonly string[]
  /** Why the number of VMs cannot be reached; undefined if it can. */
  readonly obstacle?: string
  readonly requeueAfterMs?: number
}

/** VMs created, deleted or updated in one go at most. */
const burst = 250

const nothing: Decision = { release: [], create: [], remove: [], update: [], relabel: [], restart: [], prune: [] }

/**
 * Decides the next changes of a pool. First the number of VMs, then their template, then their
 * guests, as many at a time as may be unavailable, and last the revisions that are no longer used.
 * Pure.
 */
export function decide(observed: Observed): Decision {
  const { pool, vms, isSettled, now } = observed
  // Deletions of VMs go on, whatever the state of the pool is.
  const release = vms.filter((vm) => holdsFinalizer(vm) && (isBeingDeleted(vm) || isBeingDeleted(pool)))
  const idle = { ...nothing, release }
  if (!isSettled || pool.spec.paused === true || isBeingDeleted(pool)) return idle
  const { failed, requeueAfterMs } = findFailed(pool, vms, now)
  const recheck = requeueAfterMs === undefined ? {} : { requeueAfterMs }
  if (failed.length > 0) return { ...idle, ...recheck, remove: failed.slice(0, burst) }
  return { ...idle, ...recheck, ...(scale(observed) ?? update(observed)) }
}

function findFailed(
  { spec }: VirtualMachinePool,
  vms: readonly VirtualMachine[],
  now: number,
): { readonly failed: readonly VirtualMachine[]; readonly requeueAfterMs?: number } {
  const { autohealing } = spec
  if (autohealing === undefined) return { failed: [] }
  const waits = vms.filter((vm) => !isBeingDeleted(vm)).map((vm) => ({ vm, ms: msUntilReplaced(vm, autohealing, now) }))
  const failed = waits.flatMap(({ vm, ms }) => (ms === 0 ? [vm] : []))
  const next = Math.min(...waits.flatMap(({ ms }) => (ms === undefined || ms === 0 ? [] : [ms])))
  return { failed, ...(Number.isFinite(next) ? { requeueAfterMs: next } : {}) }
}

/** Returns changes of the number of VMs; undefined if that is as it should be, or left to users. */
function scale({ pool, vms, isTaken }: Observed): Partial<Decision> | undefined {
  const { spec } = pool
  // A VM being deleted counts: its successor has the same name, and so can only come after it.
  const surplus = vms.length - (spec.replicas ?? 1)
  if (surplus < 0) return { create: freeOrdinals(pool, Math.min(burst, -surplus), isTaken) }
  const { opportunistic, unmanaged, proactive } = spec.scaleInStrategy ?? {}
  if (surplus === 0 || opportunistic !== undefined || unmanaged !== undefined) return undefined
  const staying = vms.filter((vm) => !isBeingDeleted(vm))
  const excess = surplus - (vms.length - staying.length)
  if (excess <= 0) return {}
  const eligible = choose(staying, proactive?.selectionPolicy)
  const remove = eligible.slice(0, Math.min(burst, excess))
  if (eligible.length >= excess) return { remove }
  const where = 'spec.scaleInStrategy.proactive.selectionPolicy.selectors'
  return { remove, obstacle: `${excess} VMs are to be deleted, and ${where} matches ${eligible.length}` }
}

function freeOrdinals(pool: VirtualMachinePool, count: number, isTaken: (name: string) => boolean): number[] {
  const free: number[] = []
  for (let ordinal = 0; free.length < count; ordinal++) if (!isTaken(memberName(pool, ordinal))) free.push(ordinal)
  return free
}

function update(observed: Observed): Partial<Decision> {
  const { pool, vms, revisions } = observed
  const { opportunistic, unmanaged, proactive } = pool.spec.updateStrategy ?? {}
  if (unmanaged !== undefined) return { prune: unused(observed) }
  const staying = vms.filter((vm) => !isBeingDeleted(vm))
  const { outdated = [], current = [] } = Object.groupBy(choose(staying, proactive?.selectionPolicy), (vm) =>
    isOutdatedVm(vm, pool.spec, (name) => revisions.get(name)) ? 'outdated' : 'current',
  )
  return {
    update: outdated.slice(0, burst),
    ...(opportunistic === undefined ? updateGuests(observed, staying, current) : {}),
    ...(outdated.length === 0 ? { prune: unused(observed) } : {}),
  }
}

/** Decides about the guests of VMs that have the current template. */
function updateGuests(
  { pool, vmiOf, revisions }: Observed,
  staying: readonly VirtualMachine[],
  current: readonly VirtualMachine[],
): Pick<Decision, 'relabel' | 'restart' | 'remove'> {
  const guests = current.flatMap((vm) => {
    const vmi = vmiOf(vm)
    if (vmi === undefined || isBeingDeleted(vmi)) return []
    return [{ vm, vmi, kind: guestUpdateOf(vm, vmi, (name) => revisions.get(name)) }]
  })
  const stale = guests.filter(({ kind }) => kind === 'restart' || kind === 'replace')
  // A guest that is not ready is not worse off after a restart.
  const { ready = [], unready = [] } = Object.groupBy(stale, ({ vmi }) => (isReady(vmi) ? 'ready' : 'unready'))
  const unavailable = staying.filter((vm) => !isReady(vmiOf(vm))).length
  const now = [...unready, ...ready.slice(0, Math.max(0, mostUnavailable(pool) - unavailable))]
  return {
    relabel: guests.filter(({ kind }) => kind === 'relabel'),
    restart: now.filter(({ kind }) => kind === 'restart'),
    remove: now.filter(({ kind }) => kind === 'replace').map(({ vm }) => vm),
  }
}

function isReady(vmi: VirtualMachineInstance | undefined): boolean {
  return vmi !== undefined && !isBeingDeleted(vmi) && vmi.status?.phase === 'Running' && isTrue(vmi.status.conditions, 'Ready')
}

/** Returns the number of VMs that may be unavailable during an update: 1 at least. */
function mostUnavailable({ spec }: VirtualMachinePool): number {
  const { maxUnavailable = '100%', replicas = 1 } = spec
  const most = typeof maxUnavailable === 'number' ? maxUnavailable : Math.floor((replicas * parseInt(maxUnavailable, 10)) / 100)
  return Math.max(1, most)
}

function unused({ pool, vms, vmiOf, revisions }: Observed): string[] {
  const used = new Set([revisionName(pool), ...vms.flatMap((vm) => [revisionOf(vm), revisionOf(vmiOf(vm) ?? {})])])
  return [...revisions.keys()].filter((name) => !used.has(name))
}
