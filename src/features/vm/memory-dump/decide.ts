import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineMemoryDumpRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { activeMigration, dumpPhases } from '#features/vmi/index.ts'

/** Value of the annotation of a claim whose dump has failed. KubeVirt's. */
const failedNote = 'Memory dump failed'

/** What a request for a dump needs now. */
export interface DumpDecision {
  /** The request as it is from now on. Undefined: there is none. */
  readonly request: VirtualMachineMemoryDumpRequest | undefined
  /** Volumes that the running VMI is to have. Undefined: it has what it needs. */
  readonly volumes?: readonly Volume[]
  /** What the claim is to be annotated with. */
  readonly note?: { readonly claimName: string; readonly text: string }
}

/**
 * Decides about the dump that a VM's status asks for. The volume is added to the VMI only, never to
 * the VM: a VM would dump its memory at each start. A guest that ends before its dump is complete
 * is dumped when it runs again, as in KubeVirt. Pure.
 *
 * | phase         | VMI                                     | until                                |
 * |---------------|-----------------------------------------|--------------------------------------|
 * | Associating   | loses the volume of a dump that failed  | it runs without the volume           |
 * | InProgress    | gets the volume                         | the node agent says how it ended     |
 * | Unmounting    | loses the volume; the claim is annotated | the volume is detached: Completed   |
 * | Failed        | loses the volume; the claim is annotated | another request                     |
 * | Dissociating  | loses the volume                        | it is detached: there is no request  |
 */
export function decideDump(
  request: VirtualMachineMemoryDumpRequest | null | undefined,
  vmi: VirtualMachineInstance | undefined,
): DumpDecision {
  const guest = vmi === undefined || isVmiFinal(vmi) ? undefined : vmi
  if (!request) return { request: undefined, ...withoutDumps(guest) }
  const { claimName } = request
  const status = vmi?.status?.volumeStatus?.find(({ name }) => name === claimName)
  const isAttached = guest !== undefined && (hasVolume(guest, claimName) || status !== undefined)
  if (request.remove === true || request.phase === 'Dissociating') {
    const left = isAttached ? { ...request, phase: 'Dissociating', remove: true } : undefined
    return { request: left, ...withoutDumps(guest) }
  }
  switch (request.phase) {
    case 'Associating':
      if (isAttached) return { request, ...withoutDumps(guest) }
      return { request: isReady(guest) ? { ...request, phase: 'InProgress' } : request }
    case 'InProgress':
      return decideInProgress(request, { guest, status })
    case 'Unmounting': {
      const { fileName: text } = request
      const noted = text === undefined ? {} : { note: { claimName, text } }
      return { request: isAttached ? request : { ...request, phase: 'Completed' }, ...withoutDumps(guest), ...noted }
    }
    case 'Failed':
      return { request, ...withoutDumps(guest), note: { claimName, text: failedNote } }
    default:
      return { request, ...withoutDumps(guest) }
  }
}

interface Progressing {
  readonly guest: VirtualMachineInstance | undefined
  readonly status: VolumeStatus | undefined
}

function decideInProgress(request: VirtualMachineMemoryDumpRequest, { guest, status }: Progressing): DumpDecision {
  const { claimName } = request
  const { startTimestamp, endTimestamp, targetFileName } = status?.memoryDumpVolume ?? {}
  const begun = { ...request, ...(startTimestamp === undefined ? {} : { startTimestamp }) }
  const ended = { ...begun, ...(endTimestamp === undefined ? {} : { endTimestamp }) }
  if (status?.phase === dumpPhases.completed)
    return { request: { ...ended, phase: 'Unmounting', ...(targetFileName === undefined ? {} : { fileName: targetFileName }) } }
  if (status?.phase === dumpPhases.failed)
    return { request: { ...ended, phase: 'Failed', ...(status.message === undefined ? {} : { message: status.message }) } }
  // A volume that is being detached has to be gone first.
  if (guest === undefined || hasVolume(guest, claimName) || status !== undefined || !isReady(guest)) return { request: begun }
  const volume: Volume = { name: claimName, memoryDump: { claimName, hotpluggable: true } }
  return { request: begun, volumes: [...(guest.spec.volumes ?? []), volume] }
}

/** Reports whether a guest can be dumped. One that moves is dumped where it arrives. */
function isReady(guest: VirtualMachineInstance | undefined): boolean {
  return guest?.status?.phase === 'Running' && !isBeingDeleted(guest) && activeMigration(guest) === undefined
}

/** Reports whether a VMI has the volume of a dump, from whenever. Pure. */
export function hasDump({ spec }: VirtualMachineInstance): boolean {
  return spec.volumes?.some(({ memoryDump }) => memoryDump !== undefined) === true
}

function hasVolume({ spec }: VirtualMachineInstance, name: string): boolean {
  return spec.volumes?.some((volume) => volume.name === name) === true
}

function withoutDumps(guest: VirtualMachineInstance | undefined): Pick<DumpDecision, 'volumes'> {
  if (guest === undefined || isBeingDeleted(guest) || !hasDump(guest)) return {}
  return { volumes: (guest.spec.volumes ?? []).filter(({ memoryDump }) => memoryDump === undefined) }
}
