import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { type MemberTemplate, templateOf } from '../members/build.ts'
import { ordinalOf, revisionLabel } from '../names.ts'
import { mergeChanges } from './merge-changes.ts'

/**
 * Returns the merge patch that gives a VM what changed between two specs of its pool, `made` and
 * `next`, the latter of which is stored in `revision`. Without `made` the whole template. Pure.
 */
export function templatePatch(
  { metadata, spec }: VirtualMachine,
  made: VirtualMachinePoolSpec | undefined,
  next: VirtualMachinePoolSpec,
  revision: string,
): Partial<MemberTemplate> {
  const ordinal = ordinalOf({ metadata })
  const live = { metadata: { labels: { ...metadata.labels }, annotations: { ...metadata.annotations } }, spec }
  const base = made === undefined ? undefined : templateOf(made, ordinal, metadata.labels?.[revisionLabel] ?? '')
  return {
    ...(createMergePatch(live, mergeChanges(base, templateOf(next, ordinal, revision), live)) as Partial<MemberTemplate> | undefined),
  }
}
