import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { attemptsOf, isEarly, isOver, migrationsByVmi } from '#features/evacuation/index.ts'
import { fateOf } from '#features/eviction/index.ts'
import { isPluggingSockets, names, podsByVmi, releaseMark } from '#features/vmi/index.ts'
import type { ClassRecord, GuestFacts, NodeFacts, Observed } from './facts.ts'
import { updateNames } from './names.ts'
import type { Ports } from './ports.ts'

/** Looks at all guests, and at what is moving. */
export function observe(ports: Ports, kubevirt: KubeVirt): Observed {
  const { launcherImage: image } = ports
  const migrations = ports.migrations.list()
  const vmis = ports.vmis.list()
  const sources = new Map(vmis.map((vmi) => [keyOf(vmi), vmi.status?.nodeName ?? '']))
  const leaving = new Map<string, number>()
  for (const migration of migrations.filter((one) => !isOver(one))) {
    const source = sources.get(`${migration.metadata.namespace}/${migration.spec.vmiName}`) ?? ''
    leaving.set(source, (leaving.get(source) ?? 0) + 1)
  }
  const resumedAt = Date.parse(kubevirt.metadata.annotations?.[updateNames.resumedAnnotation] ?? '')
  const { image: batchImage, lastBatchTime } = kubevirt.status?.steadyvm?.workloadUpdate ?? {}
  return {
    image,
    guests: vmis.flatMap((vmi) => factsOf(ports, vmi, resumedAt) ?? []),
    nodes: ports.nodes.list().map((node) => nodeFacts(node, image)),
    classes: classesOf(migrations.filter((migration) => isForgiven(migration, resumedAt) === false && targetOf(migration) === image)),
    leaving,
    lastBatchAt: batchImage === image && lastBatchTime !== undefined ? Date.parse(lastBatchTime) : undefined,
  }
}

/** `namespace/name` of an object. */
export function keyOf({ metadata }: VirtualMachineInstance): string {
  return `${metadata.namespace}/${metadata.name}`
}

/** Undefined for a guest that does not run, or is about to stop. */
function factsOf(ports: Ports, vmi: VirtualMachineInstance, resumedAt: number): GuestFacts | undefined {
  const { metadata, spec, status } = vmi
  if (metadata.deletionTimestamp !== undefined || status?.phase !== 'Running') return undefined
  if (launcherOf(ports.pods.byIndex(podsByVmi, metadata.uid ?? ''), vmi) === undefined) return undefined
  const migrations = ports.migrations.byIndex(migrationsByVmi, keyOf(vmi))
  const own = migrations.filter((migration) => isOurs(migration) && [undefined, ports.launcherImage].includes(targetOf(migration)))
  const running = migrations.find((migration) => !isOver(migration))
  const migratable = findCondition(status.conditions, 'LiveMigratable')
  return {
    key: keyOf(vmi),
    node: status.nodeName ?? '',
    image: status.launcherContainerImageVersion ?? '',
    startedAt: Date.parse(status.phaseTransitionTimestamps?.findLast(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp ?? ''),
    hardware: `${status.machine?.type ?? ''}/${spec.domain.cpu?.model ?? ''}`,
    isPlugging: isPlugging(vmi, own),
    isOptedOut: metadata.annotations?.[updateNames.optOutAnnotation] !== undefined,
    fate: fateOf(vmi, ports.config()),
    unmovable: migratable?.status === 'True' ? undefined : (migratable?.reason ?? 'its node agent has not said yet that it can'),
    moving: running === undefined ? undefined : { isOurs: isOurs(running), isEarly: isEarly(running) && !isBegun(vmi, running) },
    attempts: attemptsOf(own.filter((migration) => !isForgiven(migration, resumedAt))),
  }
}

/** Whether the agents have a migration in their hands, whatever its phase says: who writes that may have died. It may have come through already. */
function isBegun({ status }: VirtualMachineInstance, { metadata }: VirtualMachineInstanceMigration): boolean {
  return status?.migrationState?.migrationUid === metadata.uid
}

/** The pod that the guest runs in. */
export function launcherOf(pods: readonly Pod[], { status }: VirtualMachineInstance): Pod | undefined {
  return pods.find(
    (pod) => pod.metadata.deletionTimestamp === undefined && pod.spec.nodeName === status?.nodeName && pod.status?.phase === 'Running',
  )
}

/** Whether something waits for a migration. One that has come through since it began to wait was not what it waits for, and another would not be. */
function isPlugging(vmi: VirtualMachineInstance, own: readonly VirtualMachineInstanceMigration[]): boolean {
  const { conditions } = vmi.status ?? {}
  const waits = ['HotMemoryChange', 'MigrationRequired', 'VolumesChange'].filter((type) => isTrue(conditions, type))
  const all = isPluggingSockets(vmi) ? [...waits, 'HotVCPUChange'] : waits
  if (all.length === 0) return false
  const since = Math.max(...all.map((type) => Date.parse(findCondition(conditions, type)?.lastTransitionTime ?? '') || 0))
  return !own.some(({ metadata, status }) => status?.phase === 'Succeeded' && Date.parse(metadata.creationTimestamp ?? '') >= since)
}

function nodeFacts({ metadata, spec, status }: Node, image: string): NodeFacts {
  const labels = metadata.labels ?? {}
  const isOpen = spec?.unschedulable !== true && labels[names.schedulableLabel] === 'true' && isTrue(status?.conditions, 'Ready')
  return { name: metadata.name ?? '', isOpen, isUpdated: labels[names.releaseLabel] === releaseMark(image) }
}

/** How the classes have fared, by the migrations that there still are. */
function classesOf(migrations: readonly VirtualMachineInstanceMigration[]): ReadonlyMap<string, ClassRecord> {
  const byClass = Map.groupBy(migrations, ({ metadata }) => metadata.annotations?.[updateNames.classAnnotation] ?? '')
  return new Map(
    [...byClass].map(([name, alike]) => {
      const { failures, lastReason } = attemptsOf(alike)
      const successes = alike.filter(({ status }) => status?.phase === 'Succeeded').length
      return [name, { successes, failures: failures.length, lastReason, inFlight: alike.filter((one) => !isOver(one)).length }]
    }),
  )
}

function isOurs({ metadata }: VirtualMachineInstanceMigration): boolean {
  return metadata.annotations?.[updateNames.migrationAnnotation] !== undefined
}

function targetOf({ metadata }: VirtualMachineInstanceMigration): string | undefined {
  return metadata.annotations?.[updateNames.imageAnnotation]
}

function isForgiven({ metadata }: VirtualMachineInstanceMigration, resumedAt: number): boolean {
  return Date.parse(metadata.creationTimestamp ?? '') < resumedAt
}
