import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { phaseBuckets } from '#runtime/metrics/durations.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** How long a VMI took to enter its phase, in seconds. What is not known is absent. */
export interface PhaseTimes {
  readonly phase: string
  readonly lastPhase: string
  readonly fromLast?: number
  readonly fromCreation?: number
  readonly fromDeletion?: number
}

/** Returns how long the entry of a new phase took; undefined if the phase is the same. Pure. */
export function phaseTimesOf(old: VirtualMachineInstance, vmi: VirtualMachineInstance): PhaseTimes | undefined {
  const [lastPhase, phase] = [old.status?.phase ?? '', vmi.status?.phase ?? '']
  if (phase === lastPhase) return undefined
  const { creationTimestamp, deletionTimestamp } = vmi.metadata
  const entered = (wanted: string): string | undefined =>
    vmi.status?.phaseTransitionTimestamps?.find((one) => one.phase === wanted)?.phaseTransitionTimestamp
  const now = entered(phase)
  const from = (field: 'fromLast' | 'fromCreation' | 'fromDeletion', since: string | null | undefined): Partial<PhaseTimes> => {
    const ms = Date.parse(now ?? '') - Date.parse(since ?? '')
    // Clocks of the writers may differ.
    return Number.isNaN(ms) ? {} : { [field]: Math.max(0, ms / 1000) }
  }
  return {
    phase,
    lastPhase,
    ...from('fromLast', lastPhase === '' ? creationTimestamp : entered(lastPhase)),
    ...from('fromCreation', creationTimestamp),
    ...(isVmiFinal(vmi) ? from('fromDeletion', deletionTimestamp) : {}),
  }
}

/**
 * Observes each change of a phase. A process that starts sees guests as they are: what has happened
 * before is not counted again.
 */
export function observePhaseTimes(metrics: Pick<Metrics, 'histogram'>, vmis: Pick<Informer<VirtualMachineInstance>, 'onEvent'>): void {
  const buckets = phaseBuckets
  const fromLast = metrics.histogram({
    name: 'kubevirt_vmi_phase_transition_time_seconds',
    help: 'Histogram of VM phase transitions duration between different phases in seconds.',
    labels: ['phase', 'last_phase'],
    buckets,
  })
  const fromCreation = metrics.histogram({
    name: 'kubevirt_vmi_phase_transition_time_from_creation_seconds',
    help: 'Histogram of VM phase transitions duration from creation time in seconds.',
    labels: ['phase'],
    buckets,
  })
  const fromDeletion = metrics.histogram({
    name: 'kubevirt_vmi_phase_transition_time_from_deletion_seconds',
    help: 'Histogram of VM phase transitions duration from deletion time in seconds.',
    labels: ['phase'],
    buckets,
  })
  vmis.onEvent((event) => {
    if (event.type !== 'updated') return
    const times = phaseTimesOf(event.old, event.object)
    if (times === undefined) return
    const { phase, lastPhase: last_phase } = times
    if (times.fromLast !== undefined) fromLast({ phase, last_phase }).observe(times.fromLast)
    if (times.fromCreation !== undefined) fromCreation({ phase }).observe(times.fromCreation)
    if (times.fromDeletion !== undefined) fromDeletion({ phase }).observe(times.fromDeletion)
  })
}
