import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isConflict, StatusError } from '#apimachinery/errors.ts'
import { addressOf } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Ports } from '../ports.ts'
import type { Failure } from '../status/conditions.ts'
import type { DumpDecision } from './decide.ts'

/** On a claim: the file with the memory of a guest, or that its dump has failed. KubeVirt's. */
const dumpAnnotation = 'kubevirt.io/memory-dump'

/** A VM and its guest. */
interface Machine {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance | undefined
}

/**
 * Gives the VMI the volumes, and the claim the annotation, that a dump needs. Returns why that
 * failed; conflicts are retried.
 */
export async function actOnDump(
  { client, claims }: { readonly client: Pick<Ports['client'], 'get' | 'patch'>; readonly claims: Ports['claims'] },
  { vm, vmi }: Machine,
  { volumes, note }: DumpDecision,
): Promise<{ readonly vmi: VirtualMachineInstance | undefined; readonly failure?: Failure }> {
  try {
    const claim = note === undefined ? undefined : claims.get(vm.metadata.namespace ?? '', note.claimName)
    // A claim that was deleted meanwhile has taken the dump with it.
    if (claim !== undefined && note !== undefined && claim.metadata.annotations?.[dumpAnnotation] !== note.text) {
      const annotations = { [dumpAnnotation]: note.text }
      await found(patchIfUnchanged(client, persistentVolumeClaims, claim, { metadata: { annotations } }))
    }
    if (vmi === undefined || volumes === undefined) return { vmi }
    // The cache of VMs may lag behind that of VMIs: a dump that is complete would be made again.
    const now = await found(client.get(virtualMachines, addressOf(vm)))
    if (!semanticEqual(now?.status?.memoryDumpRequest ?? null, vm.status?.memoryDumpRequest ?? null)) return { vmi }
    const spec = { volumes }
    return { vmi: (await found(patchIfUnchanged(client, virtualMachineInstances, vmi, { spec }))) ?? vmi }
  } catch (error) {
    if (isConflict(error) || !(error instanceof StatusError)) throw error
    const message = `Error encountered while handling memory dump request: ${error.message}`
    return { vmi, failure: { reason: 'MemoryDumpError', message } }
  }
}
