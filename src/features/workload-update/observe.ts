import type { Node } from '#api/core/v1/node.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { attemptsOf, isOver } from '#features/evacuation/index.ts'
import { names, releaseMark } from '#features/vmi/index.ts'
import type { ClassRecord, NodeFacts, Observed } from './facts.ts'
import { isForgiven, targetOf, type GuestReader } from './guest-facts.ts'
import { updateNames } from './names.ts'
import type { Ports } from './ports.ts'

/** Looks at all guests, and at what is moving. */
export function observe(ports: Ports, kubevirt: KubeVirt, read: GuestReader): Observed {
  const { launcherImage: image } = ports
  const migrations = ports.migrations.list()
  const leaving = new Map<string, number>()
  for (const { metadata, spec } of migrations.filter((one) => !isOver(one))) {
    const source = ports.vmis.get(metadata.namespace ?? '', spec.vmiName ?? '')?.status?.nodeName ?? ''
    leaving.set(source, (leaving.get(source) ?? 0) + 1)
  }
  const resumedAt = Date.parse(kubevirt.metadata.annotations?.[updateNames.resumedAnnotation] ?? '')
  const { image: batchImage, lastBatchTime } = kubevirt.status?.steadyvm?.workloadUpdate ?? {}
  return {
    image,
    guests: ports.vmis.list().flatMap((vmi) => read(vmi, resumedAt) ?? []),
    nodes: ports.nodes.list().map((node) => nodeFacts(node, image)),
    classes: classesOf(migrations.filter((migration) => isForgiven(migration, resumedAt) === false && targetOf(migration) === image)),
    leaving,
    lastBatchAt: batchImage === image && lastBatchTime !== undefined ? Date.parse(lastBatchTime) : undefined,
  }
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
