/** Ids of findings. Scripts and documentation refer to them: they do not change. */
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
  | 'NoRoomForAgent'
  | 'ComponentNotReady'
  | 'WebhookUnanswered'
  | 'OperatorLacksRight'
  | 'GateDefaultFlips'
  | 'GateWaitsForConsent'
  | 'GateEnds'
  | 'GateAlwaysOn'
  | 'OverrideDoesNotApply'
  | 'OverrideHasNoTarget'
  | 'OverrideRefused'
  | 'OverrideExpires'

/**
 * Severity of a finding.
 * - `warning`: the upgrade begins; something will not be as its owner wants it.
 * - `forceable`: the upgrade begins only when the administrator forces it.
 * - `blocking`: the upgrade does not begin, because it could not complete.
 */
export type Severity = 'warning' | 'forceable' | 'blocking'

/** A problem that was found before an upgrade. */
export interface Finding {
  readonly id: FindingId
  readonly severity: Severity
  /** `kind/name` or `kind/namespace/name`, as kubectl names kinds. */
  readonly object: string
  /** Text of the finding. */
  readonly what: string
  /** Its consequence. */
  readonly why: string
  /** A shell command that resolves it. */
  readonly command: string
}

const order: readonly Severity[] = ['blocking', 'forceable', 'warning']

/** Sorts by severity, then by id and object. Pure. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const keyOf = ({ severity, id, object }: Finding): string => `${order.indexOf(severity)} ${id} ${object}`
  return findings.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Quotes a word for a shell. Pure. */
export function quoted(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Renders a `kubectl patch` with a merge patch. `object` is `kind/name`. Pure. */
export function mergePatch(object: string, namespace: string | undefined, body: object): string {
  return `kubectl patch ${object}${inNamespace(namespace)} --type merge -p ${quoted(JSON.stringify(body))}`
}

/** Renders a `kubectl patch` with a JSON patch. Pure. */
export function jsonPatch(object: string, namespace: string | undefined, operations: readonly object[]): string {
  return `kubectl patch ${object}${inNamespace(namespace)} --type json -p ${quoted(JSON.stringify(operations))}`
}

/** Renders kubectl's namespace flag, empty for cluster-scoped objects. Pure. */
export function inNamespace(namespace: string | undefined): string {
  return namespace === undefined ? '' : ` -n ${namespace}`
}
