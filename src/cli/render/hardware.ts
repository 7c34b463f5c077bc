import { findCondition } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { HardwareChangeReason, HardwareFactChange, HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { describeChange, hardwareNames, shortFingerprint, type HardwarePolicy } from '#features/hardware-record/index.ts'
import type { NextStart } from '#features/plan/index.ts'
import { table, type Paint } from './terminal.ts'

/** Options of {@link renderHardware}. */
export interface HardwareTextOptions {
  /** Prints all facts and all changes. */
  readonly isWide: boolean
  readonly paint: Paint
}

const reasons: Readonly<Record<HardwareChangeReason, string>> = {
  FirstStart: 'the first start that was looked at',
  Plugged: 'processors or memory for the running guest',
  Specification: 'a change of the VM',
  Release: 'another QEMU',
  SpecificationAndRelease: 'a change of the VM, and another QEMU',
  Host: 'another node',
  Cluster: 'the configuration of the cluster',
}

/** Fields printed per change unless `isWide`. */
const mostChanges = 6

/** Predicted next start, and the policy that decides about it. */
export type ExpectedStart = NextStart & { readonly policy: HardwarePolicy }

/** Renders the recorded hardware, its history and the next start. */
export function renderHardware(record: HardwareRecord, ahead: ExpectedStart, { isWide, paint }: HardwareTextOptions): string {
  const rows = record.history.map(({ fingerprint, since, reason, qemu }) => [
    shortFingerprint(fingerprint),
    since,
    reasons[reason] ?? reason,
    qemu,
  ])
  const lines = table([['FINGERPRINT', 'SINCE', 'BECAUSE OF', 'QEMU'], ...rows])
    .trimEnd()
    .split('\n')
  const [heading = '', ...entries] = lines
  const history = entries.map((line, index) => `${line}\n${changesOf(record.history[index]?.changes ?? [], isWide)}`)
  const facts = Object.keys(record.facts)
    .toSorted()
    .map((name) => [name, record.facts[name] ?? ''])
  return `${paint('bold', heading)}\n${history.join('')}\n${describeAhead(ahead, isWide)}${isWide ? `\n${table([['THE GUEST SEES', ''], ...facts])}` : ''}`
}

function describeAhead(ahead: ExpectedStart, isWide: boolean): string {
  const atStart = 'What it is started with the next time is compared with this then.\n'
  if (ahead.kind === 'halted') return `It does not run. ${atStart}`
  if (ahead.kind === 'unknown') return `What its next start changes cannot be told now. ${atStart}`
  // The prediction compares settings, and not how a given QEMU implements them.
  if (ahead.changes.length === 0) return 'Its next start shows it the same, unless that is in another QEMU or on another node.\n'
  return `At its next start it sees, ${consequences[ahead.policy]}\n${changesOf(ahead.changes, isWide)}`
}

const consequences: Readonly<Record<HardwarePolicy, string>> = {
  Allow: 'without being told (policy Allow)',
  Warn: 'which is told then (policy Warn)',
  Refuse: 'and is not started before that is accepted (policy Refuse)',
}

function changesOf(changes: readonly HardwareFactChange[], isWide: boolean): string {
  const shown = isWide ? changes : changes.slice(0, mostChanges)
  const rest = changes.length - shown.length
  return [...shown.map((change) => `    ${describeChange(change)}\n`), ...(rest > 0 ? [`    and ${rest} more\n`] : [])].join('')
}

/** Returns why the start of a VM is refused because of its hardware, or undefined. */
export function refusalOf({ status }: VirtualMachine): string | undefined {
  const condition = findCondition(status?.conditions as readonly Condition[] | undefined, hardwareNames.changedCondition)
  return condition?.reason === hardwareNames.refusedReason ? condition.message : undefined
}
