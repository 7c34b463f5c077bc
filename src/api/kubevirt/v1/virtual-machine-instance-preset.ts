import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { DomainSpec } from './domain/domain.ts'

/** Deprecated: what guests with certain labels get where they say nothing themselves. */
export interface VirtualMachineInstancePreset extends ApiObject {
  /** Selector and values. */
  spec?: VirtualMachineInstancePresetSpec
}

/** Selector and values of a preset. */
export interface VirtualMachineInstancePresetSpec {
  /** Labels of the guests. Without any, all of the namespace. */
  selector: LabelSelector
  /** Values for the selected VMIs. */
  domain?: DomainSpec
}
