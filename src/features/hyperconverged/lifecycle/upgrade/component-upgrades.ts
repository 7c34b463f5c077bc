import type { ComponentUpgrade } from '#api/hco/v1/status.ts'
import { stateOf } from '../../components/objects/state.ts'
import type { Outcome } from '../../reconcile/act.ts'
import { valueAt } from '../../value-at.ts'

/** Progress of a component, and what the upgrade waits for. */
export interface ComponentProgress extends ComponentUpgrade {
  /** Undefined: for nothing. */
  readonly waitsFor: string | undefined
}

/**
 * Compares each installed component with the version that is expected. That is the one in the
 * environment as upstream has it (`CDI_VERSION`), else the one that the KubeVirt object asks for,
 * else our own for our own KubeVirt. Others decide themselves: they are upgraded once they run what
 * they want to run. Pure.
 */
export function componentUpgradesOf(
  outcomes: readonly Outcome[],
  { own, environment }: { readonly own: string; readonly environment: Readonly<Record<string, string | undefined>> },
): readonly ComponentProgress[] {
  return outcomes.flatMap((outcome): ComponentProgress[] => {
    // Nothing is upgraded by an object without an operator of its own.
    if (outcome.decision.observed.component.reports === false) return []
    const { name, state, version, targetVersion, message = '' } = stateOf(outcome)
    if (state === 'Absent' || state === 'NotWanted') return []
    const expectedVersion = expectedOf(outcome, own, environment)
    const wanted = expectedVersion ?? targetVersion ?? version
    const isUpgraded = state === 'Ready' && version === wanted
    const stage = stageOf(outcome)
    const doing = [
      ...(version === wanted || wanted === undefined ? [] : [`runs ${version ?? 'no version yet'} and is to run ${wanted}`]),
      ...(stage === undefined ? [] : [`is at stage ${stage.name}${stage.progress}`]),
    ]
    const complaint = message === '' || state === 'Ready' ? [] : [message]
    const phrase = [...(doing.length === 0 ? [] : [doing.join(', ')]), ...complaint].join(': ')
    return [
      {
        name,
        upgraded: isUpgraded,
        ...(version === undefined ? {} : { version }),
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
        ...(stage === undefined || isUpgraded ? {} : { stage: stage.name }),
        waitsFor: isUpgraded ? undefined : `${name} ${phrase}`,
      },
    ]
  })
}

function expectedOf(
  { decision, written }: Outcome,
  own: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { component, present } = decision.observed
  const setting = environment[`${component.name.toUpperCase().replaceAll('-', '_')}_VERSION`]
  if (setting !== undefined && setting !== '') return setting
  if (component.name !== 'kubevirt') return undefined
  const { spec, status } = written ?? present ?? {}
  const tag = valueAt(spec, ['imageTag'])
  if (typeof tag === 'string' && tag !== '') return tag
  // KubeVirt's own operator has versions of its own.
  return valueAt(status, ['steadyvm']) === undefined ? undefined : own
}

/** Stage of KubeVirt's own upgrade, with the progress of its pods. */
function stageOf({ decision, written }: Outcome): { readonly name: string; readonly progress: string } | undefined {
  const status = (written ?? decision.observed.present)?.status
  const name = valueAt(status, ['steadyvm', 'upgrade', 'stage'])
  if (typeof name !== 'string') return undefined
  const count = (key: string): number => Number(valueAt(status, ['steadyvm', 'upgrade', 'progress', key]) ?? 0)
  return { name, progress: count('desired') > 0 ? ` (${count('ready')} of ${count('desired')} pods)` : '' }
}
