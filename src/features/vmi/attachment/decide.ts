import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { ClaimLook } from '../storage/volume-status.ts'
import { dumpPhases } from '../names.ts'
import { attachedVolume, attachmentPodName, launcherUidOf } from './attachment-pod.ts'
import { hotplugVolumes } from './hotplug-volumes.ts'

/** The pods of a guest, and its claims. */
export interface ObservedAttachments {
  readonly vmi: VirtualMachineInstance
  /** Its launcher pods: also those that a migration leaves, or goes to. */
  readonly launchers: readonly Pod[]
  /** The launcher pod that the guest runs in, or will start in. */
  readonly active: Pod | undefined
  /** All pods that attach volumes to nodes of its launchers. */
  readonly attachments: readonly Pod[]
  /** Claims of the volumes that are hotplugged, by the name of the volume. */
  readonly claims: ReadonlyMap<string, ClaimLook>
}

/** A pod to create. */
export interface MissingAttachment {
  readonly launcher: Pod
  readonly volume: Volume
  readonly isBlock: boolean
}

/** Changes to make now, and what the status shows. */
export interface AttachmentDecision {
  readonly create: readonly MissingAttachment[]
  readonly delete: readonly Pod[]
  /** Status of the hotplugged volumes, and of those that are being unplugged. */
  readonly volumes: readonly VolumeStatus[]
  /** UIDs of the pods at the target of a migration, by volume. */
  readonly targetVolumes: Readonly<Record<string, string>>
  /** All volumes are attached to the node of the active launcher. */
  readonly isComplete: boolean
}

/** KubeVirt's reasons and phases. */
const reasons = { created: 'SuccessfulCreate', deleted: 'SuccessfulDelete', claim: 'PVCNotReady' } as const
/** Phases in which the guest may use a volume: its pod stays. The node agent writes them. */
const usedPhases: readonly (string | undefined)[] = ['Ready', 'MountedToPod', dumpPhases.inProgress]
/** Phases that the node agent has written, and that stay while the VMI has the volume. */
const agentPhases: readonly (string | undefined)[] = [...usedPhases, dumpPhases.completed, dumpPhases.failed]

/**
 * Decides which volumes to attach to which nodes, one pod for each volume and launcher. A pod is
 * deleted when its volume was removed from the VMI, and the node agent does not use it any more.
 * Pure.
 */
export function decideAttachments({ vmi, launchers, active, attachments, claims }: ObservedAttachments): AttachmentDecision {
  const { namespace = '' } = vmi.metadata
  const running = launchers.filter((pod) => pod.spec.nodeName !== undefined && !isPodTerminal(pod))
  const alive = isBeingDeleted(vmi) ? [] : running.filter((pod) => !isBeingDeleted(pod))
  // A guest that moves is dumped where it arrives: its QEMU does not dump and move at once.
  const isFor = (launcher: Pod, { memoryDump }: Volume): boolean => memoryDump === undefined || launcher === active
  const volumesOf = (pods: readonly Pod[]): { readonly launcher: Pod; readonly volume: Volume }[] =>
    pods.flatMap((launcher) =>
      hotplugVolumes(vmi.spec, launcher).flatMap((volume) => (isFor(launcher, volume) ? [{ launcher, volume }] : [])),
    )
  const wanted = volumesOf(alive)
  const byName = new Map(attachments.map((pod) => [pod.metadata.name ?? '', pod]))
  const podOf = (launcher: Pod | undefined, volume: Volume): Pod | undefined =>
    launcher === undefined ? undefined : byName.get(attachmentPodName(launcher, volume))
  // A guest that shuts down uses its volumes until its QEMU has ended.
  const names = new Set(volumesOf(running).map(({ launcher, volume }) => attachmentPodName(launcher, volume)))
  const runningUids = new Set(running.map(({ metadata }) => metadata.uid))
  const known = new Map((vmi.status?.volumeStatus ?? []).map((status) => [status.name, status]))
  const isUsed = (pod: Pod): boolean => {
    const { phase, hotplugVolume } = known.get(attachedVolume(pod)) ?? {}
    return runningUids.has(launcherUidOf(pod)) && usedPhases.includes(phase) && hotplugVolume?.attachPodUID === pod.metadata.uid
  }
  const unwanted = attachments.filter((pod) => !names.has(pod.metadata.name ?? ''))
  const current = active === undefined ? [] : hotplugVolumes(vmi.spec, active)
  const statuses = current.map((volume) =>
    statusOf(volume, { old: known.get(volume.name), pod: podOf(active, volume), look: claims.get(volume.name), namespace }),
  )
  const leaving = [...known.values()].flatMap((status) => {
    if (status.hotplugVolume === undefined || current.some(({ name }) => name === status.name)) return []
    const pod = unwanted.find((one) => attachedVolume(one) === status.name && launcherUidOf(one) === active?.metadata.uid)
    return pod === undefined ? [] : [leavingStatus(status, pod)]
  })
  const target = alive.filter((launcher) => launcher !== active)
  return {
    create: wanted.flatMap(({ launcher, volume }) => {
      const look = claims.get(volume.name)
      if (podOf(launcher, volume) !== undefined || look?.mayStart !== true) return []
      return [{ launcher, volume, isBlock: look.status.persistentVolumeClaimInfo?.volumeMode === 'Block' }]
    }),
    delete: [
      ...unwanted.filter((pod) => !isUsed(pod)),
      ...wanted.flatMap(({ launcher, volume }) => deadPod(podOf(launcher, volume))),
    ].filter((pod) => !isBeingDeleted(pod)),
    volumes: [...statuses, ...leaving],
    targetVolumes: Object.fromEntries(
      target.flatMap((launcher) =>
        hotplugVolumes(vmi.spec, launcher).flatMap((volume) => {
          const pod = podOf(launcher, volume)
          return pod === undefined || !isAttached(pod) ? [] : [[volume.name, pod.metadata.uid ?? '']]
        }),
      ),
    ),
    isComplete: current.every((volume) => {
      const pod = podOf(active, volume)
      return pod !== undefined && isAttached(pod)
    }),
  }
}

/** A pod that has ended is replaced by one of the same name. */
function deadPod(pod: Pod | undefined): Pod[] {
  return pod !== undefined && isPodTerminal(pod) ? [pod] : []
}

/** Reports whether the volume is on the node: the pod runs. */
function isAttached(pod: Pod): boolean {
  return !isBeingDeleted(pod) && pod.status?.phase === 'Running'
}

interface Attachment {
  readonly old: VolumeStatus | undefined
  readonly pod: Pod | undefined
  readonly look: ClaimLook | undefined
  readonly namespace: string
}

function statusOf({ name, memoryDump }: Volume, { old, pod, look }: Attachment): VolumeStatus {
  const info = look?.status.persistentVolumeClaimInfo ?? old?.persistentVolumeClaimInfo
  const { size } = old ?? {}
  const dump = old?.memoryDumpVolume ?? (memoryDump === undefined ? undefined : { claimName: memoryDump.claimName })
  const kept = {
    name,
    ...(info === undefined ? {} : { persistentVolumeClaimInfo: info }),
    ...(size === undefined ? {} : { size }),
    ...(dump === undefined ? {} : { memoryDumpVolume: dump }),
  }
  const isUsed = agentPhases.includes(old?.phase)
  const podName = pod?.metadata.name ?? (isUsed ? old?.hotplugVolume?.attachPodName : undefined)
  const isReady = pod !== undefined && isAttached(pod) && look?.isFilled === true
  const podUid = isReady ? pod.metadata.uid : isUsed ? old?.hotplugVolume?.attachPodUID : undefined
  const hotplugVolume = {
    ...(podName === undefined ? {} : { attachPodName: podName }),
    ...(podUid === undefined ? {} : { attachPodUID: podUid }),
  }
  if (isUsed && old !== undefined) {
    const { target, phase, reason, message } = old
    return { ...kept, target, ...defined({ phase, reason, message }), hotplugVolume }
  }
  if (pod === undefined || look?.isFilled !== true) return { ...kept, target: '', ...claimPhase(look), hotplugVolume }
  const message = `Created hotplug attachment pod ${pod.metadata.name ?? ''}, for volume ${name}`
  return { ...kept, target: '', phase: 'AttachedToNode', reason: reasons.created, message, hotplugVolume }
}

/** Phase of a volume that is not attached. */
function claimPhase(look: ClaimLook | undefined): Pick<VolumeStatus, 'phase' | 'reason' | 'message'> {
  const { phase, reason, message } = look?.status ?? {}
  if (phase !== undefined) return defined({ phase, reason, message })
  return look === undefined ? { phase: 'Pending' } : { phase: 'Bound', reason: reasons.claim, message: 'PVC is in phase Bound' }
}

/** Status of a volume that was removed from the VMI, while its pod exists. */
function leavingStatus(status: VolumeStatus, pod: Pod): VolumeStatus {
  const hotplugVolume = { attachPodName: pod.metadata.name ?? '', attachPodUID: pod.metadata.uid ?? '' }
  if (usedPhases.includes(status.phase)) return { ...status, hotplugVolume }
  const message = `Deleted hotplug attachment pod ${pod.metadata.name ?? ''}, for volume ${status.name}`
  return { ...status, target: '', phase: 'Detaching', reason: reasons.deleted, message, hotplugVolume }
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
