import { cloneWithoutNulls } from '#apimachinery/json/json-clone.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import {
  addDefaultNetworkInto,
  addInputDeviceInto,
  addMissingDisksInto,
  completeTemplateSpecInto,
  ensureDomainInto,
  type ClusterConfig,
} from '#features/cluster-config/index.ts'
import type { Draft } from '../apply/draft.ts'
import { applyInstancetypeInto } from '../apply/instancetype.ts'
import type { Conflict } from '../conflict.ts'
import { preferAutoattachInto } from '../prefer/autoattach.ts'
import { applyPreferenceInto } from '../prefer/preference.ts'
import type { Instancetype, Preference } from '../types.ts'

/** A VM without matchers, or the conflicts between the VM and its instance type. */
export type ExpandedVirtualMachine =
  | { readonly vm: VirtualMachine; readonly conflicts?: undefined }
  | { readonly conflicts: readonly [Conflict, ...Conflict[]] }

/** How a VM is expanded. */
export interface ExpandOptions {
  /**
   * True to write the input device that the guest gets by its preference, so that the result starts
   * the same guest. Without it the result is KubeVirt's, which leaves that device to the start: its
   * bus and type are then the defaults of a VM without preference.
   */
  readonly keepsGuest?: boolean
}

/**
 * Returns a VM with the hardware of its instance type and preference written into its spec, and
 * without matchers. Writes what VM, instance type and preference say, and the defaults of a
 * template; those that every start decides anew are left to the start. Pure: arguments are not
 * changed.
 */
export function expandVirtualMachine(
  vm: VirtualMachine,
  instancetype: Instancetype | undefined,
  preference: Preference | undefined,
  config: ClusterConfig,
  { keepsGuest = false }: ExpandOptions = {},
): ExpandedVirtualMachine {
  const { metadata, spec } = cloneWithoutNulls(vm.spec.template) as VirtualMachine['spec']['template']
  const draft: Draft = { spec, annotations: { ...metadata?.annotations } }
  ensureDomainInto(spec)
  addMissingDisksInto(spec)
  if (preference !== undefined) preferAutoattachInto(draft, preference.spec)
  if (keepsGuest && prefersOtherInput(preference)) addInputDeviceInto(spec)
  addDefaultNetworkInto(spec, config)
  const [conflict, ...others] = instancetype === undefined ? [] : applyInstancetypeInto(draft, instancetype.spec, preference?.spec)
  if (conflict !== undefined) return { conflicts: [conflict, ...others] }
  if (preference !== undefined) applyPreferenceInto(draft, preference.spec)
  completeTemplateSpecInto(draft.spec, config)
  return { vm: withTemplate(vm, draft) }
}

function withTemplate(vm: VirtualMachine, { spec: expanded, annotations }: Draft): VirtualMachine {
  const { instancetype: _i, preference: _p, ...spec } = vm.spec
  const metadata = { ...spec.template.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) }
  const template = { ...spec.template, ...(Object.keys(metadata).length === 0 ? {} : { metadata }), spec: expanded }
  if (vm.status === undefined) return { ...vm, spec: { ...spec, template } }
  const { instancetypeRef: _ir, preferenceRef: _pr, ...status } = vm.status
  return { ...vm, spec: { ...spec, template }, status }
}

/** Reports whether an input device of the preference differs from the default. */
function prefersOtherInput(preference: Preference | undefined): boolean {
  const { preferredInputBus: bus = 'usb', preferredInputType: type = 'tablet' } = preference?.spec.devices ?? {}
  return bus !== 'usb' || type !== 'tablet'
}
