import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import type { ConfigProblem } from './setting-reader.ts'
import { windowsProblem } from './update-windows.ts'

/** Annotations of the KubeVirt object that are settings. */
export const settingAnnotations = {
  /** Time for which objects that only the former version needs are kept: `1h30m`. */
  keepFormerVersion: 'steadyvm.io/keep-former-version-for',
  /**
   * Time for which the first new pod of a component must stay ready before a rollout continues:
   * `15s`.
   */
  rolloutSoak: 'steadyvm.io/rollout-soak',
  /** Time limit for a new pod of a component to become ready: `30s`. */
  rolloutDeadline: 'steadyvm.io/rollout-deadline',
  /** `true` stops updates of guests. */
  updatePaused: 'steadyvm.io/workload-update-paused',
  /** Windows in which guests may be updated. */
  updateWindows: 'steadyvm.io/workload-update-windows',
  /** Failed updates before this time are forgiven. */
  updateResumedAt: 'steadyvm.io/workload-update-resumed-at',
} as const

const durationProblem = (text: string): string | undefined =>
  (durationMs(text) ?? -1) >= 0 ? undefined : 'must be a duration of at least 0, such as 10m or 1h30m'

/** Annotation → error of an invalid text; undefined for a valid one. */
const rules: Readonly<Record<string, (text: string) => string | undefined>> = {
  [settingAnnotations.keepFormerVersion]: durationProblem,
  [settingAnnotations.rolloutSoak]: durationProblem,
  [settingAnnotations.rolloutDeadline]: durationProblem,
  [settingAnnotations.updatePaused]: (text) => (['true', 'false'].includes(text) ? undefined : 'must be true or false'),
  [settingAnnotations.updateWindows]: (text) =>
    windowsProblem(text) === undefined ? undefined : 'must be windows in UTC such as "Mon-Fri 22:00-04:00; Sun 00:00-24:00"',
  [settingAnnotations.updateResumedAt]: (text) =>
    Number.isNaN(Date.parse(text)) ? 'must be a time such as 2026-01-31T12:00:00Z' : undefined,
}

/** Returns the errors of the annotations of a KubeVirt object. Pure. */
export function annotationProblems({ metadata }: Pick<KubeVirt, 'metadata'>): readonly ConfigProblem[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const text = metadata?.annotations?.[name] ?? ''
    const why = text === '' ? undefined : rule(text)
    return why === undefined ? [] : [{ field: `metadata.annotations[${name}]`, message: `${why}, and is ${JSON.stringify(text)}` }]
  })
}

/**
 * Reports whether the annotation pauses workload updates. An invalid value does: a delayed update
 * is safer than an unwanted one.
 */
export function pausesUpdates(text: string | undefined): boolean {
  return !['', 'false'].includes(text ?? '')
}
