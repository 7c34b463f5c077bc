import type { Node } from '#api/core/v1/node.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { classOf, findVolume, isReachable } from '../controllers/volumes/binder/volume-match.ts'

/** Claims, volumes and classes as scheduling sees them. */
export interface VolumeView {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined
  storageClass(name: string): StorageClass | undefined
  volumes(): readonly PersistentVolume[]
}

/** Claims of a pod, resolved. */
export interface PodVolumes {
  /** Reason why the pod fits no node at all. */
  readonly problem: string | undefined
  /** Volumes that the pod has already. */
  readonly bound: readonly PersistentVolume[]
  /** Claims that wait for the pod to get a node. */
  readonly delayed: readonly PersistentVolumeClaim[]
}

const noProvisioner = 'kubernetes.io/no-provisioner'
const selectedNode = 'volume.kubernetes.io/selected-node'

/** Resolves the claims of a pod. Pure. */
export function podVolumes(pod: Pod, view: VolumeView): PodVolumes {
  const bound: PersistentVolume[] = []
  const delayed: PersistentVolumeClaim[] = []
  const stop = (problem: string): PodVolumes => ({ problem, bound, delayed })
  // Nothing makes the claims of ephemeral volumes here: the kubelet refuses the pod by their name.
  const names = (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
  if (names.length === 0) return { problem: undefined, bound, delayed }
  const volumes = new Map(view.volumes().map((volume) => [volume.metadata.name, volume]))
  for (const name of names) {
    const claim = view.claim(pod.metadata.namespace ?? '', name)
    if (claim === undefined) return stop(`persistentvolumeclaim ${JSON.stringify(name)} not found`)
    if (isBeingDeleted(claim)) return stop(`persistentvolumeclaim ${JSON.stringify(name)} is being deleted`)
    const volumeName = claim.spec?.volumeName ?? ''
    const volume = claim.status?.phase === 'Bound' ? volumes.get(volumeName) : undefined
    if (claim.status?.phase === 'Lost')
      return stop(`persistentvolumeclaim ${JSON.stringify(name)} bound to non-existent persistentvolume ${JSON.stringify(volumeName)}`)
    if (volume !== undefined) bound.push(volume)
    else if (view.storageClass(classOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer') delayed.push(claim)
    else return stop('pod has unbound immediate PersistentVolumeClaims')
  }
  return { problem: undefined, bound, delayed }
}

/** Returns why a node does not reach the pod's volumes; undefined when it does. Pure. */
export function volumeConflict({ bound, delayed }: PodVolumes, node: Node, view: VolumeView): string | undefined {
  if (!bound.every((volume) => isReachable(volume, node))) return "node(s) didn't match PersistentVolume's node affinity"
  const name = node.metadata.name ?? ''
  const isServed = (claim: PersistentVolumeClaim): boolean => {
    // A node that was selected once is kept.
    const promised = claim.metadata.annotations?.[selectedNode] ?? name
    const provisioner = view.storageClass(classOf(claim))?.provisioner ?? noProvisioner
    return promised === name && (provisioner !== noProvisioner || findVolume(claim, view.volumes(), node) !== undefined)
  }
  return delayed.every(isServed) ? undefined : "node(s) didn't find available persistent volumes to bind"
}

/** Claims without a selected node. */
export function claimsWithoutNode({ delayed }: PodVolumes): readonly PersistentVolumeClaim[] {
  return delayed.filter(({ metadata }) => metadata.annotations?.[selectedNode] === undefined)
}

/** Annotation of a claim with the selected node. */
export function selectedNodeAnnotation(node: string): Readonly<Record<string, string>> {
  return { [selectedNode]: node }
}

/** For pods without claims, and for tests. */
export const noVolumes: VolumeView = { claim: () => undefined, storageClass: () => undefined, volumes: () => [] }
