import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { revisionLabel } from '../names.ts'

/** Specs of a pool by the names of its ControllerRevisions. */
export type RevisionLookup = (name: string) => VirtualMachinePoolSpec | undefined

/** Returns the name of the revision that a VM or VMI was made from. */
export function revisionOf({ metadata }: KubeObject): string | undefined {
  return metadata?.labels?.[revisionLabel]
}

/** Reports whether the VM was made from another template than that of `spec`. Pure. */
export function isOutdatedVm(vm: VirtualMachine, spec: VirtualMachinePoolSpec, lookup: RevisionLookup): boolean {
  const made = lookup(revisionOf(vm) ?? '')
  return made === undefined || !semanticEqual(made.virtualMachineTemplate, spec.virtualMachineTemplate)
}

/**
 * What brings the guest of an up-to-date VM up to date.
 *
 *     none     it was started from the revision of the VM
 *     relabel  it was started from a revision with the same template
 *     restart  the template changed, or nothing tells what it was started from
 *     replace  the disks of the VM changed: it is deleted and created anew
 */
export type GuestUpdate = 'none' | 'relabel' | 'restart' | 'replace'

/** Compares the revision of the VM with that of its VMI, as KubeVirt does. Pure. */
export function guestUpdateOf(vm: VirtualMachine, vmi: VirtualMachineInstance, lookup: RevisionLookup): GuestUpdate {
  const [wanted, started] = [revisionOf(vm), revisionOf(vmi)]
  if (wanted === undefined || wanted === started) return 'none'
  const next = lookup(wanted)?.virtualMachineTemplate.spec
  if (next === undefined) return 'none'
  const before = lookup(started ?? '')?.virtualMachineTemplate.spec
  if (before === undefined) return 'restart'
  if (!semanticEqual(before.dataVolumeTemplates, next.dataVolumeTemplates)) return 'replace'
  return semanticEqual(before.template, next.template) ? 'relabel' : 'restart'
}
