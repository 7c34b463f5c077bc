import type { Node } from '#api/core/v1/node.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { settingAnnotations } from '#features/cluster-config/index.ts'
import { names, imageHash } from '#features/vmi/index.ts'
import { classRecords } from './rollout/class-records.ts'
import type { NodeFacts, Observed } from './guests/facts.ts'
import { isUpdateCandidate, type GuestReader } from './guests/read-guest.ts'
import { updateCandidatesIndex, activeMigrationsIndex, type Ports } from './ports.ts'

/** Reads candidates for updates, nodes and active migrations. */
export function observe(ports: Ports, kubevirt: KubeVirt, vmis: readonly VirtualMachineInstance[], read: GuestReader): Observed {
  const { launcherImage: image } = ports
  const outgoingByNode = new Map<string, number>()
  for (const migration of ports.migrations.byIndex(activeMigrationsIndex, activeMigrationsIndex)) {
    const source = guestOf(ports, migration)?.status?.nodeName ?? ''
    outgoingByNode.set(source, (outgoingByNode.get(source) ?? 0) + 1)
  }
  const resumedAt = Date.parse(kubevirt.metadata.annotations?.[settingAnnotations.updateResumedAt] ?? '')
  const { image: batchImage, lastBatchTime } = kubevirt.status?.steadyvm?.workloadUpdate ?? {}
  return {
    image,
    guests: vmis.flatMap((vmi) => read(vmi, resumedAt) ?? []),
    nodes: ports.nodes.list().map((node) => nodeFacts(node, image)),
    classes: classRecords(ports.migrations.list(), image, resumedAt),
    outgoingByNode,
    lastBatchAt: batchImage === image && lastBatchTime !== undefined ? Date.parse(lastBatchTime) : undefined,
  }
}

/** Returns the guests that may need an update or a report. */
export function updateCandidates(ports: Pick<Ports, 'vmis' | 'migrations' | 'launcherImage'>): readonly VirtualMachineInstance[] {
  const moving = new Set(
    ports.migrations.byIndex(activeMigrationsIndex, activeMigrationsIndex).flatMap((migration) => guestOf(ports, migration) ?? []),
  )
  const byThemselves = ports.vmis.byIndex(updateCandidatesIndex, updateCandidatesIndex)
  return [...byThemselves, ...[...moving].filter((vmi) => !isUpdateCandidate(vmi, ports.launcherImage))]
}

function guestOf({ vmis }: Pick<Ports, 'vmis'>, { metadata, spec }: VirtualMachineInstanceMigration): VirtualMachineInstance | undefined {
  return vmis.get(metadata.namespace ?? '', spec.vmiName ?? '')
}

function nodeFacts({ metadata, spec, status }: Node, image: string): NodeFacts {
  const labels = metadata.labels ?? {}
  const isSchedulable = spec?.unschedulable !== true && labels[names.schedulableLabel] === 'true' && isTrue(status?.conditions, 'Ready')
  return { name: metadata.name ?? '', isSchedulable, isUpdated: labels[names.releaseLabel] === imageHash(image) }
}
