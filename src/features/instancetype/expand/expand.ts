import { cloneJson, cloneWithoutNulls } from '#apimachinery/json/json-clone.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import {
  addDefaultNetworkInto,
  addInputDeviceInto,
  addMissingDisksInto,
  completeVmiSpecInto,
  ensureDomainInto,
  stableUuid,
  type ClusterConfig,
} from '#features/cluster-config/index.ts'
import type { Draft } from '../apply/draft.ts'
import { applyInstancetypeInto } from '../apply/instancetype.ts'
import type { Conflict } from '../conflict.ts'
import { preferAutoattachInto } from '../prefer/autoattach.ts'
import { applyPreferenceInto } from '../prefer/preference.ts'
import type { Instancetype, Preference } from '../types.ts'
import { SourceLedger, type Source } from './sources.ts'

/** Effective VMI of a VM, with the source of each value. */
export interface Expansion {
  readonly vmi: {
    readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> }
    readonly spec: VirtualMachineInstanceSpec
  }
  /** Source of each leaf of `vmi`, by path. */
  readonly sources: ReadonlyMap<string, Source>
  /** With conflicts, `vmi` has only the VM's own values. */
  readonly conflicts: readonly Conflict[]
}

/**
 * Returns the effective VMI of a VM. Admission, controllers, the expand subresources and dry runs
 * all use it. Pure: arguments are not changed, and the result shares nothing with them.
 */
export function expand(
  vm: VirtualMachine,
  instancetype: Instancetype | undefined,
  preference: Preference | undefined,
  config: ClusterConfig,
): Expansion {
  const template = cloneWithoutNulls(vm.spec.template) as VirtualMachine['spec']['template']
  const draft: Draft = { spec: template.spec, annotations: { ...template.metadata?.annotations } }
  const vmi = { metadata: { labels: { ...template.metadata?.labels }, annotations: draft.annotations }, spec: draft.spec }
  const ledger = new SourceLedger()
  ledger.record({ metadata: { labels: template.metadata?.labels, annotations: template.metadata?.annotations }, spec: draft.spec }, 'vm')

  makeDevicesInto(draft, preference, config, (source) => ledger.record(vmi, source))
  const withoutInstancetype = instancetype === undefined ? undefined : (cloneJson(vmi) as typeof vmi)
  const conflicts = instancetype === undefined ? [] : applyInstancetypeInto(draft, instancetype.spec, preference?.spec)
  if (conflicts.length > 0) return { vmi: withoutInstancetype ?? vmi, sources: ledger.sources, conflicts }
  nameInto(draft.annotations, instancetype)
  ledger.record(vmi, 'instancetype')

  if (preference !== undefined) applyPreferenceInto(draft, preference.spec)
  nameInto(draft.annotations, preference)
  ledger.record(vmi, 'preference')

  completeVmiSpecInto(draft.spec, config)
  identifyInto(draft.spec, vm)
  ledger.record(vmi, 'default')
  return { vmi, sources: ledger.sources, conflicts }
}

/**
 * Adds devices. Autoattach preferences decide which devices are added; the other preferences then
 * complete them.
 */
function makeDevicesInto(draft: Draft, preference: Preference | undefined, config: ClusterConfig, record: (source: Source) => void): void {
  ensureDomainInto(draft.spec)
  addMissingDisksInto(draft.spec)
  record('default')
  if (preference !== undefined) preferAutoattachInto(draft, preference.spec)
  record('preference')
  addInputDeviceInto(draft.spec)
  addDefaultNetworkInto(draft.spec, config)
  record('default')
}

/** On VMIs: name of the instance type or preference that they were made with, by its kind. */
export const nameAnnotations: Readonly<Record<(Instancetype | Preference)['kind'], string>> = {
  VirtualMachineInstancetype: 'kubevirt.io/instancetype-name',
  VirtualMachineClusterInstancetype: 'kubevirt.io/cluster-instancetype-name',
  VirtualMachinePreference: 'kubevirt.io/preference-name',
  VirtualMachineClusterPreference: 'kubevirt.io/cluster-preference-name',
}

function nameInto(annotations: Record<string, string>, object: Instancetype | Preference | undefined): void {
  if (object?.metadata.name !== undefined) annotations[nameAnnotations[object.kind]] = object.metadata.name
}

/**
 * Sets hardware UUID and serial number, derived from the VM's UID, so that they are stable without
 * being stored.
 */
function identifyInto(spec: VirtualMachineInstanceSpec, vm: VirtualMachine): void {
  const uid = vm.metadata?.uid
  if (uid === undefined) return
  const firmware = (spec.domain.firmware ??= {})
  firmware.uuid ||= stableUuid(uid)
  firmware.serial ||= stableUuid(`${uid}/serial`)
}
