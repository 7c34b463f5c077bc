import type { CertConfig, KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import type { Term, Terms } from '#runtime/certificates/rotation.ts'

/** A setting that cannot be applied. */
export interface DurationProblem {
  readonly field: string
  readonly message: string
}

const hour = 3_600_000
const defaults = { ca: 168 * hour, server: 24 * hour } as const
/** Share of the duration, when no renewal time is set. */
const renewShare = 0.2
/** Shorter durations would keep a cluster busy with renewals. */
const leastMs = 60_000
const root = 'spec.certificateRotateStrategy.selfSigned'

/**
 * Reads certificate durations of the KubeVirt object. Invalid ones become problems and defaults.
 * Pure.
 */
export function readCertificateDurations({ spec }: Pick<KubeVirt, 'spec'>): {
  readonly terms: Terms
  readonly problems: readonly DurationProblem[]
} {
  const { ca, server, caRotateInterval, caOverlapInterval, certRotateInterval } = spec.certificateRotateStrategy?.selfSigned ?? {}
  const problems: DurationProblem[] = []
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
  return { terms: problems.length === 0 ? terms : readCertificateDurations({ spec: {} }).terms, problems }
}

/** Milliseconds in which kubelets update files from Secrets and ConfigMaps, with a reserve. */
const mountMs = 120_000

/**
 * Returns the durations in force. Clients that read the bundle from files get more time to see a
 * new CA. Pure.
 */
export function certificateDurationsOf(kubevirt: Pick<KubeVirt, 'spec'>, hasFiles: boolean): Terms {
  return { ...readCertificateDurations(kubevirt).terms, settleMs: hasFiles ? mountMs : 0 }
}

function configOf(duration: string | undefined, renewBefore: string | undefined): CertConfig {
  return { ...(duration === undefined ? {} : { duration }), ...(renewBefore === undefined ? {} : { renewBefore }) }
}

function durationAt(problems: DurationProblem[], field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = durationMs(text)
  if (ms !== undefined && ms > 0) return ms
  problems.push({ field, message: `must be a duration above 0, such as 24h or 90m, and is ${JSON.stringify(text)}` })
  return undefined
}

/** Formats a duration as Go does: `24h0m0s`. */
export function goDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 3600)}h${Math.floor(seconds / 60) % 60}m${seconds % 60}s`
}
