import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionStatus,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { setCondition } from '#apimachinery/conditions.ts'

/** Progress of the deletion of a definition's objects. */
export type Termination =
  /** The definition is marked for deletion. */
  | { readonly stage: 'pending' }
  | { readonly stage: 'inProgress' }
  | { readonly stage: 'completed' }
  | { readonly stage: 'failed'; readonly why: string }

const texts: Readonly<Record<'pending' | 'inProgress' | 'completed', Pick<CustomResourceDefinitionCondition, 'reason' | 'message'>>> = {
  pending: {
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  },
  inProgress: { reason: 'InstanceDeletionInProgress', message: 'CustomResource deletion is in progress' },
  completed: { reason: 'InstanceDeletionCompleted', message: 'removed all instances' },
}

/** Computes the Terminating condition. */
export function terminatingStatus(crd: CustomResourceDefinition, termination: Termination, now: string): CustomResourceDefinitionStatus {
  const text =
    termination.stage === 'failed'
      ? { reason: 'InstanceDeletionFailed', message: `could not issue all deletes: ${termination.why}` }
      : texts[termination.stage]
  const status = termination.stage === 'completed' ? 'False' : 'True'
  return { ...crd.status, conditions: setCondition(crd.status?.conditions, { type: 'Terminating', status, ...text }, now) }
}
