import type { Deployment, DeploymentStatus } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet, ReplicaSetStatus } from '#api/apps/v1/replica-set.ts'
import type { Generations } from './replica-sets.ts'
import { totalAvailable, totalSize } from './replica-sets.ts'

/** The counts of a Deployment's status, from its ReplicaSets. Pure. */
export function countsOf(deployment: Deployment, { current, old }: Generations): DeploymentStatus {
  const all = [...old, ...(current === undefined ? [] : [current])]
  const sum = (field: 'replicas' | 'readyReplicas' | 'terminatingReplicas'): number =>
    all.reduce((total, one) => total + count(one, field), 0)
  const availableReplicas = totalAvailable(all)
  const { collisionCount } = deployment.status ?? {}
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum('replicas'),
    updatedReplicas: current === undefined ? 0 : count(current, 'replicas'),
    readyReplicas: sum('readyReplicas'),
    availableReplicas,
    unavailableReplicas: Math.max(0, totalSize(all) - availableReplicas),
    terminatingReplicas: sum('terminatingReplicas'),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  }
}

function count({ status }: ReplicaSet, field: keyof ReplicaSetStatus & ('replicas' | 'readyReplicas' | 'terminatingReplicas')): number {
  return status?.[field] ?? 0
}
