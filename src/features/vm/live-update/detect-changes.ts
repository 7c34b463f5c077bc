import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { CaptureFailed, findMatchedObjects, type Expansion } from '#features/instancetype/index.ts'
import { classify, type Classification } from './classify.ts'
import type { Ports } from '../ports.ts'
import { expandInForce } from '../revisions/pin.ts'
import { hardwareFields } from '../spec/hardware-fields.ts'
import { pinnedSpec } from '../start/start-revision.ts'

/**
 * Classifies the VM's current spec against its guest. Undefined when that is unknown: the VM cannot
 * be expanded, or the revision that the guest was started from is gone.
 */
export async function detectChanges(
  ports: Ports,
  { vm, expansion }: { readonly vm: VirtualMachine; readonly expansion: Expansion | undefined },
  vmi: VirtualMachineInstance | undefined,
): Promise<Classification | undefined> {
  if (vmi === undefined || isVmiFinal(vmi) || isBeingDeleted(vmi)) return { kind: 'unchanged', fields: [] }
  const before = expansion === undefined ? undefined : await expandStarted(ports, { vm, expansion }, vmi)
  if (before === undefined || expansion === undefined || before.conflicts.length > 0) return undefined
  return classify(before, expansion, vmi, ports.config())
}

/**
 * Expands what the guest was started from, with the current cluster defaults: a changed default is
 * no change of the VM.
 */
async function expandStarted(
  ports: Ports,
  { vm, expansion }: { readonly vm: VirtualMachine; readonly expansion: Expansion },
  { status }: VirtualMachineInstance,
): Promise<Expansion | undefined> {
  const startRevision = ports.revisions.get(vm.metadata.namespace ?? '', status?.virtualMachineRevisionName ?? '')
  const spec = startRevision?.data?.['spec'] as VirtualMachineSpec | undefined
  if (spec === undefined || !isPinned(spec.instancetype) || !isPinned(spec.preference)) return undefined
  const wanted = pinnedSpec(vm)
  // The common case. Saves the second expansion.
  if (hardwareFields.every((field) => semanticEqual(spec[field], wanted[field]))) return expansion
  // A start revision may name a revision that was replaced since; the status maps it to its
  // successor.
  const { replaced } = vm.status?.steadyvm ?? {}
  const started: VirtualMachine = { ...vm, spec, status: replaced === undefined ? {} : { steadyvm: { replaced } } }
  try {
    return expandInForce(ports, started, await findMatchedObjects(ports.lookup, started))
  } catch (error) {
    if (error instanceof CaptureFailed) return undefined
    throw error
  }
}

/** A matcher without revisionName would resolve to the live object instead of the one at start. */
function isPinned(matcher: { readonly revisionName?: string } | undefined): boolean {
  return matcher === undefined || (matcher.revisionName ?? '') !== ''
}
