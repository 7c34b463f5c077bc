import type { Pod } from '#api/core/v1/pod.ts'
import type { PodIdentity } from '../isolation/pod-identity.ts'
import { readJsonFile, writeFileAtomically } from '../process/atomic-file.ts'
import type { PodDirectory } from './pod-directory.ts'

/** State of a pod in its directory, for when the API is not reachable or no longer has it. */
export interface SavedPod {
  readonly pod: Pod
  readonly isStatic: boolean
  /**
   * On whose behalf its processes run; undefined: not decided yet, or by a kubelet that ran all as
   * its own user.
   */
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

/** Reads the saved pod; undefined when there is none. */
export function loadPod(directory: PodDirectory): SavedPod | undefined {
  return readJsonFile(directory.podFile) as SavedPod | undefined
}
