import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isTrue, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { approvalOf, isProtectedGroup } from './api-approval.ts'

/** Names taken by other definitions of the group. */
export interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>
  /** Kinds and list kinds. */
  readonly kinds: ReadonlySet<string>
}

/**
 * Computes the status of a definition: accepted names, conditions, stored versions. `violations`
 * are non-structural parts of its schemas; undefined when not checked.
 */
export function definitionStatus(
  crd: CustomResourceDefinition,
  taken: TakenNames,
  now: string,
  violations?: readonly FieldError[],
): CustomResourceDefinitionStatus {
  const { acceptedNames, conflict } = acceptNames(crd, taken)
  const named = setCondition(crd.status?.conditions, namesCondition(conflict), now)
  const established = setCondition(named, establishedCondition(crd, conflict), now)
  const approved = withApproval(crd, established, now)
  return { ...crd.status, conditions: violations === undefined ? approved : withViolations(approved, violations, now), acceptedNames }
}

interface NameConflict {
  readonly reason: string
  readonly message: string
}

/**
 * Accepts each name separately: a taken one keeps its previous value. Reports the last conflict.
 */
function acceptNames(
  { spec, status }: CustomResourceDefinition,
  taken: TakenNames,
): { acceptedNames: CustomResourceDefinitionNames; conflict: NameConflict | undefined } {
  const { names } = spec
  const before = status?.acceptedNames
  let conflict: NameConflict | undefined
  const isFree = (reason: string, wanted: readonly string[], held: ReadonlySet<string>): boolean => {
    const clashes = wanted.filter((name) => name !== '' && held.has(name)).map((name) => `${JSON.stringify(name)} is already in use`)
    if (clashes.length === 0) return true
    conflict = { reason, message: clashes.length === 1 ? (clashes[0] ?? '') : `[${clashes.join(', ')}]` }
    return false
  }
  const { singular = '', listKind = '', shortNames = [], categories } = names
  const plural = isFree('PluralConflict', [names.plural], taken.resources) ? names.plural : (before?.plural ?? '')
  const givenSingular = isFree('SingularConflict', [singular], taken.resources) ? singular : (before?.singular ?? '')
  const givenShortNames = isFree('ShortNamesConflict', shortNames, taken.resources) ? names.shortNames : before?.shortNames
  const kind = isFree('KindConflict', [names.kind], taken.kinds) ? names.kind : (before?.kind ?? '')
  const givenListKind = isFree('ListKindConflict', [listKind], taken.kinds) ? listKind : (before?.listKind ?? '')
  const acceptedNames: CustomResourceDefinitionNames = {
    plural,
    ...(givenSingular === '' ? {} : { singular: givenSingular }),
    ...(givenShortNames === undefined ? {} : { shortNames: givenShortNames }),
    kind,
    ...(givenListKind === '' ? {} : { listKind: givenListKind }),
    ...(categories === undefined ? {} : { categories }),
  }
  return { acceptedNames, conflict }
}

function namesCondition(conflict: NameConflict | undefined): CustomResourceDefinitionCondition {
  if (conflict === undefined) return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
  return { type: 'NamesAccepted', status: 'False', ...conflict }
}

/** Established never becomes False, as objects may exist. */
function establishedCondition(crd: CustomResourceDefinition, conflict: NameConflict | undefined): CustomResourceDefinitionCondition {
  if (conflict === undefined || isTrue(crd.status?.conditions, 'Established')) {
    return { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
  }
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}

const approvalReasons = {
  approved: 'ApprovedAnnotation',
  bypassed: 'UnapprovedAnnotation',
  invalid: 'InvalidAnnotation',
  missing: 'MissingAnnotation',
} as const

/** Sets the approval condition in protected groups. */
function withApproval(
  { spec, metadata }: CustomResourceDefinition,
  conditions: CustomResourceDefinitionCondition[],
  now: string,
): CustomResourceDefinitionCondition[] {
  const type = 'KubernetesAPIApprovalPolicyConformant'
  if (!isProtectedGroup(spec.group)) return removeCondition(conditions, type)
  const { state, message } = approvalOf(metadata?.annotations)
  return setCondition(conditions, { type, status: state === 'approved' ? 'True' : 'False', reason: approvalReasons[state], message }, now)
}

/** Only definitions older than a rule can violate it. */
function withViolations(
  conditions: CustomResourceDefinitionCondition[],
  violations: readonly FieldError[],
  now: string,
): CustomResourceDefinitionCondition[] {
  const type = 'NonStructuralSchema'
  if (violations.length === 0) return removeCondition(conditions, type)
  const lines = violations.map(({ field, message }) => `${field}: ${message}`)
  const message = lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`
  return setCondition(conditions, { type, status: 'True', reason: 'Violations', message }, now)
}
