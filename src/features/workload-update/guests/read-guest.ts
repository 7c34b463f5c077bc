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

/** Conditions of a VMI that waits for a migration. */
const pluggingConditions: readonly string[] = ['HotMemoryChange', 'MigrationRequired', 'VolumesChange', 'HotVCPUChange']

/** Inputs of the facts. Listers return the same objects and lists while nothing changes. */
interface Source {
  readonly pods: readonly Pod[]
  readonly migrations: readonly VirtualMachineInstanceMigration[]
  readonly config: ClusterConfig
  readonly resumedAt: number
}

/**
 * Returns the facts of a guest. Failures before `resumedAt`, in milliseconds since the epoch, do
 * not count. Undefined for a guest that does not run or is being deleted.
 */
export type GuestReader = (vmi: VirtualMachineInstance, resumedAt: number) => GuestFacts | undefined

/**
 * Creates a reader that memoizes: every few seconds thousands of guests are read, of which a few
 * have changed.
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
 * Reports whether a guest may need an update or a report, judged by the VMI alone. An active
 * migration makes other guests candidates, too.
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

/** Returns `namespace/name` of an object. */
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
    notMigratable: migratable?.status === 'True' ? undefined : (migratable?.reason ?? 'its node agent has not reported LiveMigratable yet'),
    migration: running === undefined ? undefined : { isOurs: isOurs(running), isEarly: isCancellable(running) && !isBegun(vmi, running) },
    attempts: summarizeAttempts(own.filter((migration) => !isBeforeResume(migration, resumedAt))),
  }
}

/**
 * Reports whether the node agents have begun a migration, even if its phase lags behind, or have
 * completed it.
 */
function isBegun({ status }: VirtualMachineInstance, { metadata }: VirtualMachineInstanceMigration): boolean {
  return status?.migrationState?.migrationUid === metadata.uid
}

/** Returns the pod that the guest runs in. */
export function launcherOf(pods: readonly Pod[], { status }: VirtualMachineInstance): Pod | undefined {
  return pods.find((pod) => !isBeingDeleted(pod) && pod.spec.nodeName === status?.nodeName && pod.status?.phase === 'Running')
}

/**
 * Reports whether a hotplug waits for a migration. If one has succeeded since, another would not
 * help either.
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

/**
 * Returns the image that a migration updates to; undefined for one that only completes a hotplug.
 */
export function targetImageOf({ metadata }: VirtualMachineInstanceMigration): string | undefined {
  return metadata.annotations?.[updateNames.imageAnnotation]
}

/**
 * Reports whether a migration was created before updates were resumed, so that its outcome does not
 * count.
 */
export function isBeforeResume({ metadata }: VirtualMachineInstanceMigration, resumedAt: number): boolean {
  return !Number.isNaN(resumedAt) && Date.parse(metadata.creationTimestamp ?? '') < resumedAt
}
