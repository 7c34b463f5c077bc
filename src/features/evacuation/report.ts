import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { evictionNames } from '#features/eviction/index.ts'
import { timestamp } from '#runtime/clock.ts'
import type { Guest, Plan } from './decide.ts'
import { evacuationNames } from './names.ts'
import type { Ports } from './ports.ts'

/** Says on the VMI why its guest does not leave, once for each reason; and takes the note away that it shall. */
export async function report({ client, recorder, clock }: Ports, { vmi }: Guest, { obstacle, isReleased }: Plan): Promise<void> {
  const shown = findCondition(vmi.status?.conditions, evacuationNames.blockedCondition)
  const isNews = shown?.reason !== obstacle?.reason || shown?.message !== obstacle?.message
  if (!isNews && !isReleased) return
  const condition: VirtualMachineInstanceCondition | undefined =
    obstacle === undefined ? undefined : { type: evacuationNames.blockedCondition, status: 'True', lastProbeTime: null, ...obstacle }
  const conditions =
    condition === undefined
      ? removeCondition(vmi.status?.conditions, evacuationNames.blockedCondition)
      : setCondition<VirtualMachineInstanceCondition>(vmi.status?.conditions, condition, timestamp(clock.now()))
  const { name = '', namespace = '', resourceVersion, annotations = {} } = vmi.metadata
  const notes = [evictionNames.cordonAnnotation, evictionNames.sourceAnnotation].filter((note) => annotations[note] !== undefined)
  const forgotten = notes.length === 0 ? {} : { annotations: Object.fromEntries(notes.map((note) => [note, null])) }
  const body = {
    metadata: { resourceVersion, ...(isReleased ? forgotten : {}) },
    status: { ...(isNews ? { conditions } : {}), ...(isReleased ? { evacuationNodeName: null } : {}) },
  }
  try {
    await client.patch(virtualMachineInstances, { namespace, name }, { type: 'merge', body })
  } catch (error) {
    // Changed meanwhile: the cache will show it, and this is decided again.
    if (isNotFound(error) || isConflict(error)) return
    throw error
  }
  if (obstacle !== undefined && isNews) recorder.event(vmi, 'Warning', 'EvacuationBlocked', obstacle.message)
}
