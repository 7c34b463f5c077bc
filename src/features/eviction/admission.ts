import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { names } from '#features/vmi/index.ts'
import { evictionNames } from './names.ts'
import { evictionOutcome, type EvictionConfig } from './strategy.ts'

/** Outcome of a review of an eviction. */
export type EvictionReview =
  | { readonly kind: 'allow' }
  | { readonly kind: 'refuse'; readonly why: string }
  /** Mark the VMI to leave the node, and refuse: the pod is deleted after the migration. */
  | { readonly kind: 'mark'; readonly nodeName: string; readonly why: string }

const allow: EvictionReview = { kind: 'allow' }

/**
 * Reports whether the pod is a launcher that has not ended. Evictions of other pods are allowed.
 */
export function isActiveLauncher({ metadata, status }: Pod): boolean {
  if (metadata.labels?.[names.appLabel] !== names.launcherApp || metadata.annotations?.[names.domainAnnotation] === undefined) return false
  return !isPodTerminal({ status })
}

/** The guest that a pod has attached a volume for. */
export interface AttachedGuest {
  readonly name: string
  readonly uid: string
}

/** Returns the guest of a pod that attaches a volume; undefined for other pods. */
export function attachedGuestOf({ metadata, status }: Pod): AttachedGuest | undefined {
  if (metadata.labels?.[names.appLabel] !== names.attachmentApp || isPodTerminal({ status })) return undefined
  const { [names.attachedVmiAnnotation]: name = '', [names.attachedVmiUidAnnotation]: uid = '' } = metadata.annotations ?? {}
  return { name, uid }
}

/** Reviews the eviction of a launcher pod. KubeVirt's texts: the descheduler parses them. */
export function reviewEviction(pod: Pod, vmi: VirtualMachineInstance, config: EvictionConfig): EvictionReview {
  const owner = controllerOf(pod)
  if (owner !== undefined && owner.uid !== vmi.metadata.uid) {
    return { kind: 'refuse', why: `The pod belongs to an earlier VMI ${vmi.metadata.name}, and is deleted with it` }
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
  // The pod is the target, or the source, of a migration.
  if (nodeName === undefined || nodeName !== status?.nodeName) return { kind: 'refuse', why: 'Eviction request for target Pod' }
  return { kind: 'mark', nodeName, why: subject }
}

/** Origin of an eviction. */
export interface EvictionContext {
  readonly isByDescheduler: boolean
  readonly isNodeCordoned: boolean
}

/**
 * Returns the patch that marks a VMI to leave the node. Fails when the guest has moved, or when the
 * name belongs to another VMI.
 */
export function evacuationPatch({ metadata }: VirtualMachineInstance, nodeName: string, occasion: EvictionContext): JsonPatchOperation[] {
  // Annotations of an earlier eviction would be misleading.
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
