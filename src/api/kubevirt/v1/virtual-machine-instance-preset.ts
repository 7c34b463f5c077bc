import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { DomainSpec } from './domain/domain.ts'

/** Deprecated: what guests with certain labels get where they say nothing themselves. */
export interface VirtualMachineInstancePreset extends ApiObject {
  /** What is given to whom. */
  spec?: VirtualMachineInstancePresetSpec
}

/** What a preset gives to whom. */
export interface VirtualMachineInstancePresetSpec {
  /** Labels of the guests. Without any, all of the namespace. */
  selector: LabelSelector
  /** What they get. */
  domain?: DomainSpec
}
