import { findCondition } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { HardwareChangeReason, HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { describeChange, hardwareNames, shortFingerprint } from '#features/fingerprint/index.ts'
import { table, type Paint } from './output.ts'

/** How hardware is shown to people. */
export interface HardwareTextOptions {
  /** All facts, and all that has changed. */
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

/** More of each change only when everything is asked for. */
const mostChanges = 6

/** What a VM's guest sees of its hardware, and how that came about. */
export function renderHardware(record: HardwareRecord, { isWide, paint }: HardwareTextOptions): string {
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
  return `${paint('bold', heading)}\n${history.join('')}${isWide ? `\n${table([['THE GUEST SEES', ''], ...facts])}` : ''}`
}

function changesOf(changes: NonNullable<HardwareRecord['history'][number]['changes']>, isWide: boolean): string {
  const shown = isWide ? changes : changes.slice(0, mostChanges)
  const rest = changes.length - shown.length
  return [...shown.map((change) => `    ${describeChange(change)}\n`), ...(rest > 0 ? [`    and ${rest} more\n`] : [])].join('')
}

/** Why a VM is not started now, if that is for its hardware. */
export function refusalOf({ status }: VirtualMachine): string | undefined {
  const condition = findCondition(status?.conditions as readonly Condition[] | undefined, hardwareNames.changedCondition)
  return condition?.reason === hardwareNames.refusedReason ? condition.message : undefined
}
