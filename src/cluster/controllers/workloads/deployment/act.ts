import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import { replicaSets } from '#api/apps/v1/resources.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import type { WorkloadPorts } from '../workload-ports.ts'
import type { ReplicaSetChange } from './replica-set-change.ts'
import { generationsOf, sizeOf } from './replica-sets.ts'

/** Another ReplicaSet has the name of the template's hash. */
export class NameCollision extends Error {
  override readonly name = 'NameCollision'
}

/** Writes one change. @throws NameCollision when the name of a new ReplicaSet is taken */
export async function applyChange(
  ports: WorkloadPorts,
  deployment: Deployment,
  change: ReplicaSetChange,
  signal: AbortSignal,
): Promise<void> {
  const { client, recorder } = ports
  const { replicaSet } = change
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = replicaSet.metadata
  const key = { namespace, name }
  const tell = (direction: 'up' | 'down', from: number, to: number): void =>
    recorder.event(deployment, 'Normal', 'ScalingReplicaSet', `Scaled ${direction} replica set ${name} from ${from} to ${to}`)
  switch (change.kind) {
    case 'create':
      if ((await create(ports, deployment, replicaSet, signal)) && sizeOf(replicaSet) > 0) tell('up', 0, sizeOf(replicaSet))
      return
    case 'scale': {
      const { replicas, annotations } = change
      const body = { metadata: { uid, resourceVersion, annotations }, spec: { replicas } }
      await client.patch(replicaSets, key, { type: 'merge', body }, { signal })
      const before = sizeOf(replicaSet)
      if (before !== replicas) tell(replicas > before ? 'up' : 'down', before, replicas)
      return
    }
    case 'update': {
      const { annotations, minReadySeconds } = change
      const body = { metadata: { uid, resourceVersion, annotations }, spec: { minReadySeconds } }
      await client.patch(replicaSets, key, { type: 'merge', body }, { signal })
      return
    }
    case 'delete':
      try {
        await client.delete(replicaSets, key, { preconditions: { uid, resourceVersion }, signal })
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error
      }
  }
}

/** Resolves to whether it was made now. */
async function create({ client }: WorkloadPorts, deployment: Deployment, replicaSet: ReplicaSet, signal: AbortSignal): Promise<boolean> {
  try {
    await client.create(replicaSets, replicaSet, { signal })
    return true
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const { namespace = '', name = '' } = replicaSet.metadata
    const found = await client.get(replicaSets, { namespace, name }, { signal })
    // Ours: our cache did not know it yet.
    if (isControlledBy(found, deployment) && generationsOf(deployment, [found]).current !== undefined) return false
    throw new NameCollision(`ReplicaSet "${name}" exists and is not the one for this template`, { cause: error })
  }
}
