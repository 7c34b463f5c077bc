import type { Pod } from '#api/core/v1/pod.ts'
import type { PodIdentity } from '../isolation/pod-identity.ts'
import { readJsonFile, writeFileAtomically } from '../process/atomic-file.ts'
import type { PodDirectory } from './pod-directory.ts'

/** What a pod directory tells about its pod when nobody else can. */
export interface SavedPod {
  readonly pod: Pod
  readonly isStatic: boolean
  /** On whose behalf its processes run; undefined: not decided yet, or by a kubelet that ran all as its own user. */
  readonly identity?: PodIdentity
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number
  /** Set once the pod must end; milliseconds since the epoch. */
  readonly terminateBy?: number
}

/** Keeps the pod for the next kubelet. */
export function savePod(directory: PodDirectory, saved: SavedPod): SavedPod {
  writeFileAtomically(directory.podFile, JSON.stringify(saved))
  return saved
}

/** What was kept, or undefined. */
export function loadPod(directory: PodDirectory): SavedPod | undefined {
  return readJsonFile(directory.podFile) as SavedPod | undefined
}
