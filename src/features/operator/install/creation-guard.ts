import { managedLabels } from '#api/access/managed.ts'
import type { ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { creationGuardName, type ServingPhase } from './webhook-registrations.ts'
import { componentNames } from '../manifests/install-strategy.ts'

/** A kind, as rules of webhooks name it: `things.example.com`. */
export type CrdName = string

/** What is known of kinds. */
export interface CreationGuardObservation {
  readonly present: ValidatingWebhookConfiguration | undefined
  readonly phase: ServingPhase
  /** Kinds that the wanted version brings, and the cluster has not. */
  readonly coming: readonly CrdName[]
  /** Kinds that other versions have brought, and the wanted one does not know. */
  readonly foreign: readonly CrdName[]
  readonly namespace: string
}

/**
 * Decides of which kinds nobody but our own components may make objects: those that no server, or
 * not every server, judges. It is closed before the kind comes, and opened when only servers of the
 * version are left that brought it. Gives the gate as it is to be, `open` for none at all;
 * undefined when it is so. Pure.
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

/** Kinds that it keeps closed. */
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
    // The label by which all webhooks go with the system.
    metadata: { name: creationGuardName, labels: { ...managedLabels, 'kubevirt.io': componentNames.api }, ...known },
    webhooks: [
      {
        name: 'new-kinds.steadyvm.io',
        // There is no such service: what cannot be asked is refused, and the refusal names it.
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
        // The components of the new version are there before its API server, and may need what they
        // have brought.
        matchConditions: [
          {
            name: 'by-others',
            expression: `!('system:steadyvm' in request.userInfo.groups) && !('system:serviceaccounts:${namespace}' in request.userInfo.groups)`,
          },
        ],
      },
    ],
  }
}
