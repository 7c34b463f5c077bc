/** A pod of a component, reduced to what its replacement and its health depend on. */
export interface ComponentPod {
  readonly name: string
  readonly uid: string
  /** Empty for a pod that is not scheduled. */
  readonly node: string
  /** True if it was created from the template of the install strategy. */
  readonly isCurrent: boolean
  readonly isReady: boolean
  /** Time of the Ready condition, in milliseconds since the epoch; undefined when not ready. */
  readonly readySince: number | undefined
  /** Since when it has not been ready, in milliseconds since the epoch, when that is known. */
  readonly notReadySince?: number | undefined
  /** Creation time, in milliseconds since the epoch. */
  readonly madeAt: number
  /** Exit code and message of a container that keeps ending and is not ready. */
  readonly crash: string | undefined
  /**
   * True if the container restarted more than once and ended by itself soon after its last start.
   */
  readonly isCrashLooping?: boolean
  /** Exit code and message of the container's last end, while the pod is not ready. */
  readonly lastEnd?: string | undefined
  /** The kubelet's waiting message or reason. */
  readonly waitsFor: string | undefined
  /** True if it is being deleted. */
  readonly isLeaving: boolean
  /** True if its container was ever started. */
  readonly hasStarted?: boolean
  /** Reason why a ready canary must not be rolled out further. */
  readonly fault?: string | undefined
}
