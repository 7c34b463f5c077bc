import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { evictionNames } from '#features/eviction/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Guest, Plan } from './decide.ts'
import { evacuationNames } from './names.ts'
import type { Obstacle } from './attempts/obstacle.ts'
import type { Ports } from './ports.ts'

/**
 * Reports on the VMI that its eviction was requested and why it has not left, once for each reason;
 * clears the mark and traces of an earlier one. Annotates the launcher pod for the descheduler.
 */
export async function report(ports: Ports, { vmi, launcher }: Guest, { obstacle, clearsMark }: Plan): Promise<void> {
  const isAsked = !clearsMark && (vmi.status?.evacuationNodeName ?? '') !== ''
  const standing = conditionsOf(vmi, isAsked, obstacle, ports.clock.now())
  const { namespace = '', annotations = {} } = vmi.metadata
  const notes = isAsked
    ? []
    : [evictionNames.cordonAnnotation, evictionNames.sourceAnnotation].filter((note) => annotations[note] !== undefined)
  if (standing !== undefined || clearsMark || notes.length > 0) {
    const forgotten = notes.length === 0 ? {} : { annotations: Object.fromEntries(notes.map((note) => [note, null])) }
    const status = { ...(standing === undefined ? {} : { conditions: standing }), ...(clearsMark ? { evacuationNodeName: null } : {}) }
    const isSaid = await ifStillSo(() => patchIfUnchanged(ports.client, virtualMachineInstances, vmi, { metadata: forgotten, status }))
    if (!isSaid) return
    if (obstacle !== undefined && isNews(vmi, obstacle)) ports.recorder.event(vmi, 'Warning', 'EvacuationBlocked', obstacle.message)
  }
  const isMarked = launcher?.metadata.annotations?.[evictionNames.inProgressAnnotation] !== undefined
  if (launcher === undefined || isMarked === isAsked) return
  const key = { namespace, name: launcher.metadata.name ?? '' }
  const mark = { [evictionNames.inProgressAnnotation]: isAsked ? 'kubevirt' : null }
  const body = { metadata: { uid: launcher.metadata.uid, annotations: mark } }
  await ifStillSo(() => ports.client.patch(pods, key, { type: 'merge', body }))
}

/**
 * Returns undefined when nothing has changed. A message that differs only in times is unchanged.
 */
function conditionsOf(
  vmi: VirtualMachineInstance,
  isAsked: boolean,
  obstacle: Obstacle | undefined,
  nowMs: number,
): readonly VirtualMachineInstanceCondition[] | undefined {
  const { conditions: shown } = vmi.status ?? {}
  const { askedCondition: asked, blockedCondition: blocked } = evacuationNames
  const isShown = findCondition(shown, asked) !== undefined
  if (isShown === isAsked && !isNews(vmi, obstacle)) return undefined
  const set = (list: typeof shown, condition: Omit<VirtualMachineInstanceCondition, 'status'>): VirtualMachineInstanceCondition[] =>
    setCondition<VirtualMachineInstanceCondition>(list, { status: 'True', lastProbeTime: null, ...condition }, timestamp(nowMs))
  const message = `Eviction from node ${vmi.status?.evacuationNodeName} was requested`
  const first = isAsked ? (isShown ? shown : set(shown, { type: asked, reason: asked, message })) : removeCondition(shown, asked)
  return obstacle === undefined ? removeCondition(first, blocked) : set(first, { type: blocked, ...obstacle })
}

function isNews({ status }: VirtualMachineInstance, obstacle: Obstacle | undefined): boolean {
  const shown = findCondition(status?.conditions, evacuationNames.blockedCondition)
  return shown?.reason !== obstacle?.reason || shown?.message !== obstacle?.message
}

/** Returns false when the object has changed or is gone: its watch event requeues the node. */
async function ifStillSo(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false
    throw error
  }
}
