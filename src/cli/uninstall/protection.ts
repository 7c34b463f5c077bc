import type { MutatingWebhook, ValidatingWebhook } from '#api/admissionregistration/v1/webhook-configuration.ts'
import {
  mutatingWebhookConfigurations,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
} from '#api/admissionregistration/v1/resources.ts'
import { endpointSlices } from '#api/discovery/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { deletionPolicyName } from '#features/hyperconverged/index.ts'
import type { Platform } from './platform.ts'

/** A webhook whose Service has no pod that is ready. */
export interface DeadWebhook {
  readonly name: string
  /** `validatingwebhookconfiguration/name`. */
  readonly configuration: string
  /** `namespace/name`. */
  readonly service: string
}

/** What the API server answers to a dry run; undefined: it would do it. */
export interface Refusals {
  readonly deletion: string | undefined
  /** An update, as the removal of a finalizer is one. */
  readonly update: string | undefined
}

/** Everything that may protect a platform from its removal. */
export interface Protection {
  /** By the titles of {@link Platform.components}, and `HyperConverged`. */
  readonly refusals: ReadonlyMap<string, Refusals>
  readonly guests: { readonly instances: number; readonly machines: number }
  readonly deadWebhooks: readonly DeadWebhook[]
  /** True if the policy protects the namespace. */
  readonly hasNamespacePolicy: boolean
  /** ClusterServiceVersions of the Operator Lifecycle Manager. */
  readonly serviceVersions: readonly KubeObject[]
}

/** Annotation with which OpenShift's console does not offer to delete the object of an operator. */
export const consoleAnnotation = 'console.openshift.io/disable-operand-delete'

const clusterServiceVersions: ResourceType<KubeObject> = {
  group: 'operators.coreos.com',
  version: 'v1alpha1',
  kind: 'ClusterServiceVersion',
  plural: 'clusterserviceversions',
  namespaced: true,
}

/**
 * Asks the API server about each deletion with `dryRun=All`: only it knows all webhooks and
 * policies. Reads the webhooks, too, for the reason. Changes nothing.
 */
export async function observeProtection(
  client: Pick<Client, 'get' | 'list' | 'delete' | 'patch'>,
  { hyperconverged, components }: Platform,
  namespace: string,
  signal: AbortSignal,
): Promise<Protection> {
  const targets = [
    ...(hyperconverged === undefined ? [] : [{ title: 'HyperConverged', resource: hyperConvergeds, object: hyperconverged }]),
    ...components,
  ]
  const refusals = targets.map(async ({ title, resource, object }) => {
    const [deletion, update] = await Promise.all([
      isBeingDeleted(object) ? undefined : refusalOf(client.delete(resource, keyOf(object), { dryRun: true, signal })),
      // It changes nothing, and is admitted all the same.
      refusalOf(client.patch(resource, keyOf(object), { type: 'merge', body: { metadata: { labels: {} } } }, { dryRun: true, signal })),
    ])
    return [title, { deletion, update }] as const
  })
  const [answers, instances, machines, deadWebhooks, binding, versions] = await Promise.all([
    Promise.all(refusals),
    countOf(client, virtualMachineInstances, signal),
    countOf(client, virtualMachines, signal),
    deadWebhooksOf(client, signal),
    found(client.get(validatingAdmissionPolicyBindings, { name: deletionPolicyName }, { signal })),
    found(client.list(clusterServiceVersions, { namespace, signal })),
  ])
  return {
    refusals: new Map(answers),
    guests: { instances, machines },
    deadWebhooks,
    hasNamespacePolicy: binding !== undefined,
    serviceVersions: versions?.items ?? [],
  }
}

async function refusalOf(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (error instanceof Error) return error.message
    throw error
  }
}

async function countOf(client: Pick<Client, 'list'>, resource: ResourceType<KubeObject>, signal: AbortSignal): Promise<number> {
  const list = await found(client.list(resource, { limit: 1, signal }))
  return (list?.items.length ?? 0) + (list?.metadata.remainingItemCount ?? 0)
}

/** Finds webhooks that requests wait for, and whose Service leads nowhere. */
async function deadWebhooksOf(client: Pick<Client, 'list'>, signal: AbortSignal): Promise<readonly DeadWebhook[]> {
  const [mutating, validating, slices] = await Promise.all([
    client.list(mutatingWebhookConfigurations, { signal }),
    client.list(validatingWebhookConfigurations, { signal }),
    client.list(endpointSlices, { signal }),
  ])
  const ready = new Set(
    slices.items
      .filter(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false))
      .map(({ metadata }) => `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`),
  )
  const of = (kind: string, name: string, webhooks: readonly (MutatingWebhook | ValidatingWebhook)[] = []): readonly DeadWebhook[] =>
    webhooks.flatMap(({ name: webhook, clientConfig: { service }, failurePolicy }) => {
      const key = `${service?.namespace}/${service?.name}`
      if (service === undefined || failurePolicy === 'Ignore' || ready.has(key)) return []
      return [{ name: webhook, configuration: `${kind}/${name}`, service: key }]
    })
  return [
    ...mutating.items.flatMap(({ metadata, webhooks }) => of('mutatingwebhookconfiguration', metadata.name ?? '', webhooks)),
    ...validating.items.flatMap(({ metadata, webhooks }) => of('validatingwebhookconfiguration', metadata.name ?? '', webhooks)),
  ]
}
