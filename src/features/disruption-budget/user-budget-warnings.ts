import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { labelSelectorFromObject, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import type { Client } from '#client/client.ts'
import { evictionOutcome, type EvictionConfig } from '#features/eviction/index.ts'
import { launcherSelector, names } from '#features/vmi/index.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'

/** Guests named in a warning; the rest is counted. */
const mostNames = 10

/** Dependencies of the webhook for users' budgets. */
export interface UserBudgetWarningOptions {
  readonly client: Pick<Client, 'list'>
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => EvictionConfig
}

/** Allows each disruption budget of a user, and warns when it selects launcher pods. */
export async function warnAboutUserBudget(
  { client, config }: UserBudgetWarningOptions,
  request: AdmissionRequest,
): Promise<AdmissionAnswer> {
  const namespace = request.namespace ?? ''
  const { items: launchers } = await client.list<Pod>(pods, { namespace, labelSelector: launcherSelector })
  const budget = request.object as PodDisruptionBudget
  const covered = launchers.filter((pod) => covers(budget, pod))
  if (covered.length === 0) return { allowed: true }
  const { items } = await client.list<VirtualMachineInstance>(virtualMachineInstances, { namespace })
  const owners = new Set(covered.map(({ metadata }) => metadata.labels?.[names.createdByLabel] ?? ''))
  const guests = items.filter(({ metadata }) => owners.has(metadata.uid ?? ''))
  return { allowed: true, warnings: warningsAbout(budget, guests, config()) }
}

/**
 * Computes a budget with absolute `minAvailable` only: other forms need the scale of the pods'
 * controller, which a VMI does not have.
 */
function warningsAbout({ spec }: PodDisruptionBudget, guests: readonly VirtualMachineInstance[], config: EvictionConfig): string[] {
  const [free, kept] = [true, false].map((isFree) => guests.filter((vmi) => (evictionOutcome(vmi, config) === 'shutdown') === isFree))
  const isNumber = typeof spec?.minAvailable === 'number'
  return [
    ...(isNumber || free === undefined || free.length === 0
      ? []
      : [
          `${listOf(free)} may be stopped by an eviction, but this budget never allows it, since a VMI does not say how many pods it wants: use spec.minAvailable with a number`,
        ]),
    ...(kept === undefined || kept.length === 0
      ? []
      : [
          `${listOf(kept)} must not be stopped by an eviction and has a budget of its own: a pod with two budgets cannot be evicted at all while virt-api is away; leave it out with the matchExpression "${names.appLabel} NotIn (${names.launcherApp})"`,
        ]),
  ]
}

function listOf(guests: readonly VirtualMachineInstance[]): string {
  const all = guests.map(({ metadata }) => metadata.name ?? '').toSorted()
  const more = all.length > mostNames ? ` and ${all.length - mostNames} more` : ''
  return `${all.length === 1 ? 'VMI' : 'Each of the VMIs'} ${all.slice(0, mostNames).join(', ')}${more}`
}

// The API server's validation refuses an invalid selector.
function covers({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean {
  try {
    return labelSelectorFromObject(spec?.selector).matches(metadata.labels ?? {})
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}
