import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isConflict, StatusError } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Ports } from '../ports.ts'
import type { Failure } from '../status/conditions.ts'
import type { DumpDecision } from './decide.ts'

/** On a claim: the file with the memory of a guest, or that its dump has failed. KubeVirt's. */
export const dumpAnnotation = 'kubevirt.io/memory-dump'

/**
 * Gives the VMI the volumes, and the claim the annotation, that a dump needs. Returns why that
 * failed; conflicts are retried.
 */
export async function actOnDump(
  { client, claims }: Pick<Ports, 'client' | 'claims'>,
  vmi: VirtualMachineInstance | undefined,
  { volumes, note }: DumpDecision,
  namespace: string,
): Promise<{ readonly vmi: VirtualMachineInstance | undefined; readonly failure?: Failure }> {
  try {
    const claim = note === undefined ? undefined : claims.get(namespace, note.claimName)
    // A claim that was deleted meanwhile has taken the dump with it.
    if (claim !== undefined && note !== undefined && claim.metadata.annotations?.[dumpAnnotation] !== note.text) {
      const annotations = { [dumpAnnotation]: note.text }
      await found(patchIfUnchanged(client, persistentVolumeClaims, claim, { metadata: { annotations } }))
    }
    if (vmi === undefined || volumes === undefined) return { vmi }
    const spec = { volumes }
    return { vmi: (await found(patchIfUnchanged(client, virtualMachineInstances, vmi, { spec }))) ?? vmi }
  } catch (error) {
    if (isConflict(error) || !(error instanceof StatusError)) throw error
    const message = `Error encountered while handling memory dump request: ${error.message}`
    return { vmi, failure: { reason: 'MemoryDumpError', message } }
  }
}
