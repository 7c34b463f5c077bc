import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { names } from '#features/vmi/index.ts'
import { evictionNames } from './names.ts'
import { evictionOutcome, type EvictionConfig } from './strategy.ts'

/** What becomes of an eviction. */
export type EvictionReview =
  | { readonly kind: 'allow' }
  | { readonly kind: 'refuse'; readonly why: string }
  /**
   * Note on the VMI that its guest shall leave the node, and refuse: the pod goes when the guest
   * has left it.
   */
  | { readonly kind: 'mark'; readonly nodeName: string; readonly why: string }

const allow: EvictionReview = { kind: 'allow' }

/**
 * Whether the pod holds a guest that runs, or will run. All other pods are none of our business.
 */
export function isActiveLauncher({ metadata, status }: Pod): boolean {
  if (metadata.labels?.[names.appLabel] !== names.launcherApp || metadata.annotations?.[names.domainAnnotation] === undefined) return false
  return !isPodTerminal({ status })
}

/**
 * Judges the eviction of a pod that holds a guest. KubeVirt's words: the descheduler reads them.
 */
export function reviewEviction(pod: Pod, vmi: VirtualMachineInstance, config: EvictionConfig): EvictionReview {
  const owner = controllerOf(pod)
  if (owner !== undefined && owner.uid !== vmi.metadata.uid) {
    return { kind: 'refuse', why: `The pod belongs to an earlier VMI ${vmi.metadata.name}, and goes with what is left of it` }
  }
  switch (evictionOutcome(vmi, config)) {
    case 'shutdown':
      return allow
    case 'block':
      return { kind: 'refuse', why: `VMI ${vmi.metadata.name} is configured with an eviction strategy but is not live-migratable` }
    case 'migrate':
    case 'external':
      return judgeMark(pod, vmi)
  }
}

function judgeMark(pod: Pod, { metadata, status }: VirtualMachineInstance): EvictionReview {
  const subject = `Eviction triggered evacuation of VMI "${metadata.namespace}/${metadata.name}"`
  if ((status?.evacuationNodeName ?? '') !== '') return { kind: 'refuse', why: `Evacuation in progress: ${subject}` }
  const { nodeName } = pod.spec
  // The guest is elsewhere: it is about to come here, or has just left.
  if (nodeName === undefined || nodeName !== status?.nodeName) return { kind: 'refuse', why: 'Eviction request for target Pod' }
  return { kind: 'mark', nodeName, why: subject }
}

/** Why the guest is to leave, beyond that it is. */
export interface EvictionContext {
  readonly isByDescheduler: boolean
  readonly isNodeCordoned: boolean
}

/**
 * The patch that notes on a VMI which node its guest shall leave. It fails when the guest has
 * moved, or the name has gone to another VMI.
 */
export function evacuationPatch({ metadata }: VirtualMachineInstance, nodeName: string, occasion: EvictionContext): JsonPatchOperation[] {
  // Notes of an earlier time would be taken for ones of today.
  const notes: readonly (readonly [string, string | undefined])[] = [
    [evictionNames.sourceAnnotation, occasion.isByDescheduler ? evictionNames.descheduler : undefined],
    [evictionNames.cordonAnnotation, occasion.isNodeCordoned ? nodeName : undefined],
  ]
  const annotations = notes.flatMap(([key, value]): JsonPatchOperation[] => {
    const path = `/metadata/annotations/${key.replace('/', '~1')}`
    if (value !== undefined) return [{ op: 'add', path, value }]
    return metadata.annotations?.[key] === undefined ? [] : [{ op: 'remove', path }]
  })
  const isFirstNote = metadata.annotations === undefined && annotations.length > 0
  return [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/status/nodeName', value: nodeName },
    ...(isFirstNote ? [{ op: 'add', path: '/metadata/annotations', value: {} } as const] : []),
    ...annotations,
    { op: 'add', path: '/status/evacuationNodeName', value: nodeName },
  ]
}
