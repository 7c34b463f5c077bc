import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { FlowSchema, PriorityLevelConfiguration } from './flow-schema.ts'

const group = 'flowcontrol.apiserver.k8s.io'
const version = 'v1'

/** `/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas` */
export const flowSchemas: ResourceType<FlowSchema> = { group, version, kind: 'FlowSchema', plural: 'flowschemas', namespaced: false }

/** `/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations` */
export const priorityLevelConfigurations: ResourceType<PriorityLevelConfiguration> = {
  group,
  version,
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
}
