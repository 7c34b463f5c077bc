import type { CPU } from '#api/kubevirt/v1/domain/cpu.ts'
import type { Conflict } from '../conflict.ts'
import { layOutCpus } from '../cpu-topology.ts'
import { conflictAt, type InstancetypePart } from './draft.ts'

/** Sets number, topology, model and placement of virtual CPUs. */
export const applyCpuInto: InstancetypePart = (draft, instancetype, preference) => {
  const conflicts = findConflicts(draft, instancetype)
  if (conflicts.length > 0) return conflicts
  const { model, dedicatedCPUPlacement, isolateEmulatorThread, numa, realtime, maxSockets, guest } = instancetype.cpu
  const cpu: CPU = { ...draft.spec.domain.cpu, ...layOutCpus(guest, preference) }
  if (isSet(model)) cpu.model = model
  if (isSet(dedicatedCPUPlacement)) cpu.dedicatedCpuPlacement = dedicatedCPUPlacement
  if (isSet(isolateEmulatorThread)) cpu.isolateEmulatorThread = isolateEmulatorThread
  if (isSet(numa)) cpu.numa = structuredClone(numa)
  if (isSet(realtime)) cpu.realtime = structuredClone(realtime)
  if (isSet(maxSockets)) cpu.maxSockets = maxSockets
  draft.spec.domain.cpu = cpu
  return []
}

/** KubeVirt's messages use the instance type's spelling of this field. */
const kubevirtNames: Readonly<Record<string, string>> = { 'cpu.dedicatedCpuPlacement': 'cpu.dedicatedCPUPlacement' }

function findConflicts(draft: Parameters<InstancetypePart>[0], instancetype: Parameters<InstancetypePart>[1]): Conflict[] {
  const { cpu, resources } = draft.spec.domain
  const wanted = instancetype.cpu
  const collisions: readonly (readonly [string, boolean])[] = [
    ['resources.requests.cpu', isSet(resources?.requests?.['cpu'])],
    ['resources.limits.cpu', isSet(resources?.limits?.['cpu'])],
    ['cpu.sockets', (cpu?.sockets ?? 0) !== 0],
    ['cpu.cores', (cpu?.cores ?? 0) !== 0],
    ['cpu.threads', (cpu?.threads ?? 0) !== 0],
    ['cpu.model', isSet(wanted.model) && (cpu?.model ?? '') !== ''],
    ['cpu.dedicatedCpuPlacement', isSet(wanted.dedicatedCPUPlacement) && cpu?.dedicatedCpuPlacement === true],
    ['cpu.isolateEmulatorThread', isSet(wanted.isolateEmulatorThread) && cpu?.isolateEmulatorThread === true],
    ['cpu.numa', isSet(wanted.numa) && isSet(cpu?.numa)],
    ['cpu.realtime', isSet(wanted.realtime) && isSet(cpu?.realtime)],
  ]
  return collisions
    .filter(([, collides]) => collides)
    .map(([path]) => conflictAt(`domain.${path}`, `domain.${kubevirtNames[path] ?? path}`))
}

function isSet<T>(value: T | undefined | null): value is T {
  return value !== undefined && value !== null
}
