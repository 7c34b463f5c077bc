import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { CustomResourceDefinition } from './custom-resource-definition.ts'

/** `/apis/apiextensions.k8s.io/v1/customresourcedefinitions` */
export const customResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}
