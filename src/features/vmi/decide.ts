import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { networksPatch } from '#features/network-attachment/index.ts'
import { names } from './names.ts'
import type { LauncherConfig } from './launcher/launcher-resources.ts'
import { resizeOf, type PodResize } from './resize/pod-resize.ts'
import { failureOf, isLauncherReady } from './launcher/pod-state.ts'
import type { StorageStatus } from './storage/volume-status.ts'

/** A VMI with its pods and claims. */
export interface Observed {
  readonly vmi: VirtualMachineInstance
  /** Its launcher pods, without those of other VMIs of the same name. */
  readonly pods: readonly Pod[]
  /** State of its claims. Matters until the VMI is handed over to its node. */
  readonly storage: StorageStatus
  /** Configuration that launcher pods depend on. */
  readonly config: LauncherConfig
}

/**
 * The action to take now.
 *
 * Pending ─createPod→ Scheduling ─handOver→ Scheduled ─(node agent)→ Running → Succeeded | Failed
 *                          └─────fail─────→ Failed
 */
export type Action =
  | { readonly kind: 'none' }
  /** The VMI was created without admission. */
  | { readonly kind: 'addFinalizer' }
  /** Report that a claim is missing or not filled yet. */
  | { readonly kind: 'awaitStorage'; readonly storage: StorageStatus }
  | { readonly kind: 'createPod'; readonly storage: StorageStatus }
  /** The pod exists: report so, and why it does not run. */
  | { readonly kind: 'enterScheduling'; readonly pod: Pod; readonly storage: StorageStatus }
  /** The launcher is ready on its node: from now on the node agent owns the VMI. */
  | { readonly kind: 'handOver'; readonly pod: Pod; readonly nodeName: string; readonly storage: StorageStatus }
  /** The pod is not in the cache, but may exist. */
  | { readonly kind: 'confirmPodGone' }
  | { readonly kind: 'fail'; readonly reason: string; readonly message: string }
  | { readonly kind: 'deletePods'; readonly pods: readonly Pod[] }
  | { readonly kind: 'removeFinalizer' }
  /**
   * Mirror the pod's readiness on a VMI that the node agent owns, after the pod was given the size
   * and the networks of its guest. `networks`: annotations that change.
   */
  | {
      readonly kind: 'mirrorReadiness'
      readonly pod: Pod | undefined
      readonly resize?: PodResize
      readonly networks?: Readonly<Record<string, string | null>>
    }

const none: Action = { kind: 'none' }

/** Decides what to do for a VMI. Pure. */
export function decide({ vmi, pods, storage, config }: Observed): Action {
  if (isBeingDeleted(vmi)) return decideDeletion(vmi, pods)
  if (vmi.metadata.finalizers?.includes(names.finalizer) !== true) return { kind: 'addFinalizer' }
  const pod = ownPod(vmi, pods)
  switch (vmi.status?.phase) {
    case undefined:
    case '':
    case 'Pending':
      return decidePending(pod, storage)
    case 'Scheduling':
      return decideScheduling(pod, storage)
    case 'Scheduled':
      return { kind: 'mirrorReadiness', pod }
    case 'Running':
      return decideRunning(vmi, pod, config)
    case 'Succeeded':
    case 'Failed':
    case 'WaitingForSync':
    case 'Unknown':
      return none
  }
}

/**
 * Returns the pod that the guest runs in or will run in, and not the source or target of a
 * migration.
 */
export function ownPod({ status }: VirtualMachineInstance, pods: readonly Pod[]): Pod | undefined {
  const here = pods.filter(({ metadata, spec }) => {
    const isActive = status?.activePods?.[metadata.uid ?? ''] !== undefined
    return isActive ? (status?.nodeName ?? spec.nodeName) === spec.nodeName : metadata.labels?.[names.migrationJobLabel] === undefined
  })
  const active = here.filter(({ metadata }) => status?.activePods?.[metadata.uid ?? ''] !== undefined)
  const candidates = active.length > 0 ? active : here
  return candidates.find((candidate) => !isBeingDeleted(candidate)) ?? candidates[0]
}

function decideRunning(vmi: VirtualMachineInstance, pod: Pod | undefined, config: LauncherConfig): Action {
  const isAlive = pod !== undefined && !isBeingDeleted(pod) && !isPodTerminal(pod)
  const resize = isAlive ? resizeOf(vmi, pod, config) : undefined
  const networks = isAlive ? networksPatch(vmi, pod) : undefined
  return { kind: 'mirrorReadiness', pod, ...(resize === undefined ? {} : { resize }), ...(networks === undefined ? {} : { networks }) }
}

/** Deletes the pods at once: while they terminate, the node agent powers the guest off. */
function decideDeletion(vmi: VirtualMachineInstance, pods: readonly Pod[]): Action {
  const lingering = pods.filter((pod) => !isBeingDeleted(pod))
  if (lingering.length > 0) return { kind: 'deletePods', pods: lingering }
  // A guest that shuts down is not ready.
  if (pods.length > 0) return { kind: 'mirrorReadiness', pod: pods[0] }
  if (vmi.metadata.finalizers?.includes(names.finalizer) !== true) return none
  return { kind: 'removeFinalizer' }
}

function decidePending(pod: Pod | undefined, storage: StorageStatus): Action {
  if (pod !== undefined) return { kind: 'enterScheduling', pod, storage }
  return { kind: storage.obstacle === undefined ? 'createPod' : 'awaitStorage', storage }
}

function decideScheduling(pod: Pod | undefined, storage: StorageStatus): Action {
  if (pod === undefined) return { kind: 'confirmPodGone' }
  if (isBeingDeleted(pod)) {
    return { kind: 'fail', reason: 'PodDeleted', message: 'the launcher pod was deleted before the guest was started' }
  }
  if (isPodTerminal(pod)) {
    return { kind: 'fail', reason: 'PodFailed', message: `the launcher pod ended before the guest was started: ${failureOf(pod)}` }
  }
  // Content of a claim is written until its DataVolume reports success.
  if (isLauncherReady(pod) && pod.spec.nodeName !== undefined && storage.isFilled && storage.isAttached !== false) {
    return { kind: 'handOver', pod, nodeName: pod.spec.nodeName, storage }
  }
  return { kind: 'enterScheduling', pod, storage }
}
