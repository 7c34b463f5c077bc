import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { RuntimeClass } from './runtime-class.ts'

/** `/apis/node.k8s.io/v1/runtimeclasses` */
export const runtimeClasses: ResourceType<RuntimeClass> = {
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
}
