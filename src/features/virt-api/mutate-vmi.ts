import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { VirtualMachineInstancePreset } from '#api/kubevirt/v1/virtual-machine-instance-preset.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import type { ClusterConfig } from '#features/defaults/index.ts'
import { applyPresets, PresetsConflict } from '#features/preset/index.ts'
import { completeVmi } from '#features/vmi/index.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'

/** What a new VMI is completed from. */
export interface VmiSources {
  /** Of all namespaces. */
  readonly presets: readonly VirtualMachineInstancePreset[]
  readonly config: ClusterConfig
  /** RFC 3339. */
  readonly now: string
}

/** Gives a new VMI what presets have for it, and then what the cluster has for everybody. */
export function mutateVmi({ presets, config, now }: VmiSources, request: AdmissionRequest): AdmissionAnswer {
  const sent = request.object as unknown as VirtualMachineInstance
  const { vmi, warnings } = preset(sent, presets)
  const changes: JsonPatchOperation[] = []
  if (vmi !== sent) {
    changes.push(
      { op: 'add', path: '/metadata/annotations', value: vmi.metadata.annotations },
      { op: 'add', path: '/spec', value: vmi.spec },
    )
  }
  return { allowed: true, patch: [...changes, ...completeVmi(vmi, config, now)], warnings }
}

function preset(sent: VirtualMachineInstance, presets: readonly VirtualMachineInstancePreset[]): ReturnType<typeof applyPresets> {
  try {
    return applyPresets(sent, presets)
  } catch (error) {
    throw error instanceof PresetsConflict ? badRequest(error.message) : error
  }
}
