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

/** So many guests are named; the rest is counted. */
const mostNames = 10

/** What the judge of users' budgets needs from the world. */
export interface UserBudgetWarningOptions {
  readonly client: Pick<Client, 'list'>
  /** Asked each time: it follows the KubeVirt object. */
  readonly config: () => EvictionConfig
}

/**
 * Lets every disruption budget of a user be, but says when it covers pods of guests what will come
 * of that.
 */
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
 * Only a budget that names a number of pods that are to stay can be computed: the others ask the
 * owner of a pod how many it wants, which a VMI does not say.
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

// A selector that makes no sense is refused by others.
function covers({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean {
  try {
    return labelSelectorFromObject(spec?.selector).matches(metadata.labels ?? {})
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}
