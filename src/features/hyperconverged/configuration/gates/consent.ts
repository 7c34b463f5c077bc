import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { GateDefault } from '#api/hco/v1/status.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { compareReleases, isReleaseVersion } from '#apimachinery/release-version.ts'
import type { RenderingProblem } from '../../components/rendering/value-source.ts'

/** Annotation with the version to whose defaults of feature gates the administrator consents. */
export const consentAnnotation = 'steadyvm.io/consent-to-gate-defaults-of'

/** Condition that is there while defaults of feature gates wait for consent. */
export const consentPending = 'steadyvm.io/ConsentPending'

const field = `metadata.annotations[${consentAnnotation}]`

/** Reports whether the administrator consents to all defaults of a version. Pure. */
export function consentsTo({ metadata }: Pick<HyperConverged, 'metadata'>, version: string): boolean {
  return metadata.annotations?.[consentAnnotation] === version
}

/** Returns what is wrong with the annotation. Pure. */
export function consentProblems({ metadata }: Pick<HyperConverged, 'metadata'>): readonly RenderingProblem[] {
  const version = metadata.annotations?.[consentAnnotation]
  if (version === undefined || isReleaseVersion(version)) return []
  return [{ field, message: `must be the version whose defaults are consented to, such as v0.2.0, and is ${JSON.stringify(version)}` }]
}

/** Warns of a consent that does not count now. `version`: version of the operator. Pure. */
export function consentWarnings({ metadata }: Pick<HyperConverged, 'metadata'>, version: string | undefined): readonly string[] {
  const consented = metadata.annotations?.[consentAnnotation]
  if (consented === undefined || version === undefined || consented === version || !isReleaseVersion(consented)) return []
  const order = compareReleases(consented, version)
  if (order < 0) return [`${field} has no effect: ${consented} is older than ${version}, which runs`]
  return [
    `${field} has no effect until ${consented} runs, and then its defaults are in force at once: "steadyvm upgrade check --to ${consented}" lists those that change`,
  ]
}

/** Names the defaults that wait for consent, and says how to consent. Pure. */
export function consentConditions(defaults: readonly GateDefault[], version: string): readonly Condition[] {
  const waiting = defaults.filter(({ pending }) => pending !== undefined)
  if (waiting.length === 0) return []
  const phrases = waiting.map(({ name, state, pending }) => `${name} stays ${state}, and is ${pending} by default in ${version}`)
  const how = `to decide, list the gate in spec.featureGates; to consent to all, annotate HyperConverged with ${consentAnnotation}=${version}`
  return [{ type: consentPending, status: 'True', reason: 'GateDefaultsChanged', message: `${phrases.join('; ')}: ${how}` }]
}
