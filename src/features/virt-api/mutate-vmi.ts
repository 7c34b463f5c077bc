import { isComponentUser } from '#api/access/component-users.ts'
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

/** Sources of defaults for a new VMI. */
export interface VmiSources {
  /** Presets of all namespaces. */
  readonly presets: readonly VirtualMachineInstancePreset[]
  readonly config: ClusterConfig
  /** RFC 3339. */
  readonly now: string
}

/** Applies presets and then the cluster's defaults to a new VMI. */
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
 * Keeps the status of a VMI when a user updates the whole object: the kind has no status
 * subresource, and a typed client drops status fields that it does not know. KubeVirt does the
 * same.
 */
export function keepStatus(request: AdmissionRequest): AdmissionAnswer {
  const [now, before] = [sentIn(request).status, (request.oldObject as VirtualMachineInstance | undefined)?.status]
  if (isComponent(request.userInfo) || semanticEqual(now, before)) return { allowed: true }
  const patch: JsonPatchOperation[] =
    before === undefined ? [{ op: 'remove', path: '/status' }] : [{ op: 'add', path: '/status', value: before }]
  return { allowed: true, patch, warnings: ['status may only be changed by the system itself, and is left as it was'] }
}

/** Reports whether the request comes from one of our components. */
export function isComponent({ username }: AdmissionRequest['userInfo']): boolean {
  return isComponentUser(username)
}

function sentIn({ object }: AdmissionRequest): VirtualMachineInstance {
  return object as unknown as VirtualMachineInstance
}

/** A manifest may be exported from another cluster: its status is that of another guest. */
function withoutStatus(vmi: VirtualMachineInstance): VirtualMachineInstance {
  const { status, ...others } = vmi
  const isOfNew = Object.keys(status ?? {}).every((field) => field === 'phase' || field === 'phaseTransitionTimestamps')
  // A VMI that ran before keeps its status.
  return isOfNew && (status?.phase ?? 'Pending') === 'Pending' ? vmi : others
}

function preset(sent: VirtualMachineInstance, presets: readonly VirtualMachineInstancePreset[]): ReturnType<typeof applyPresets> {
  try {
    return applyPresets(sent, presets)
  } catch (error) {
    throw error instanceof PresetsConflict ? badRequest(error.message) : error
  }
}
