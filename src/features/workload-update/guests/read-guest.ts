import type { Pod } from '#api/core/v1/pod.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { summarizeAttempts, isCancellable, migrationsByVmi } from '#features/evacuation/index.ts'
import { evictionOutcome } from '#features/eviction/index.ts'
import { isPluggingMemory, isPluggingSockets, podsByVmi } from '#features/vmi/index.ts'
import type { GuestFacts } from './facts.ts'
import { updateNames } from '../names.ts'
import type { Ports } from '../ports.ts'

/** Conditions that say that something waits for a migration. */
const pluggingConditions: readonly string[] = ['HotMemoryChange', 'MigrationRequired', 'VolumesChange', 'HotVCPUChange']

/** What facts were made of. Lists of a cache are the same for as long as what is in them is. */
interface Source {
  readonly pods: readonly Pod[]
  readonly migrations: readonly VirtualMachineInstanceMigration[]
  readonly config: ClusterConfig
  readonly resumedAt: number
}

/**
 * Finds out about a guest. Failures before `resumedAt`, in milliseconds since the epoch, do not
 * count. Undefined for one that does not run, or is about to stop.
 */
export type GuestReader = (vmi: VirtualMachineInstance, resumedAt: number) => GuestFacts | undefined

/**
 * Reads guests, and each of them once for as long as nothing of it changes: thousands are looked at
 * every few seconds, of which a few have changed.
 */
export function createGuestReader(ports: Ports): GuestReader {
  const known = new WeakMap<VirtualMachineInstance, Source & { readonly facts: GuestFacts | undefined }>()
  return (vmi, resumedAt) => {
    const pods = ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')
    const migrations = ports.migrations.byIndex(migrationsByVmi, keyOf(vmi))
    const config = ports.config()
    const before = known.get(vmi)
    if (
      before !== undefined &&
      before.config === config &&
      Object.is(before.resumedAt, resumedAt) &&
      isSameList(before.pods, pods) &&
      isSameList(before.migrations, migrations)
    ) {
      return before.facts
    }
    const source = { pods, migrations, config, resumedAt }
    const facts = factsOf(vmi, source, ports.launcherImage)
    known.set(vmi, { ...source, facts })
    return facts
  }
}

/**
 * Whether something may have to be done about a guest, or said of it, as far as it tells itself: a
 * migration of one that needs none is another reason to look.
 */
export function isUpdateCandidate({ metadata, status }: VirtualMachineInstance, launcherImage: string): boolean {
  return (
    (status?.launcherContainerImageVersion ?? '') !== launcherImage ||
    metadata.labels?.[updateNames.outdatedLabel] !== undefined ||
    status?.conditions?.some(({ type }) => type === updateNames.pendingCondition || pluggingConditions.includes(type)) === true
  )
}

function isSameList(a: readonly object[], b: readonly object[]): boolean {
  return a === b || (a.length === b.length && a.every((item, index) => item === b[index]))
}

/** `namespace/name` of an object. */
export function keyOf({ metadata }: VirtualMachineInstance): string {
  return `${metadata.namespace}/${metadata.name}`
}

function factsOf(vmi: VirtualMachineInstance, { pods, migrations, config, resumedAt }: Source, image: string): GuestFacts | undefined {
  const { metadata, spec, status } = vmi
  if (isBeingDeleted({ metadata }) || status?.phase !== 'Running') return undefined
  if (launcherOf(pods, vmi) === undefined) return undefined
  const own = migrations.filter((migration) => isOurs(migration) && [undefined, image].includes(targetImageOf(migration)))
  const running = migrations.find((migration) => !isMigrationFinal(migration))
  const migratable = findCondition(status.conditions, 'LiveMigratable')
  return {
    key: keyOf(vmi),
    node: status.nodeName ?? '',
    image: status.launcherContainerImageVersion ?? '',
    startedAt: Date.parse(status.phaseTransitionTimestamps?.findLast(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp ?? ''),
    hardware: `${status.machine?.type ?? ''}/${spec.domain.cpu?.model ?? ''}`,
    isPlugging: isPlugging(vmi, own),
    isOptedOut: metadata.annotations?.[updateNames.optOutAnnotation] !== undefined,
    evictionOutcome: evictionOutcome(vmi, config),
    notMigratable: migratable?.status === 'True' ? undefined : (migratable?.reason ?? 'its node agent has not said yet that it can'),
    migration: running === undefined ? undefined : { isOurs: isOurs(running), isEarly: isCancellable(running) && !isBegun(vmi, running) },
    attempts: summarizeAttempts(own.filter((migration) => !isBeforeResume(migration, resumedAt))),
  }
}

/**
 * Whether the agents have a migration in their hands, whatever its phase says: who writes that may
 * have died. It may have come through already.
 */
function isBegun({ status }: VirtualMachineInstance, { metadata }: VirtualMachineInstanceMigration): boolean {
  return status?.migrationState?.migrationUid === metadata.uid
}

/** The pod that the guest runs in. */
export function launcherOf(pods: readonly Pod[], { status }: VirtualMachineInstance): Pod | undefined {
  return pods.find((pod) => !isBeingDeleted(pod) && pod.spec.nodeName === status?.nodeName && pod.status?.phase === 'Running')
}

/**
 * Whether something waits for a migration. One that has come through since it began to wait was not
 * what it waits for, and another would not be.
 */
function isPlugging(vmi: VirtualMachineInstance, own: readonly VirtualMachineInstanceMigration[]): boolean {
  const { conditions } = vmi.status ?? {}
  const all = [
    ...['MigrationRequired', 'VolumesChange'].filter((type) => isTrue(conditions, type)),
    ...(isPluggingMemory(vmi) ? ['HotMemoryChange'] : []),
    ...(isPluggingSockets(vmi) ? ['HotVCPUChange'] : []),
  ]
  if (all.length === 0) return false
  const since = Math.max(...all.map((type) => Date.parse(findCondition(conditions, type)?.lastTransitionTime ?? '') || 0))
  return !own.some(({ metadata, status }) => status?.phase === 'Succeeded' && Date.parse(metadata.creationTimestamp ?? '') >= since)
}

function isOurs({ metadata }: VirtualMachineInstanceMigration): boolean {
  return metadata.annotations?.[updateNames.migrationAnnotation] !== undefined
}

/** The image that a migration is for; undefined when it only completes what was plugged in. */
export function targetImageOf({ metadata }: VirtualMachineInstanceMigration): string | undefined {
  return metadata.annotations?.[updateNames.imageAnnotation]
}

/** Whether what has become of a migration does not count any more. */
export function isBeforeResume({ metadata }: VirtualMachineInstanceMigration, resumedAt: number): boolean {
  return !Number.isNaN(resumedAt) && Date.parse(metadata.creationTimestamp ?? '') < resumedAt
}
