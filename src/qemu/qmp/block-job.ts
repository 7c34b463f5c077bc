/** A job of QEMU that works on disks, as `query-jobs` tells it. */
export interface BlockJob {
  readonly id: string
  readonly type: string
  readonly status: string
  readonly 'current-progress': number
  readonly 'total-progress': number
  readonly error?: string
}
