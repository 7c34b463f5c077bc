import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict, StatusError } from '#apimachinery/errors.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Failure } from '../status/conditions.ts'
import type { Ports } from '../ports.ts'

/**
 * Admission infers matchers from volumes. A VM that was created before the webhook was registered
 * still has `inferFromVolume` without a name: an update without changes lets admission infer it
 * now. The controller never writes the spec itself, and failures carry admission's message.
 */
export async function inferFromVolume(
  { client }: Pick<Ports, 'client'>,
  vm: VirtualMachine,
): Promise<{ readonly vm: VirtualMachine; readonly failure: Failure | undefined }> {
  if (uninferred(vm) === undefined) return { vm, failure: undefined }
  try {
    const inferred = await patchIfUnchanged(client, virtualMachines, vm, {})
    return {
      vm: inferred,
      failure: failureOf(inferred, (field, volume) => `no admission webhook has inferred spec.${field} from volume ${volume} yet`),
    }
  } catch (error) {
    if (!(error instanceof StatusError) || isConflict(error) || error.code >= 500) throw error
    return { vm, failure: failureOf(vm, () => error.message) }
  }
}

function failureOf(vm: VirtualMachine, describe: (field: string, volume: string) => string): Failure | undefined {
  const field = uninferred(vm)
  if (field === undefined) return undefined
  const reason = field === 'instancetype' ? 'FailedFindInstancetype' : 'FailedFindPreference'
  return { reason, message: describe(field, vm.spec[field]?.inferFromVolume ?? '') }
}

function uninferred({ spec }: VirtualMachine): 'instancetype' | 'preference' | undefined {
  return (['instancetype', 'preference'] as const).find((field) => {
    const { name = '', inferFromVolume = '' } = spec[field] ?? {}
    return name === '' && inferFromVolume !== ''
  })
}
