import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { NetworkAttachmentDefinition } from './network-attachment-definition.ts'

/** `/apis/k8s.cni.cncf.io/v1/network-attachment-definitions` */
export const networkAttachmentDefinitions: ResourceType<NetworkAttachmentDefinition> = {
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  kind: 'NetworkAttachmentDefinition',
  plural: 'network-attachment-definitions',
  namespaced: true,
}
