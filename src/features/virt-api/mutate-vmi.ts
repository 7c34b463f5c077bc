import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { VirtualMachineInstancePreset } from '#api/kubevirt/v1/virtual-machine-instance-preset.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
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
  const sent = isComponent(request.userInfo) ? sentIn(request) : withoutStatus(sentIn(request))
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

/**
 * Leaves the status of a VMI as it is when a person writes the whole object: there is no
 * subresource that would keep the two apart, and whoever labels a VMI by a typed client sends a
 * status without the fields that the client does not know. As KubeVirt does.
 */
export function keepStatus(request: AdmissionRequest): AdmissionAnswer {
  const [now, before] = [sentIn(request).status, (request.oldObject as VirtualMachineInstance | undefined)?.status]
  if (isComponent(request.userInfo) || semanticEqual(now, before)) return { allowed: true }
  const patch: JsonPatchOperation[] =
    before === undefined ? [{ op: 'remove', path: '/status' }] : [{ op: 'add', path: '/status', value: before }]
  return { allowed: true, patch, warnings: ['status may only be changed by the system itself, and is left as it was'] }
}

/** Whether it is one of our own components that asks. */
export function isComponent({ groups }: AdmissionRequest['userInfo']): boolean {
  return groups?.includes('system:steadyvm') === true
}

function sentIn({ object }: AdmissionRequest): VirtualMachineInstance {
  return object as unknown as VirtualMachineInstance
}

/**
 * A manifest may be what somebody has read from another cluster. Its status is what has become of
 * that guest, not of this one.
 */
function withoutStatus(vmi: VirtualMachineInstance): VirtualMachineInstance {
  const { status, ...others } = vmi
  const isOfNew = Object.keys(status ?? {}).every((field) => field === 'phase' || field === 'phaseTransitionTimestamps')
  // One that has been here already is left alone.
  return isOfNew && (status?.phase ?? 'Pending') === 'Pending' ? vmi : others
}

function preset(sent: VirtualMachineInstance, presets: readonly VirtualMachineInstancePreset[]): ReturnType<typeof applyPresets> {
  try {
    return applyPresets(sent, presets)
  } catch (error) {
    throw error instanceof PresetsConflict ? badRequest(error.message) : error
  }
}
