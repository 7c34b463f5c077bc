import type { Node } from '#api/core/v1/node.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { activeMigration, names } from '#features/vmi/index.ts'
import { healthNames } from './names.ts'

/** Milliseconds without heartbeat after which an agent counts as silent. */
const silenceMs = 5 * 60_000
/**
 * Milliseconds after the start of this controller, perhaps after an outage of the whole machine,
 * within which a running agent sends a heartbeat.
 */
const firstLookMs = 90_000
/** Milliseconds between checks while an agent is silent. */
const recheckMs = 60_000

/** A guest of the node. */
export interface Guest {
  readonly vmi: VirtualMachineInstance
  /** Its launcher pods. */
  readonly pods: readonly Pod[]
}

/** Current time, and start of the observation. Milliseconds since the epoch. */
export interface HeartbeatClock {
  readonly nowMs: number
  readonly watchedSinceMs: number
}

/** Actions for one node. */
export interface Plan {
  /** Mark the node unschedulable for guests. */
  readonly marksUnschedulable: boolean
  /** Guests that have ended, which their agent cannot report. */
  readonly lost: readonly VirtualMachineInstance[]
  /** Time of the next check, in milliseconds since the epoch. */
  readonly recheckAt: number
}

/**
 * Decides about a node whose agent is silent. An announced restart extends the time. A guest whose
 * pod lives is left alone: it runs without an agent, and starting it elsewhere would run it twice.
 * The agent of a deleted node never returns.
 */
export function decide(node: Node | undefined, guests: readonly Guest[], { nowMs, watchedSinceMs }: HeartbeatClock): Plan {
  const lookedUntil = watchedSinceMs + firstLookMs
  if (node === undefined) {
    const recheckAt = guests.length === 0 ? Infinity : Math.max(lookedUntil, nowMs + recheckMs)
    return { marksUnschedulable: false, lost: nowMs < lookedUntil ? [] : lostOf(guests), recheckAt }
  }
  const { metadata } = node
  const heardAt = Date.parse((metadata.annotations?.[healthNames.heartbeatAnnotation] ?? '').replaceAll('"', ''))
  // The node has never had an agent.
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

/** Before the hand-over the VMI belongs to virt-controller. */
function isHandedOver({ metadata, status }: VirtualMachineInstance): boolean {
  return !isBeingDeleted({ metadata }) && (status?.phase === 'Scheduled' || status?.phase === 'Running')
}

/**
 * Reports whether the guest may run in the pod. The target of a migration that was not handed over
 * has no part of it.
 */
function mayHold({ metadata, spec }: Pod, vmi: VirtualMachineInstance): boolean {
  return spec.nodeName === vmi.status?.nodeName || (metadata.name !== undefined && metadata.name === activeMigration(vmi)?.targetPod)
}

/**
 * Reports whether the pod may run, according to the kubelet: it is gone only when it is deleted or
 * has ended.
 */
function isAlive(pod: Pod): boolean {
  return !isPodTerminal(pod)
}
