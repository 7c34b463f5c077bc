import type { Pod, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'

/** A new pod of the owner, named after it by the server. Pure. */
export function podFromTemplate(resource: ResourceType<unknown>, owner: KubeObject, template: PodTemplateSpec | undefined): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {}
  const { namespace = '', name = '' } = owner.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      generateName: `${name}-`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(resource, owner)],
    },
    spec: template?.spec ?? { containers: [] },
  }
}
