import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { addQuantities, formatQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import type { Expansion } from '#features/instancetype/index.ts'
import { isPluggingMemory, isPluggingSockets } from '#features/vmi/index.ts'
import type { Failure } from '../status/conditions.ts'
import type { FieldChange } from './classify.ts'
import { interfacesPath, syncInterfaces } from './interfaces.ts'
import { syncVolumes, volumesPath } from './volumes.ts'

/**
 * Returns why a running guest cannot be updated at this moment; undefined when it can. The pass is
 * retried later.
 */
export function liveUpdateObstacle(vmi: VirtualMachineInstance, fields: readonly FieldChange[]): Failure | undefined {
  const { startTimestamp, endTimestamp } = vmi.status?.migrationState ?? {}
  const isMigrating = startTimestamp != null && endTimestamp == null
  for (const { prefix, reason, isUnderWay } of guarded) {
    if (!fields.some(({ path }) => path.startsWith(prefix))) continue
    if (isMigrating) return { reason, message: 'the guest is migrating: the change is applied afterwards' }
    if (isUnderWay(vmi)) {
      return { reason, message: 'an earlier hotplug has not completed: the change is applied afterwards' }
    }
  }
  return undefined
}

const never = (): boolean => false

const guarded: readonly {
  readonly prefix: string
  readonly reason: string
  readonly isUnderWay: (vmi: VirtualMachineInstance) => boolean
}[] = [
  { prefix: 'spec.domain.cpu.', reason: 'HotPlugCPUError', isUnderWay: isPluggingSockets },
  { prefix: 'spec.domain.memory.', reason: 'HotPlugMemoryError', isUnderWay: isPluggingMemory },
  { prefix: interfacesPath, reason: 'HotPlugNetworkInterfaceError', isUnderWay: never },
  { prefix: volumesPath, reason: 'HotPlugVolumeError', isUnderWay: never },
  { prefix: 'spec.affinity', reason: 'AffinityChangeError', isUnderWay: never },
  { prefix: 'spec.nodeSelector', reason: 'AffinityChangeError', isUnderWay: never },
  { prefix: 'spec.tolerations', reason: 'TolerationsChangeError', isUnderWay: never },
]

/**
 * Returns the patch of a VMI for a live update. Each operation tests the old value, so that changes
 * of other clients since the read are not lost.
 */
export function liveUpdatePatch(
  vmi: VirtualMachineInstance,
  { vmi: after }: Expansion,
  fields: readonly FieldChange[],
): JsonPatchOperation[] {
  const touches = (prefix: string): boolean => fields.some(({ path }) => path.startsWith(prefix))
  const { spec } = vmi
  const operations: JsonPatchOperation[] = []
  const set = (path: string, old: unknown, value: unknown): void => void operations.push(...replacement(path, old, value))
  if (touches('spec.domain.cpu.sockets')) {
    set('/spec/domain/cpu/sockets', spec.domain.cpu?.sockets, after.spec.domain.cpu?.sockets)
    for (const list of ['requests', 'limits'] as const) {
      const old = spec.domain.resources?.[list]?.['cpu']
      if (old !== undefined) set(`/spec/domain/resources/${list}/cpu`, old, withMoreCpus(old, spec, after.spec))
    }
  }
  if (touches('spec.domain.memory.guest')) {
    set('/spec/domain/memory/guest', spec.domain.memory?.guest, after.spec.domain.memory?.guest)
    // Earlier releases wrote a request into every VMI, which is removed where the VM has none.
    operations.push(...requestReplacement(spec, after.spec))
  }
  if (touches(interfacesPath)) {
    const { interfaces, networks } = syncInterfaces(vmi, after.spec)
    if (!semanticEqual(spec.networks ?? [], networks)) set('/spec/networks', spec.networks, networks)
    set('/spec/domain/devices/interfaces', spec.domain.devices.interfaces, interfaces)
  }
  if (touches(volumesPath)) {
    const { volumes, disks } = syncVolumes(vmi, after.spec)
    set('/spec/volumes', spec.volumes, volumes)
    if (!semanticEqual(spec.domain.devices.disks ?? [], disks)) set('/spec/domain/devices/disks', spec.domain.devices.disks, disks)
  }
  for (const field of ['nodeSelector', 'affinity', 'tolerations'] as const) {
    if (touches(`spec.${field}`)) set(`/spec/${field}`, spec[field], after.spec[field])
  }
  for (const { path, old, new: value } of fields) {
    const key = /^metadata\.annotations\[(.*)\]$/.exec(path)?.[1]
    if (key !== undefined) set(`/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, old, value)
  }
  return operations
}

function requestReplacement(
  { domain: before }: VirtualMachineInstanceSpec,
  { domain: after }: VirtualMachineInstanceSpec,
): JsonPatchOperation[] {
  const [old, value] = [before, after].map(({ resources }) => resources?.requests?.['memory'])
  if (old === value) return []
  const path = '/spec/domain/resources'
  if (before.resources === undefined) return replacement(path, undefined, { requests: { memory: value } })
  if (before.resources.requests === undefined) return replacement(`${path}/requests`, undefined, { memory: value })
  return replacement(`${path}/requests/memory`, old, value)
}

function replacement(path: string, old: unknown, value: unknown): JsonPatchOperation[] {
  if (old === undefined) return value === undefined ? [] : [{ op: 'add', path, value }]
  const test: JsonPatchOperation = { op: 'test', path, value: old }
  return [test, value === undefined ? { op: 'remove', path } : { op: 'replace', path, value }]
}

/** Adds one CPU for each vCPU that is plugged. */
function withMoreCpus(old: string | number, before: VirtualMachineInstanceSpec, after: VirtualMachineInstanceSpec): string {
  return formatQuantity(addQuantities(parseQuantity(old), parseQuantity(vcpusOf(after) - vcpusOf(before))))
}

function vcpusOf({ domain: { cpu } }: VirtualMachineInstanceSpec): number {
  return (cpu?.sockets ?? 1) * (cpu?.cores ?? 1) * (cpu?.threads ?? 1)
}
