import type { Node } from '#api/core/v1/node.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { settingAnnotations } from '#features/cluster-config/index.ts'
import { names, releaseMark } from '#features/vmi/index.ts'
import { classesOf } from './rollout/class-records.ts'
import type { NodeFacts, Observed } from './guests/facts.ts'
import { isConcerned, type GuestReader } from './guests/read-guest.ts'
import { concerned, underWay, type Ports } from './ports.ts'

/** Looks at the guests that something may have to be done about, and at what is moving. */
export function observe(ports: Ports, kubevirt: KubeVirt, vmis: readonly VirtualMachineInstance[], read: GuestReader): Observed {
  const { launcherImage: image } = ports
  const leaving = new Map<string, number>()
  for (const migration of ports.migrations.byIndex(underWay, underWay)) {
    const source = guestOf(ports, migration)?.status?.nodeName ?? ''
    leaving.set(source, (leaving.get(source) ?? 0) + 1)
  }
  const resumedAt = Date.parse(kubevirt.metadata.annotations?.[settingAnnotations.updateResumedAt] ?? '')
  const { image: batchImage, lastBatchTime } = kubevirt.status?.steadyvm?.workloadUpdate ?? {}
  return {
    image,
    guests: vmis.flatMap((vmi) => read(vmi, resumedAt) ?? []),
    nodes: ports.nodes.list().map((node) => nodeFacts(node, image)),
    classes: classesOf(ports.migrations.list(), image, resumedAt),
    leaving,
    lastBatchAt: batchImage === image && lastBatchTime !== undefined ? Date.parse(lastBatchTime) : undefined,
  }
}

/** The guests that something may have to be done about, or said of. */
export function concernedGuests(ports: Pick<Ports, 'vmis' | 'migrations' | 'launcherImage'>): readonly VirtualMachineInstance[] {
  const moving = new Set(ports.migrations.byIndex(underWay, underWay).flatMap((migration) => guestOf(ports, migration) ?? []))
  const byThemselves = ports.vmis.byIndex(concerned, concerned)
  return [...byThemselves, ...[...moving].filter((vmi) => !isConcerned(vmi, ports.launcherImage))]
}

function guestOf({ vmis }: Pick<Ports, 'vmis'>, { metadata, spec }: VirtualMachineInstanceMigration): VirtualMachineInstance | undefined {
  return vmis.get(metadata.namespace ?? '', spec.vmiName ?? '')
}

function nodeFacts({ metadata, spec, status }: Node, image: string): NodeFacts {
  const labels = metadata.labels ?? {}
  const isOpen = spec?.unschedulable !== true && labels[names.schedulableLabel] === 'true' && isTrue(status?.conditions, 'Ready')
  return { name: metadata.name ?? '', isOpen, isUpdated: labels[names.releaseLabel] === releaseMark(image) }
}
