import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import { pods, services } from '#api/core/v1/resources.ts'
import type { GenerationStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { announceRestart } from '#features/node-health/index.ts'
import type { ComponentPod } from './rollout/component-pod.ts'
import type { RolloutDecision, Stage } from './rollout/decide.ts'
import { matchesStrategy, isUnedited, generationOf } from './rollout/component-state.ts'
import type { OperatorPorts } from './ports.ts'
import type { InstalledComponents } from './rollout/installed-components.ts'
import type { InstallStrategy } from './manifests/install-strategy.ts'

/** Dependencies of {@link act}. */
export type ActPorts = Pick<OperatorPorts, 'client' | 'namespace' | 'clock'>

/**
 * Applies the stages of the decision and deletes the node agents that it replaces. `expand` applies
 * CRDs and RBAC objects. Returns the rows of `status.generations`, which reveal edits by others.
 */
export async function act(
  { client, namespace, clock }: OperatorPorts,
  {
    strategy,
    found,
    generations: recorded,
  }: { strategy: InstallStrategy; found: InstalledComponents; generations: readonly GenerationStatus[] },
  { apply, remove }: Pick<RolloutDecision, 'apply' | 'remove'>,
  expand: () => Promise<void>,
  signal: AbortSignal,
): Promise<readonly GenerationStatus[]> {
  const generations = new Map(recorded.map((one) => [keyOf(one), one]))
  const keep = async <T extends KubeObject>(resource: ResourceType<T>, present: T | undefined, wanted: T): Promise<void> => {
    const name = wanted.metadata?.name ?? ''
    const row = { group: resource.group, resource: resource.plural, namespace, name }
    if (matchesStrategy(present, wanted) && isUnedited(present, generations.get(keyOf(row)))) return
    const patch = { type: 'apply', body: wanted, fieldManager: `virt-operator/${name}`, force: true } as const
    const applied = await client.patch(resource, { namespace, name }, patch, { signal })
    generations.set(keyOf(row), { ...row, ...generationOf(applied) })
  }
  const applyStage: Record<Stage | 'Expand', () => Promise<void>> = {
    Expand: expand,
    NodeAgents: () => keep(daemonSets, found.agent, strategy.agent),
    Controllers: () => keep(deployments, found.controller, strategy.controller),
    API: () => keep(deployments, found.api, strategy.api),
  }
  await Promise.all([
    keep(services, found.service, strategy.service),
    keep(services, found.exportService, strategy.exportService),
    keep(services, found.metricsService, strategy.metricsService),
    ...apply.map((stage) => applyStage[stage]()),
  ])
  for (const pod of remove) {
    await announceRestart(client, pod.node, clock.now(), signal)
    await end(pod)
  }
  return [...generations.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

  async function end({ name, uid }: ComponentPod): Promise<void> {
    await client.delete(pods, { namespace, name }, { preconditions: { uid }, signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }
}

function keyOf({ group, resource, name }: Pick<GenerationStatus, 'group' | 'resource' | 'name'>): string {
  return `${group}/${resource}/${name}`
}
