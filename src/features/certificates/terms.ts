import type { CertConfig, KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import type { Term, Terms } from '#runtime/certificates/rotation.ts'

/** Something about the terms that cannot be done. */
export interface TermProblem {
  readonly field: string
  readonly message: string
}

const hour = 3_600_000
const defaults = { ca: 168 * hour, server: 24 * hour } as const
/** Of the duration, when nothing is said. */
const renewShare = 0.2
/** With less, a cluster would be busy with nothing but its certificates. */
const leastMs = 60_000
const root = 'spec.certificateRotateStrategy.selfSigned'

/**
 * What the KubeVirt object says about certificates, and what is wrong about it. Terms with a
 * problem are the default ones. Pure.
 */
export function readTerms({ spec }: Pick<KubeVirt, 'spec'>): { readonly terms: Terms; readonly problems: readonly TermProblem[] } {
  const { ca, server, caRotateInterval, caOverlapInterval, certRotateInterval } = spec.certificateRotateStrategy?.selfSigned ?? {}
  const problems: TermProblem[] = []
  const isOld = caRotateInterval !== undefined || caOverlapInterval !== undefined || certRotateInterval !== undefined
  if (isOld && (ca !== undefined || server !== undefined))
    problems.push({ field: root, message: 'has deprecated intervals beside ca or server: say it in one of the two ways' })
  const read = (key: 'ca' | 'server', config: CertConfig | undefined): Term => {
    const durationMs = durationAt(problems, `${root}.${key}.duration`, config?.duration) ?? defaults[key]
    const renewBeforeMs = durationAt(problems, `${root}.${key}.renewBefore`, config?.renewBefore) ?? durationMs * renewShare
    if (durationMs < leastMs) problems.push({ field: `${root}.${key}.duration`, message: 'must be at least 1m' })
    if (renewBeforeMs >= durationMs) problems.push({ field: `${root}.${key}.renewBefore`, message: `must be shorter than the duration` })
    return { durationMs, renewBeforeMs }
  }
  const terms = {
    ca: read('ca', ca ?? configOf(caRotateInterval, caOverlapInterval)),
    server: read('server', server ?? configOf(certRotateInterval, undefined)),
  }
  if (terms.server.durationMs > terms.ca.durationMs)
    problems.push({ field: `${root}.server.duration`, message: 'must not be longer than that of the authority' })
  return { terms: problems.length === 0 ? terms : readTerms({ spec: {} }).terms, problems }
}

/**
 * Milliseconds in which kubelets bring files up to date with the Secrets and ConfigMaps that they
 * are made from, and some.
 */
const mountMs = 120_000

/**
 * The terms that certificates are kept by: what reads a new authority from a file needs a while to
 * hear of it. Pure.
 */
export function termsOf(kubevirt: Pick<KubeVirt, 'spec'>, hasFiles: boolean): Terms {
  return { ...readTerms(kubevirt).terms, settleMs: hasFiles ? mountMs : 0 }
}

function configOf(duration: string | undefined, renewBefore: string | undefined): CertConfig {
  return { ...(duration === undefined ? {} : { duration }), ...(renewBefore === undefined ? {} : { renewBefore }) }
}

function durationAt(problems: TermProblem[], field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = durationMs(text)
  if (ms !== undefined && ms > 0) return ms
  problems.push({ field, message: `must be a duration above 0, such as 24h or 90m, and is ${JSON.stringify(text)}` })
  return undefined
}

/** As Go writes it: `24h0m0s`. */
export function goDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 3600)}h${Math.floor(seconds / 60) % 60}m${seconds % 60}s`
}
