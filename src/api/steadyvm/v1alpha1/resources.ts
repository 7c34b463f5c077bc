import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { ComponentOverride } from './component-override.ts'
import type { HardwareRecord } from './hardware-record.ts'

/** `/apis/steadyvm.io/v1alpha1/hardwarerecords` */
export const hardwareRecords: ResourceType<HardwareRecord> = {
  group: 'steadyvm.io',
  version: 'v1alpha1',
  kind: 'HardwareRecord',
  plural: 'hardwarerecords',
  namespaced: true,
}

/** `/apis/steadyvm.io/v1alpha1/componentoverrides` */
export const componentOverrides: ResourceType<ComponentOverride> = {
  group: 'steadyvm.io',
  version: 'v1alpha1',
  kind: 'ComponentOverride',
  plural: 'componentoverrides',
  namespaced: false,
}
