/**
 * What can be wrong before an upgrade. The names are for scripts and pages: they stay as they are.
 */
export type FindingId =
  | 'ReleaseMissing'
  | 'ReleaseDamaged'
  | 'PathNotAllowed'
  | 'UpgradeUnderWay'
  | 'TakenBackBefore'
  | 'KubeVirtNotUnique'
  | 'FeatureGateTurnsOff'
  | 'FeatureGateTurnsOn'
  | 'SettingNotUnderstood'
  | 'PatchDoesNotApply'
  | 'PatchHasNoTarget'
  | 'StoredVersionVanishes'
  | 'RevisionInOldVersion'
  | 'UpdatesOff'
  | 'UpdatesPaused'
  | 'WindowsNotUnderstood'
  | 'GuestCannotMove'
  | 'GuestHasNoTarget'
  | 'NoRoomToMove'
  | 'QuotaTooSmall'
  | 'MigrationTooSlow'
  | 'MachineTypeVanishes'
  | 'CpuModelVanishes'
  | 'HardwareChanges'
  | 'GuestCannotGoBack'
  | 'BudgetCountsInVain'
  | 'BudgetsOverlap'
  | 'NodeNotReady'
  | 'AgentSilent'
  | 'NodeLeftBehind'
  | 'ComponentNotReady'
  | 'WebhookUnanswered'
  | 'OperatorLacksRight'

/**
 * How much a finding matters.
 * - `warning`: the upgrade goes on, and something will not be as its owner wants it.
 * - `forceable`: the upgrade does not begin, unless the administrator says that it shall.
 * - `blocking`: the upgrade does not begin. It could not come through.
 */
export type Severity = 'warning' | 'forceable' | 'blocking'

/** Something that is in the way of an upgrade. */
export interface Finding {
  readonly id: FindingId
  readonly severity: Severity
  /** `kind/name` or `kind/namespace/name`, as kubectl names kinds. */
  readonly object: string
  /** What was found. */
  readonly what: string
  /** What comes of it. */
  readonly why: string
  /** A command line for a shell after which the finding is gone. */
  readonly command: string
}

const order: readonly Severity[] = ['blocking', 'forceable', 'warning']

/** The worst first, then by name. Pure. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const keyOf = ({ severity, id, object }: Finding): string => `${order.indexOf(severity)} ${id} ${object}`
  return findings.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** A word for a shell, as it is. Pure. */
export function quoted(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A merge patch by kubectl. `object` is `kind/name`. Pure. */
export function mergePatch(object: string, namespace: string | undefined, body: object): string {
  return `kubectl patch ${object}${inNamespace(namespace)} --type merge -p ${quoted(JSON.stringify(body))}`
}

/** A JSON patch by kubectl. Pure. */
export function jsonPatch(object: string, namespace: string | undefined, operations: readonly object[]): string {
  return `kubectl patch ${object}${inNamespace(namespace)} --type json -p ${quoted(JSON.stringify(operations))}`
}

/** The flag for a namespace; none for what is in none. Pure. */
export function inNamespace(namespace: string | undefined): string {
  return namespace === undefined ? '' : ` -n ${namespace}`
}
