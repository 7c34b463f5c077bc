import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isAlreadyExists, isConflict, isInvalid, isNotFound, StatusError } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { needsKvm } from '#features/launcher/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { podResizedCondition, type ResizeObstacle } from './resize/resized-condition.ts'
import type { PodResize } from './resize/pod-resize.ts'
import { runningConditions, schedulingConditions, waitingConditions } from './status/conditions.ts'
import type { Action } from './decide.ts'
import { canMountImages } from './launcher/image-volumes.ts'
import { launcherPodName, launcherPodOf } from './launcher/launcher-pod.ts'
import { names } from './names.ts'
import { ClaimTaken, ensurePersistentState } from './storage/persistent-state.ts'
import { enterPhase } from './status/phase.ts'
import type { Ports } from './ports.ts'
import { claimNotFound, type StorageStatus } from './storage/volume-status.ts'

/** Performs the action. */
export async function act(ports: Ports, vmi: VirtualMachineInstance, action: Action): Promise<void> {
  switch (action.kind) {
    case 'none':
      return
    case 'addFinalizer':
      return writeFinalizers(ports, vmi, [...(vmi.metadata.finalizers ?? []), names.finalizer])
    case 'removeFinalizer':
      return writeFinalizers(
        ports,
        vmi,
        (vmi.metadata.finalizers ?? []).filter((finalizer) => finalizer !== names.finalizer),
      )
    case 'awaitStorage':
      return awaitStorage(ports, vmi, action.storage)
    case 'createPod':
      return createPod(ports, vmi, action.storage)
    case 'enterScheduling':
      return enterScheduling(ports, vmi, action)
    case 'handOver':
      return handOver(ports, vmi, action)
    case 'confirmPodGone':
      return confirmPodGone(ports, vmi)
    case 'fail':
      return fail(ports, vmi, action)
    case 'deletePods':
      return deletePods(ports, vmi, action.pods)
    case 'mirrorReadiness':
      return mirrorReadiness(ports, vmi, action)
  }
}

/** Reports what is missing. The watch event of a claim requeues the VMI. */
async function awaitStorage(ports: Ports, vmi: VirtualMachineInstance, storage: StorageStatus): Promise<void> {
  const { reason = '', message = '' } = storage.obstacle ?? {}
  const now = timestamp(ports.clock.now())
  const isNews = findCondition(vmi.status?.conditions, 'Synchronized')?.message !== message
  await patchStatus(ports.client, virtualMachineInstances, vmi, {
    ...enterPhase(vmi.status, 'Pending', now),
    conditions: waitingConditions(vmi.status?.conditions, storage, now),
    ...volumeStatusOf(storage),
  })
  if (isNews && reason === claimNotFound) ports.recorder.event(vmi, 'Normal', reason, message)
}

async function createPod(ports: Ports, vmi: VirtualMachineInstance, storage: StorageStatus): Promise<void> {
  const pod = await createLauncher(ports, vmi, storage)
  if (pod !== undefined) await enterScheduling(ports, vmi, { pod, storage })
}

async function createLauncher(ports: Ports, vmi: VirtualMachineInstance, { volumes }: StorageStatus): Promise<Pod | undefined> {
  const { launcherImage: image, inContainer } = ports
  const config = ports.config()
  const kvm = needsKvm(ports) === true
  const imageVolumes = await canMountImages(ports)
  const pod = launcherPodOf(vmi, { image, inContainer, kvm, imageVolumes, config, volumes })
  try {
    await ensurePersistentState(ports, vmi)
    const created = await ports.client.create<Pod>(pods, pod)
    ports.recorder.event(vmi, 'Normal', 'SuccessfulCreate', `Created virtual machine pod ${created.metadata.name}`)
    return created
  } catch (error) {
    // Created in an earlier pass: the cache lags behind, or the process was killed.
    if (isAlreadyExists(error)) return liveLauncher(ports, vmi)
    const isRefusal = error instanceof ClaimTaken || (error instanceof StatusError && !isConflict(error) && error.code < 500)
    if (!isRefusal) throw error
    await refused(ports, vmi, error)
    return undefined
  }
}

/**
 * Reports on the VMI that its pod was refused, or that its claim belongs to another owner, and
 * retries with back-off.
 */
async function refused(ports: Ports, vmi: VirtualMachineInstance, error: Error): Promise<void> {
  const now = timestamp(ports.clock.now())
  const condition = { type: 'Synchronized', status: 'False', reason: 'FailedCreate', message: error.message, lastProbeTime: null } as const
  const others = (vmi.status?.conditions ?? []).filter(({ type }) => type !== 'Synchronized')
  const shown = vmi.status?.conditions?.find(({ type }) => type === 'Synchronized')
  if (shown?.message !== error.message) {
    ports.recorder.event(vmi, 'Warning', 'FailedCreate', `Error creating pod: ${error.message}`)
    await patchStatus(ports.client, virtualMachineInstances, vmi, { conditions: [...others, { ...condition, lastTransitionTime: now }] })
  }
  if (!isInvalid(error)) throw error
}

function liveLauncher(ports: Ports, vmi: VirtualMachineInstance): Promise<Pod | undefined> {
  return found(ports.client.get(pods, { namespace: vmi.metadata.namespace ?? '', name: launcherPodName(vmi) }))
}

async function enterScheduling(
  ports: Ports,
  vmi: VirtualMachineInstance,
  { pod, storage }: { pod: Pod; storage: StorageStatus },
): Promise<void> {
  const now = timestamp(ports.clock.now())
  await patchStatus(ports.client, virtualMachineInstances, vmi, {
    ...enterPhase(vmi.status, 'Scheduling', now),
    conditions: schedulingConditions(vmi.status?.conditions, pod, storage, now),
    activePods: activePods(vmi, pod),
    ...volumeStatusOf(storage),
  })
}

/** Returns the volume status, which the node agent needs before it mounts claims. */
function volumeStatusOf({ volumes }: StorageStatus): Pick<VirtualMachineInstanceStatus, 'volumeStatus'> {
  return volumes.length === 0 ? {} : { volumeStatus: [...volumes] }
}

function activePods(vmi: VirtualMachineInstance, pod: Pod): Record<string, string> {
  const uid = pod.metadata.uid ?? ''
  // The node name alone is not worth a write; the next one adds it.
  return vmi.status?.activePods?.[uid] === undefined ? { [uid]: pod.spec.nodeName ?? '' } : vmi.status.activePods
}

async function handOver(
  ports: Ports,
  vmi: VirtualMachineInstance,
  { pod, nodeName, storage }: Extract<Action, { kind: 'handOver' }>,
): Promise<void> {
  const now = timestamp(ports.clock.now())
  const { qosClass } = pod.status ?? {}
  await patchStatus(
    ports.client,
    virtualMachineInstances,
    vmi,
    {
      ...enterPhase(vmi.status, 'Scheduled', now),
      nodeName,
      conditions: schedulingConditions(vmi.status?.conditions, pod, storage, now),
      ...volumeStatusOf(storage),
      activePods: { [pod.metadata.uid ?? '']: nodeName },
      launcherContainerImageVersion: pod.spec.containers[0]?.image ?? '',
      ...(qosClass === undefined ? {} : { qosClass }),
    },
    { metadata: { labels: { [names.nodeNameLabel]: nodeName } } },
  )
}

/** Checks with the API that the pod is gone: the cache may lack a pod that was just created. */
async function confirmPodGone(ports: Ports, vmi: VirtualMachineInstance): Promise<void> {
  if ((await liveLauncher(ports, vmi)) !== undefined) return
  await fail(ports, vmi, { reason: 'PodNotExists', message: 'the launcher pod vanished before the guest was started' })
}

async function fail(ports: Ports, vmi: VirtualMachineInstance, { reason, message }: { reason: string; message: string }): Promise<void> {
  ports.recorder.event(vmi, 'Warning', 'FailedStart', `Cannot start the guest: ${message}`)
  await patchStatus(ports.client, virtualMachineInstances, vmi, {
    ...enterPhase(vmi.status, 'Failed', timestamp(ports.clock.now())),
    reason,
  })
}

async function deletePods(ports: Ports, vmi: VirtualMachineInstance, doomed: readonly Pod[]): Promise<void> {
  for (const { metadata } of doomed) {
    const { name = '', namespace = '', uid } = metadata
    try {
      await ports.client.delete(pods, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
      ports.recorder.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted virtual machine pod ${name}`)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}

async function mirrorReadiness(
  ports: Ports,
  vmi: VirtualMachineInstance,
  { pod, resize, networks }: Extract<Action, { kind: 'mirrorReadiness' }>,
): Promise<void> {
  // Before the guest runs, the VMI is not ready whatever its pod reports, and its conditions say
  // so.
  if (vmi.status?.phase !== 'Running') return
  if (pod !== undefined && networks !== undefined)
    await found(patchIfUnchanged(ports.client, pods, pod, { metadata: { annotations: networks } }))
  const obstacle = pod === undefined || resize === undefined ? undefined : await resizePod(ports, vmi, pod, resize)
  await patchStatus(ports.client, virtualMachineInstances, vmi, {
    conditions: runningConditions(vmi.status.conditions, { pod, obstacle }, timestamp(ports.clock.now())),
  })
}

/** Returns why the pod does not get the size of its guest, which runs on in any case. */
async function resizePod(ports: Ports, vmi: VirtualMachineInstance, pod: Pod, resize: PodResize): Promise<ResizeObstacle | undefined> {
  const obstacle = await ports.resizer.resize(ports.client, pod, resize)
  const shown = findCondition(vmi.status?.conditions, podResizedCondition)
  if (obstacle === undefined) ports.recorder.event(vmi, 'Normal', 'PodResized', `The launcher pod requests what ${resize.size} need`)
  else if (obstacle.reason !== shown?.reason) ports.recorder.event(vmi, 'Warning', 'PodNotResized', obstacle.message)
  return obstacle
}

async function writeFinalizers(ports: Ports, vmi: VirtualMachineInstance, finalizers: readonly string[]): Promise<void> {
  await found(patchIfUnchanged(ports.client, virtualMachineInstances, vmi, { metadata: { finalizers } }))
}
