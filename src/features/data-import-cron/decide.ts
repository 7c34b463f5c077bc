import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { decidePoll, type PollObservation, type PollStep } from './digest/decide-poll.ts'
import { startedMsOf, type Import } from './imports/import.ts'
import { importName, isDigest, wantedName } from './imports/import-name.ts'
import { byLastUse, garbageOf, importsToKeep } from './imports/retention.ts'
import { names } from './names.ts'
import type { Ownership } from './ownership.ts'
import { decideBoot, type BootObservation, type BootStep } from './verification/boot.ts'
import { bootWishOf, type BootWish } from './verification/wish.ts'

/** A DataImportCron with all that it has made. */
export interface Observed extends PollObservation {
  readonly ownership: Ownership
  /** The DataSource that is to lead to this one's. */
  readonly alias: { readonly name: string; readonly ownership: Ownership } | undefined
  /** By name. */
  readonly imports: ReadonlyMap<string, Import>
  /** Storage class of claims that are made now; undefined while there is none. */
  readonly storageClass: string | undefined
  /** Names of images that a DataSource names, or that are being copied. */
  readonly inUse: ReadonlySet<string>
  readonly boot: BootObservation
  /** Returns what has a name and is no import of this DataImportCron. */
  readonly strangerOf: (name: string) => Stranger | undefined
}

/** A DataVolume or claim with the name of an import. */
export interface Stranger {
  readonly dataVolume: DataVolume | undefined
  readonly claim: PersistentVolumeClaim | undefined
  /** It was made by a DataImportCron that is gone. */
  readonly isLeft: boolean
}

/** What to do for a DataImportCron. The parts are done in this order. */
export interface Decision {
  readonly poll: PollStep
  /** Digest of the image that is wanted; empty while it is unknown. */
  readonly digest: string
  /** Name of its import; undefined without a digest that names can be made of. */
  readonly wanted: string | undefined
  /** Imports that cannot be used: broken ones, and those of older digests that have not begun. */
  readonly remove: readonly Import[]
  /** Import to begin. `stranger`: what has its name already. */
  readonly begin: { readonly name: string; readonly digest: string; readonly stranger: Stranger | undefined } | undefined
  /** Image that the DataSource is to name; undefined: it stays as it is. */
  readonly target: Import | undefined
  /** The DataSource names it already. */
  readonly isSelected: boolean
  readonly pin: Pin | undefined
  readonly boot: BootStep
  readonly bootWish: BootWish | undefined
  readonly garbage: readonly Import[]
  /** Milliseconds after which something is due. */
  readonly recheckMs: number | undefined
}

/** The import that a user wants the DataSource to name. */
export interface Pin {
  readonly value: string
  readonly image: Import | undefined
}

const defaultDeadlineMs = 6 * 3_600_000

/** Returns the time for an import. Pure. */
export function importDeadlineMs({ metadata }: Observed['cron']): number {
  return durationMs(metadata.annotations?.[names.importDeadline] ?? '') ?? defaultDeadlineMs
}

/** Decides what to do for a DataImportCron. Pure. */
export function decide(observed: Observed): Decision {
  const { cron, ownership, imports, nowMs } = observed
  const poll = decidePoll(observed)
  const digest = poll.kind === 'record' ? poll.digest : (cron.metadata.annotations?.[names.desiredDigest] ?? '')
  const isManaged = ownership.kind !== 'foreign'
  const wanted = isDigest(digest)
    ? wantedName(importName(cron.spec.managedDataSource ?? '', digest), observed.storageClass, imports)
    : undefined
  const pin = pinOf(observed)
  const bootWish = bootWishOf(cron)
  const selected = selectedOf(observed)
  const target = isManaged ? targetOf(observed, { wanted, pin, selected, bootWish }) : undefined
  const isSelected = target !== undefined && target === selected
  const candidate = isManaged && bootWish !== undefined ? unbootedOf(observed, wanted, selected) : undefined
  const kept = new Set(
    [target, selected, pin?.image, candidate].flatMap((each) => each?.name ?? []).concat(wanted ?? [], [...observed.inUse]),
  )
  const isSettled = isManaged && isSelected
  const remove = isManaged && wanted !== undefined ? unusable(observed, wanted) : []
  return {
    poll,
    digest,
    wanted,
    remove,
    begin:
      isManaged && wanted !== undefined && mayBegin(observed, wanted)
        ? { name: wanted, digest, stranger: observed.strangerOf(wanted) }
        : undefined,
    target,
    isSelected,
    pin,
    boot: decideBoot(candidate, bootWish, observed.boot, nowMs),
    bootWish,
    // What the DataSource names now is known for sure only once it names what it should.
    garbage: isSettled ? garbageOf([...imports.values()], importsToKeep(cron), kept) : [],
    recheckMs: recheckOf(observed, poll),
  }
}

function pinOf({ cron, imports }: Observed): Pin | undefined {
  const value = cron.metadata.annotations?.[names.pin] ?? ''
  if (value === '') return undefined
  const image = [...imports.values()]
    .toSorted(byLastUse)
    .find(({ name, digest, state }) => state === 'complete' && (name === value || digest === value))
  return { value, image }
}

/** The complete image that the DataSource names. */
function selectedOf({ cron, ownership, imports }: Observed): Import | undefined {
  if (ownership.kind !== 'ours' && ownership.kind !== 'toTakeOver') return undefined
  const { pvc } = ownership.dataSource.spec.source
  if (pvc === undefined || (pvc.namespace || cron.metadata.namespace) !== cron.metadata.namespace) return undefined
  const image = imports.get(pvc.name)
  return image?.state === 'complete' ? image : undefined
}

interface Choice {
  readonly wanted: string | undefined
  readonly pin: Pin | undefined
  readonly selected: Import | undefined
  readonly bootWish: BootWish | undefined
}

/**
 * The wanted image once it is complete, and boots if it has to. Until then one that was begun after
 * the image in use, and else that. An image that is lost is replaced by the one used last.
 */
function targetOf({ imports }: Observed, { wanted, pin, selected, bootWish }: Choice): Import | undefined {
  if (pin !== undefined) return pin.image ?? selected
  const usable = [...imports.values()]
    .filter(({ state, boot }) => state === 'complete' && boot !== 'failed' && (bootWish === undefined || boot === 'passed'))
    .toSorted(byLastUse)
  const first = usable.find(({ name }) => name === wanted) ?? usable[0]
  if (first === undefined || selected === undefined) return selected ?? first
  return first.name === wanted || first.lastUse > selected.lastUse ? first : selected
}

/** The image to boot next: the wanted one, or one that was begun after the image in use. */
function unbootedOf({ imports }: Observed, wanted: string | undefined, selected: Import | undefined): Import | undefined {
  const unbooted = [...imports.values()]
    .filter((each) => each.state === 'complete' && each.boot === undefined && each !== selected)
    .toSorted(byLastUse)
  const first = unbooted.find(({ name }) => name === wanted) ?? unbooted[0]
  if (first === undefined || first.name === wanted || selected === undefined) return first
  return first.lastUse > selected.lastUse ? first : undefined
}

/**
 * Imports to remove. One that makes progress may end, also when its image is outdated: images that
 * change faster than they are read would never be complete.
 */
function unusable({ cron, imports, storageClass }: Observed, wanted: string): readonly Import[] {
  const lastPollMs = Date.parse(cron.metadata.annotations?.[names.lastCronTime] ?? '')
  return [...imports.values()].filter((each) => {
    if (each.dataVolume === undefined || !['waiting', 'broken'].includes(each.state)) return false
    if (each.name !== wanted) return true
    if (each.state === 'waiting') return isOnOtherClass(each, storageClass)
    // One that has failed is tried again with the next look at the source. One that took too long,
    // or
    // has lost its content, is begun anew.
    return each.dataVolume.status?.phase !== 'Failed' || lastPollMs > (startedMsOf(each) ?? 0)
  })
}

/** The default storage class has changed before there was a volume. */
function isOnOtherClass({ claim }: Import, storageClass: string | undefined): boolean {
  const present = claim?.spec?.storageClassName
  return claim?.status?.phase === 'Pending' && storageClass !== undefined && present !== undefined && present !== storageClass
}

function mayBegin({ imports }: Observed, wanted: string): boolean {
  if (imports.has(wanted)) return false
  return ![...imports.values()].some(({ state }) => state === 'busy')
}

/** A pod that does not start shows no change. */
const pollerMs = 60_000
/** Longest time between looks: timers have a limit, and clocks are set. */
const mostMs = 3_600_000

function recheckOf({ cron, imports, nowMs, boot }: Observed, poll: PollStep): number | undefined {
  const next =
    poll.kind === 'record' || poll.kind === 'recordFailure'
      ? poll.nextMs
      : Date.parse(cron.metadata.annotations?.[names.nextCronTime] ?? '')
  const deadlineMs = importDeadlineMs(cron)
  const { timeoutMs = 0 } = bootWishOf(cron) ?? {}
  const times = [
    ...(cron.spec.schedule === '' || next === undefined || Number.isNaN(next) ? [] : [next]),
    ...(poll.kind === 'awaitPoller' || poll.kind === 'startPoller' ? [nowMs + pollerMs] : []),
    ...[...imports.values()].flatMap((each) =>
      each.state === 'busy' || each.state === 'waiting' ? [(startedMsOf(each) ?? nowMs) + deadlineMs] : [],
    ),
    ...(boot.vm === undefined ? [] : [Date.parse(boot.vm.metadata.creationTimestamp ?? '') + timeoutMs]),
  ].filter((time) => !Number.isNaN(time))
  if (times.length === 0) return undefined
  return Math.min(mostMs, Math.max(1_000, Math.min(...times) - nowMs))
}
