import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { DomainSpec } from './domain/domain.ts'

/** Deprecated: values for the fields that VMIs with certain labels leave unset. */
export interface VirtualMachineInstancePreset extends ApiObject {
  /** Selector and values. */
  spec?: VirtualMachineInstancePresetSpec
}

/** Selector and values of a preset. */
export interface VirtualMachineInstancePresetSpec {
  /** Selector of the VMIs by their labels. An empty selector selects all VMIs of the namespace. */
  selector: LabelSelector
  /** Values for the selected VMIs. */
  domain?: DomainSpec
}
