import { byOthersExpression } from '#api/access/component-users.ts'
import { managedLabels } from '#api/access/managed.ts'
import type { ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { creationGuardName, type ServingPhase } from './webhook-registrations.ts'
import { componentNames } from '../manifests/install-strategy.ts'

/** Name of a CRD: `things.example.com`. */
export type CrdName = string

/** CRDs and the current guard. */
export interface CreationGuardObservation {
  readonly present: ValidatingWebhookConfiguration | undefined
  readonly phase: ServingPhase
  /** CRDs of the wanted version that the cluster does not have. */
  readonly coming: readonly CrdName[]
  /** CRDs of other versions that the wanted one does not have. */
  readonly foreign: readonly CrdName[]
  readonly namespace: string
}

/**
 * Decides for which CRDs only our own components may create objects: those that not every serving
 * virt-api validates. The guard closes before a CRD is created and opens when only servers of its
 * version are left. Returns the guard to write, `open` to delete it, undefined when it is correct.
 * Pure.
 */
export function decideCreationGuard({
  present,
  phase,
  coming,
  foreign,
  namespace,
}: CreationGuardObservation): ValidatingWebhookConfiguration | 'open' | undefined {
  const closed = guardedCrds(present)
  const wanted = new Set([...(phase === 'after' ? [] : [...closed, ...coming]), ...(phase === 'before' ? [] : foreign)])
  if (present !== undefined && wanted.size === closed.length && closed.every((kind) => wanted.has(kind))) return undefined
  if (wanted.size === 0) return present === undefined ? undefined : 'open'
  return gateOf([...wanted].toSorted(), namespace, present?.metadata.resourceVersion)
}

/** Returns the CRDs that a guard covers. */
export function guardedCrds(gate: ValidatingWebhookConfiguration | undefined): readonly CrdName[] {
  return (gate?.webhooks ?? []).flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups = [], resources = [] }) => resources.map((resource) => `${resource}.${apiGroups[0] ?? ''}`)),
  )
}

function gateOf(kinds: readonly CrdName[], namespace: string, resourceVersion: string | undefined): ValidatingWebhookConfiguration {
  const known = resourceVersion === undefined ? {} : { resourceVersion }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    // Uninstallation deletes all webhooks with this label.
    metadata: { name: creationGuardName, labels: { ...managedLabels, 'kubevirt.io': componentNames.api }, ...known },
    webhooks: [
      {
        name: 'new-kinds.steadyvm.io',
        // The service does not exist on purpose: requests fail, and the error shows its name.
        clientConfig: { service: { namespace, name: 'not-before-virt-api-serves-this-kind', path: '/', port: 443 } },
        rules: kinds.map((kind) => {
          const [resource = '', ...group] = kind.split('.')
          return { apiGroups: [group.join('.')], apiVersions: ['*'], resources: [resource], operations: ['CREATE'], scope: '*' }
        }),
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        sideEffects: 'None',
        timeoutSeconds: 1,
        admissionReviewVersions: ['v1'],
        // Components of the new version run before its virt-api and may create these objects.
        matchConditions: [
          {
            name: 'by-others',
            expression: byOthersExpression,
          },
        ],
      },
    ],
  }
}
