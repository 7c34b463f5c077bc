import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isTrue, setCondition } from '#apimachinery/conditions.ts'

/** Names that others in the same group hold already. */
export interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>
  /** Kinds and list kinds. */
  readonly kinds: ReadonlySet<string>
}

interface NameConflict {
  readonly reason: string
  readonly name: string
}

/** The status that a definition should have: which names it got, and whether it is established. */
export function definitionStatus(crd: CustomResourceDefinition, taken: TakenNames, now: string): CustomResourceDefinitionStatus {
  const conflict = firstConflict(crd.spec.names, taken)
  const named = setCondition(crd.status?.conditions, namesCondition(conflict), now)
  const conditions = setCondition(named, establishedCondition(crd, conflict), now)
  return {
    ...crd.status,
    conditions,
    acceptedNames: conflict === undefined ? crd.spec.names : (crd.status?.acceptedNames ?? { plural: '', kind: '' }),
  }
}

function firstConflict(names: CustomResourceDefinitionNames, taken: TakenNames): NameConflict | undefined {
  const claims: [string, readonly string[], ReadonlySet<string>][] = [
    ['PluralConflict', [names.plural], taken.resources],
    ['SingularConflict', [names.singular ?? ''], taken.resources],
    ['ShortNamesConflict', names.shortNames ?? [], taken.resources],
    ['KindConflict', [names.kind], taken.kinds],
    ['ListKindConflict', [names.listKind ?? ''], taken.kinds],
  ]
  for (const [reason, wanted, held] of claims) {
    const name = wanted.find((each) => held.has(each))
    if (name !== undefined) return { reason, name }
  }
  return undefined
}

function namesCondition(conflict: NameConflict | undefined): CustomResourceDefinitionCondition {
  if (conflict === undefined) return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
  return { type: 'NamesAccepted', status: 'False', reason: conflict.reason, message: `${JSON.stringify(conflict.name)} is already in use` }
}

/** What is established stays established: objects may exist. */
function establishedCondition(crd: CustomResourceDefinition, conflict: NameConflict | undefined): CustomResourceDefinitionCondition {
  if (conflict === undefined || isTrue(crd.status?.conditions, 'Established')) {
    return { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
  }
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}

/** The status of a definition whose objects are being deleted. */
export function terminatingStatus(crd: CustomResourceDefinition, remaining: number, now: string): CustomResourceDefinitionStatus {
  const condition: CustomResourceDefinitionCondition =
    remaining === 0
      ? { type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
      : { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message: 'CustomResource deletion is in progress' }
  return { ...crd.status, conditions: setCondition(crd.status?.conditions, condition, now) }
}
