import { dumpPhases } from '#features/vmi/index.ts'
import type { MemoryDump } from '#qemu/index.ts'
import type { DumpFiles } from './dump-folder.ts'

/** What is known of a volume that the memory of a guest is dumped to. */
export interface ObservedDump {
  /** Phase of the volume in the VMI. */
  readonly phase: string | undefined
  /** The VMI has the volume. */
  readonly isWanted: boolean
  /** The pod that attaches it is known. */
  readonly isAttached: boolean
  /** The guest moves to another node: QEMU would refuse. */
  readonly isMoving: boolean
  /** Last dump of QEMU, whatever claim it went to. */
  readonly qemu: MemoryDump
  /** Files of this dump. Undefined: the pod that attaches the volume does not run. */
  readonly files: DumpFiles | undefined
  /** This process has begun the dump. */
  readonly hasBegun: boolean
}

/** What to do for a volume that the memory of a guest is dumped to. */
export type DumpStep =
  | 'none'
  /** Look again when QEMU reports something, or in a moment. */
  | 'wait'
  /** Name the file in the VMI: a process that starts later finds it. */
  | 'name'
  | 'start'
  /** The dump is complete: give the file its name. */
  | 'keep'
  /** The dump has its name already: tell it. */
  | 'tell'
  | 'fail'
  /** Remove what there is of a dump, so that the volume can be detached. */
  | 'release'

/**
 * Decides by what is stored: the file's name is in the VMI before there is a file, QEMU writes to a
 * file of another name, and that is renamed when it is complete. QEMU tells of its last dump only,
 * and not where it went: the file that has content is that of its last dump. Pure.
 */
export function decideDump({ phase, isWanted, isAttached, isMoving, qemu, files, hasBegun }: ObservedDump): DumpStep {
  const isActive = qemu.state === 'active'
  if (phase !== dumpPhases.inProgress) return isWanted && phase === 'AttachedToNode' && isAttached && !isMoving ? 'name' : 'none'
  // QEMU cannot break a dump off.
  if (!isWanted) return isActive ? 'wait' : 'release'
  if (files === undefined || isActive) return 'wait'
  if (files.isComplete) return 'tell'
  const { partial } = files
  const hasEnded = partial !== undefined && (hasBegun || partial.bytes > 0)
  if (!hasEnded) return isMoving ? 'wait' : 'start'
  return qemu.state === 'completed' && partial.bytes >= qemu.totalBytes ? 'keep' : 'fail'
}
