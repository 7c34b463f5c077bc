import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { ownPod } from '../decide.ts'
import type { Ports } from '../ports.ts'
import { overheadIn, readObjects } from '../storage/observe-storage.ts'
import { claimNameOf, infoOf, lookAt, type ClaimLook, type StorageStatus } from '../storage/volume-status.ts'
import { attachmentPodOf, attachmentsByVmi, isSamePod } from './attachment-pod.ts'
import { decideAttachments, type AttachmentDecision, type MissingAttachment } from './decide.ts'
import { isHotpluggable } from './hotplug-volumes.ts'

/** What was found, and done, about the hotplugged volumes of a guest. */
export interface Attachments {
  /** Undefined: the guest has none. */
  readonly decision: AttachmentDecision | undefined
  /** Some volumes wait for their content, which is not watched. */
  readonly isFilling: boolean
}

const none: Attachments = { decision: undefined, isFilling: false }

/** Attaches the hotplugged volumes of a guest to its nodes, and detaches what was unplugged. */
export async function reconcileAttachments(ports: Ports, vmi: VirtualMachineInstance, launchers: readonly Pod[]): Promise<Attachments> {
  const attachments = ports.attachments.byIndex(attachmentsByVmi, vmi.metadata.uid ?? '')
  const volumes = (vmi.spec.volumes ?? []).filter((volume) => isHotpluggable(volume, vmi.spec.domain.devices.disks))
  const wasPlugged = vmi.status?.volumeStatus?.some(({ hotplugVolume }) => hotplugVolume !== undefined) === true
  if (launchers.length === 0 || (attachments.length === 0 && volumes.length === 0 && !wasPlugged)) return none
  // Content of a volume that the guest uses is complete.
  const waiting = volumes.filter(({ name }) => statusOf(vmi, name)?.phase !== 'Ready')
  const objects = await readObjects(ports, vmi, waiting)
  const namespace = vmi.metadata.namespace ?? ''
  const claims = new Map(
    volumes.flatMap((volume): [string, ClaimLook][] => {
      const look = lookAt(volume, objects, namespace)
      return look === undefined ? [] : [[volume.name, look]]
    }),
  )
  const decision = decideAttachments({ vmi, launchers, active: ownPod(vmi, launchers), attachments, claims })
  for (const missing of decision.create) await create(ports, vmi, missing)
  for (const pod of decision.delete) await remove(ports, vmi, pod)
  return { decision, isFilling: [...claims.values()].some(({ hasDataVolume, isFilled }) => hasDataVolume && !isFilled) }
}

function statusOf({ status }: VirtualMachineInstance, volume: string): VolumeStatus | undefined {
  return status?.volumeStatus?.find(({ name }) => name === volume)
}

/** Adds the hotplugged volumes to the storage of a VMI that has not started. */
export function withAttachments(storage: StorageStatus, { decision }: Attachments): StorageStatus {
  if (decision === undefined) return storage
  const hotplugged = new Map(decision.volumes.map((status) => [status.name, status]))
  return {
    ...storage,
    volumes: storage.volumes.map((status) => hotplugged.get(status.name) ?? status),
    isAttached: decision.isComplete,
  }
}

/**
 * Reports the state of the claims of a running guest: those that are hotplugged, and the size of
 * all.
 */
export async function reportVolumes(ports: Ports, vmi: VirtualMachineInstance, { decision }: Attachments): Promise<VirtualMachineInstance> {
  const { namespace = '' } = vmi.metadata
  const { volumeStatus = [], steadyvm } = vmi.status ?? {}
  const overhead = overheadIn(ports.configs)
  const hotplugged = new Map((decision?.volumes ?? []).map((status) => [status.name, status]))
  const fixed = volumeStatus.flatMap((status) => {
    if (status.hotplugVolume !== undefined || hotplugged.has(status.name)) return []
    const volume = vmi.spec.volumes?.find(({ name }) => name === status.name)
    const claimName = volume === undefined ? undefined : claimNameOf(volume)
    return claimName === undefined ? [status] : [{ ...status, ...infoOf(claimName, ports.claims.get(namespace, claimName), { overhead }) }]
  })
  const wanted = inOrderOf(vmi, [...fixed, ...hotplugged.values()])
  const targets = decision?.targetVolumes ?? {}
  const isTargetKnown = steadyvm?.targetVolumes !== undefined || Object.keys(targets).length > 0
  return patchStatus(ports.client, virtualMachineInstances, vmi, {
    ...(volumeStatus.length === 0 && wanted.length === 0 ? {} : { volumeStatus: wanted }),
    ...(isTargetKnown ? { steadyvm: { targetVolumes: replaced(steadyvm?.targetVolumes, targets) } } : {}),
  })
}

/** Returns a merge patch that leaves only the wanted entries. */
function replaced(
  old: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): Record<string, string | null> | null {
  if (Object.keys(wanted).length === 0) return null
  return { ...Object.fromEntries(Object.keys(old).map((key) => [key, null])), ...wanted }
}

function inOrderOf({ spec }: VirtualMachineInstance, statuses: readonly VolumeStatus[]): VolumeStatus[] {
  const position = new Map((spec.volumes ?? []).map(({ name }, index) => [name, index]))
  const last = position.size
  return statuses.toSorted((a, b) => (position.get(a.name) ?? last) - (position.get(b.name) ?? last))
}

async function create(ports: Ports, vmi: VirtualMachineInstance, { launcher, volume, isBlock }: MissingAttachment): Promise<void> {
  const { launcherImage: image, inContainer } = ports
  const pod = attachmentPodOf(vmi, launcher, volume, { image, inContainer, isBlock })
  const { name = '', namespace = '' } = pod.metadata
  try {
    await ports.client.create<Pod>(pods, pod)
    ports.recorder.event(vmi, 'Normal', 'SuccessfulCreate', `Created hotplug attachment pod ${name}, for volume ${volume.name}`)
  } catch (error) {
    if (isAlreadyExists(error)) {
      // Created in an earlier pass: the cache lags behind, or the process was killed.
      const existing = await found(ports.client.get(pods, { namespace, name }))
      if (existing === undefined || isSamePod(existing, pod)) return
      ports.recorder.event(
        vmi,
        'Warning',
        'FailedCreate',
        `Error creating attachment pod: pod ${name} exists already and is another one: delete it`,
      )
      return
    }
    if (!(error instanceof StatusError) || isConflict(error) || error.code >= 500) throw error
    ports.recorder.event(vmi, 'Warning', 'FailedCreate', `Error creating attachment pod ${error.message}`)
    throw error
  }
}

async function remove(ports: Ports, vmi: VirtualMachineInstance, { metadata }: Pod): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  try {
    await ports.client.delete(pods, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
    ports.recorder.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted attachment pod ${name}`)
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

/** Reports whether the status of a guest's volumes is the controller's to write. */
export function reportsVolumes(vmi: VirtualMachineInstance): boolean {
  return !isBeingDeleted(vmi) && ['Scheduled', 'Running'].includes(vmi.status?.phase ?? '')
}
