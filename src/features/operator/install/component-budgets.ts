import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { componentNames } from '../manifests/install-strategy.ts'

/** Dependencies of the budget reconciler. */
export interface BudgetPorts {
  readonly client: Pick<Client, 'patch' | 'delete'>
  readonly deployments: Pick<Lister<Deployment>, 'get'>
  readonly budgets: Pick<Lister<PodDisruptionBudget>, 'get'>
}

const guarded: readonly string[] = [componentNames.api, componentNames.controller]

/** Name of a component's PodDisruptionBudget, as in KubeVirt. */
export function budgetNameOf(component: string): string {
  return `${component}-pdb`
}

/** The next write. */
export type BudgetStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'keep'; readonly minAvailable: number }
  | { readonly kind: 'delete'; readonly budget: PodDisruptionBudget }

/**
 * Decides whether a component has a disruption budget. With several replicas, all but one stay
 * during a drain. A single replica has none, which would block the drain: it starts on another node
 * within seconds, and guests do not depend on it. Pure.
 */
export function decideBudget(deployment: Deployment | undefined, budget: PodDisruptionBudget | undefined): BudgetStep {
  const replicas = deployment === undefined || isBeingDeleted(deployment) ? 0 : (deployment.spec.replicas ?? 1)
  if (replicas <= 1) return budget === undefined ? { kind: 'none' } : { kind: 'delete', budget }
  return budget?.spec?.minAvailable === replicas - 1 ? { kind: 'none' } : { kind: 'keep', minAvailable: replicas - 1 }
}

/** Maintains the disruption budgets of Deployments. A request names a Deployment or its budget. */
export function createComponentBudgetReconciler({ client, deployments, budgets }: BudgetPorts): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const component = guarded.find((one) => name === one || name === budgetNameOf(one))
    if (component === undefined) return done
    const [deployment, key] = [deployments.get(namespace, component), { namespace, name: budgetNameOf(component) }]
    const step = decideBudget(deployment, budgets.get(namespace, key.name))
    if (step.kind === 'keep' && deployment !== undefined) {
      const body = budgetOf(deployment, step.minAvailable)
      await client.patch(
        podDisruptionBudgets,
        key,
        { type: 'apply', body, fieldManager: `virt-operator/${key.name}`, force: true },
        { signal },
      )
    } else if (step.kind === 'delete') {
      const { uid } = step.budget.metadata
      await client
        .delete(podDisruptionBudgets, key, { ...(uid === undefined ? {} : { preconditions: { uid } }), signal })
        .catch((error: unknown) => {
          if (!isNotFound(error) && !isConflict(error)) throw error
        })
    }
    return done
  }
}

/** Owned by its Deployment. */
function budgetOf({ metadata, spec }: Deployment, minAvailable: number): PodDisruptionBudget {
  const { name = '', namespace = '', uid = '', labels = {} } = metadata
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: budgetNameOf(name), namespace, labels: { ...labels }, ownerReferences: [owner] },
    spec: { minAvailable, selector: spec.selector },
  }
}
