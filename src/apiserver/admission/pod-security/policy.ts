import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'

/** Levels of the Pod Security Standards, least strict first. */
export const levels = ['privileged', 'baseline', 'restricted'] as const

export type Level = (typeof levels)[number]

/** A standard: a level as of a version of Kubernetes. */
export interface Standard {
  readonly level: Level
  /** `latest` or `v1.30`. */
  readonly version: string
}

/** Standards that a namespace's labels set. */
export interface PodSecurityPolicy {
  readonly enforce: Standard
  readonly audit: Standard
  readonly warn: Standard
}

const prefix = 'pod-security.kubernetes.io/'
const modes = ['enforce', 'audit', 'warn'] as const
const latest = 'latest'

/** Reads the `pod-security.kubernetes.io` labels of a namespace. Pure. */
export function policyOf(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: PodSecurityPolicy
  readonly errors: readonly FieldError[]
} {
  const errors: FieldError[] = []
  const read = (mode: (typeof modes)[number]): Standard & { readonly isLevelSet: boolean; readonly isVersionSet: boolean } => {
    const level = labels[prefix + mode]
    const version = labels[`${prefix}${mode}-version`]
    if (level !== undefined && !isLevel(level)) {
      errors.push(invalidValue(`metadata.labels[${prefix}${mode}]`, level, 'must be one of privileged, baseline, restricted'))
    }
    if (version !== undefined && !isVersion(version)) {
      errors.push(invalidValue(`metadata.labels[${prefix}${mode}-version]`, version, 'must be "latest" or "v1.x"'))
    }
    // A level that cannot be read must not open a namespace, nor fill the audit log.
    const unreadable = mode === 'enforce' ? 'restricted' : 'privileged'
    return {
      level: level === undefined ? 'privileged' : isLevel(level) ? level : unreadable,
      version: version !== undefined && isVersion(version) ? version : latest,
      isLevelSet: level !== undefined && (mode !== 'enforce' || isLevel(level)),
      isVersionSet: version !== undefined,
    }
  }
  const [enforce, audit, warn] = [read('enforce'), read('audit'), read('warn')]
  // Workloads whose pods would be refused later produce a warning now.
  const inherits = !warn.isLevelSet && enforce.isLevelSet && compareLevels(enforce.level, warn.level) > 0
  const warned = inherits ? { level: enforce.level, version: warn.isVersionSet ? warn.version : enforce.version } : warn
  return { policy: { enforce: standard(enforce), audit: standard(audit), warn: standard(warned) }, errors }
}

/** Greater than 0 when `a` is the stricter level. */
export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b)
}

/** `restricted:latest` */
export function describeStandard({ level, version }: Standard): string {
  return `${level}:${version}`
}

/** Minor version of a standard; Infinity for the latest. */
export function minorOf({ version }: Standard): number {
  return version === latest ? Infinity : Number(version.slice('v1.'.length))
}

function standard({ level, version }: Standard): Standard {
  return { level, version }
}

function isLevel(text: string): text is Level {
  return (levels as readonly string[]).includes(text)
}

function isVersion(text: string): boolean {
  return text === latest || /^v1\.(0|[1-9]\d*)$/.test(text)
}
