import type { Entry } from '../object-store.ts'
import type { ResourceTable } from './resource-table.ts'

/** An accepted write that waits for its commit. */
export interface PendingWrite {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly table: ResourceTable
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly revision: number
  /** Replaced revision, or 0. */
  readonly prior: number
  /** Revision before `prior`, or 0. */
  readonly beforePrior: number
  /** Size of the replaced state, for the bounds of the history. */
  readonly priorBytes: number
  /** Row in `obj`. */
  readonly kid: number
  readonly entry: Entry
  resolve(entry: Entry): void
  reject(error: Error): void
}
