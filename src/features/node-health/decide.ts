import type { Node } from '#api/core/v1/node.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { activeMigration, names } from '#features/vmi/index.ts'
import { healthNames } from './names.ts'

/** An agent that is not heard of for so long (milliseconds) is taken for gone. */
const silenceMs = 5 * 60_000
/**
 * Whoever has just begun to watch, perhaps because the whole machine was off, waits for so long
 * (milliseconds): an agent that lives is heard of within.
 */
const firstLookMs = 90_000
/** While an agent is silent, its guests are looked at again after so long. */
const recheckMs = 60_000

/** A guest of the node. */
export interface Guest {
  readonly vmi: VirtualMachineInstance
  /** Its launcher pods. */
  readonly pods: readonly Pod[]
}

/** When it is decided, and since when somebody has watched. Milliseconds since the epoch. */
export interface HeartbeatClock {
  readonly nowMs: number
  readonly watchedSinceMs: number
}

/** What to do about a node. */
export interface Plan {
  /** Keep new guests away. */
  readonly marksUnschedulable: boolean
  /** Guests that are gone, which their agent cannot say any more. */
  readonly lost: readonly VirtualMachineInstance[]
  /** When to look again, in milliseconds since the epoch. */
  readonly recheckAt: number
}

/**
 * Decides what a silent node agent means. An agent that is being replaced may be silent for as long
 * as was announced. A guest whose pod lives is left alone whatever its agent does: it runs on
 * without it, and to start it again elsewhere would be to run it twice. Of a node that was deleted
 * nobody will ever be heard.
 */
export function decide(node: Node | undefined, guests: readonly Guest[], { nowMs, watchedSinceMs }: HeartbeatClock): Plan {
  const lookedUntil = watchedSinceMs + firstLookMs
  if (node === undefined) {
    const recheckAt = guests.length === 0 ? Infinity : Math.max(lookedUntil, nowMs + recheckMs)
    return { marksUnschedulable: false, lost: nowMs < lookedUntil ? [] : lostOf(guests), recheckAt }
  }
  const { metadata } = node
  const heardAt = Date.parse((metadata.annotations?.[healthNames.heartbeatAnnotation] ?? '').replaceAll('"', ''))
  // No agent has ever been there.
  if (Number.isNaN(heardAt)) return { marksUnschedulable: false, lost: [], recheckAt: Infinity }
  const announced = Date.parse(metadata.annotations?.[healthNames.plannedAnnotation] ?? '')
  const patientUntil = Math.max(heardAt + silenceMs, lookedUntil, Number.isNaN(announced) ? -Infinity : announced)
  if (nowMs < patientUntil) return { marksUnschedulable: false, lost: [], recheckAt: patientUntil }
  return {
    marksUnschedulable: metadata.labels?.[names.schedulableLabel] === 'true',
    lost: lostOf(guests),
    recheckAt: nowMs + recheckMs,
  }
}

function lostOf(guests: readonly Guest[]): readonly VirtualMachineInstance[] {
  return guests.filter(({ vmi, pods }) => isHandedOver(vmi) && !pods.some((pod) => isAlive(pod) && mayHold(pod, vmi))).map(({ vmi }) => vmi)
}

/** Before that, the VMI is not the agent's. */
function isHandedOver({ metadata, status }: VirtualMachineInstance): boolean {
  return !isBeingDeleted({ metadata }) && (status?.phase === 'Scheduled' || status?.phase === 'Running')
}

/**
 * Whether a guest may be in a pod. One that it was to move to, and that no agent has been told of,
 * has nothing of it.
 */
function mayHold({ metadata, spec }: Pod, vmi: VirtualMachineInstance): boolean {
  return spec.nodeName === vmi.status?.nodeName || (metadata.name !== undefined && metadata.name === activeMigration(vmi)?.targetPod)
}

/**
 * As far as the kubelet has told. What it has not, nobody knows; a pod is only gone when it is
 * deleted or has ended.
 */
function isAlive(pod: Pod): boolean {
  return !isPodTerminal(pod)
}
