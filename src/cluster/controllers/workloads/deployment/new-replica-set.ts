import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { deployments, replicaSets } from '#api/apps/v1/resources.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { templateHash } from '../pods/template-hash.ts'
import { currentAnnotations, sizeAnnotations } from './annotations.ts'
import { templateHashLabel } from './names.ts'

/**
 * The ReplicaSet for the Deployment's template. Its name follows from the template: made twice, it
 * is the same one. Pure.
 */
export function newReplicaSet(deployment: Deployment, replicas: number, revision: bigint): ReplicaSet {
  const { spec, status, metadata } = deployment
  const hash = templateHash(spec.template, status?.collisionCount ?? 0)
  const labels = { ...spec.template.metadata?.labels, [templateHashLabel]: hash }
  return {
    apiVersion: apiVersionOf(replicaSets),
    kind: replicaSets.kind,
    metadata: {
      name: `${metadata.name ?? ''}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations: { ...currentAnnotations(deployment, undefined, revision), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deployments, deployment)],
    },
    spec: {
      replicas,
      minReadySeconds: spec.minReadySeconds ?? 0,
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [templateHashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
}
