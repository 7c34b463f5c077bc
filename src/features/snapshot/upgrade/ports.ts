import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { Ports as SnapshotPorts } from '../ports.ts'

/** Dependencies of the revision upgrade of snapshots. */
export interface Ports extends Pick<
  SnapshotPorts,
  'client' | 'contents' | 'snapshots' | 'restores' | 'revisions' | 'recorder' | 'clock' | 'config' | 'lookup'
> {
  /** Reports whether an object besides the content references a revision of its namespace. */
  readonly isReferredElsewhere: (content: VirtualMachineSnapshotContent, revision: string) => boolean
}
