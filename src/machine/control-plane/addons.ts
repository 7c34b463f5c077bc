import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isTrue } from '#apimachinery/conditions.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { ensureComponentAccess } from './component-access.ts'
import { ensureAdmissionPolicies } from './admission-policies.ts'
import { SYSTEM_NAMESPACE } from './static-pods.ts'

/**
 * Says which content of a manifest an object was made from, so that an unchanged one is neither
 * parsed nor written.
 */
const HASH_ANNOTATION = 'steadyvm.io/manifest-hash'
/**
 * Says which version virt-operator has brought a definition to: from then on it is the operator's,
 * and may be of a newer release than this one.
 */
const OPERATOR_ANNOTATION = 'kubevirt.io/install-strategy-version'
/**
 * On the namespace: the machine has had a KubeVirt object, so that one that is missing was deleted,
 * and with it the system.
 */
const INSTALLED_ANNOTATION = 'steadyvm.io/installed-once'
/** The kind by which the system is asked for again. */
const KUBEVIRT_DEFINITION = 'kubevirts.kubevirt.io'

/**
 * Gives a new cluster what it starts with: the namespace of our components and what they may do
 * there, our CustomResourceDefinitions as they are in `manifests`, and a KubeVirt object to
 * configure it by. What is there and the same is left alone; what is there and older is replaced,
 * but for the KubeVirt object, which is the administrator's: when it was deleted, neither it nor
 * what went with it comes back by itself. Safe to be cut anywhere and run again.
 */
export async function ensureAddons(client: Client, manifests: string): Promise<void> {
  await ensureNamespace(client, SYSTEM_NAMESPACE)
  const wasInstalled = await hasBeenInstalled(client)
  const isRemoved = wasInstalled && !(await isWanted(client))
  await Promise.all([
    ensureComponentAccess(client, SYSTEM_NAMESPACE),
    ensureAdmissionPolicies(client),
    ensureDefinitions(client, manifests, ({ metadata }) => !isRemoved || metadata.name === KUBEVIRT_DEFINITION),
  ])
  if (wasInstalled) return
  await ensureKubeVirt(client)
  const body = { metadata: { annotations: { [INSTALLED_ANNOTATION]: 'true' } } }
  await client.patch(namespaces, { name: SYSTEM_NAMESPACE }, { type: 'merge', body })
}

async function hasBeenInstalled(client: Client): Promise<boolean> {
  const { metadata } = await client.get(namespaces, { name: SYSTEM_NAMESPACE })
  return metadata.annotations?.[INSTALLED_ANNOTATION] !== undefined
}

/** Whether there is a KubeVirt object that nobody has deleted. */
async function isWanted(client: Client): Promise<boolean> {
  try {
    const { items } = await client.list(kubeVirts, { namespace: SYSTEM_NAMESPACE })
    return items.some(({ metadata }) => metadata.deletionTimestamp === undefined)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

async function ensureDefinitions(
  client: Client,
  manifests: string,
  isNeeded: (definition: CustomResourceDefinition) => boolean,
): Promise<void> {
  const text = await readFile(join(manifests, 'crds.generated.json'), 'utf8')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const present = await client.list(customResourceDefinitions)
  const byName = new Map(present.items.map((definition) => [definition.metadata.name, definition]))
  const stamps = new Map(present.items.map((definition) => [definition.metadata.name, stampOf(definition)]))
  // The stamp also says how many there are, so that a start that was cut between two of them is
  // noticed without parsing a megabyte.
  const complete = [...stamps.values()].find((stamp) => stamp?.startsWith(`${hash}/`) === true)
  if (complete !== undefined && [...stamps.values()].filter((stamp) => stamp === complete).length === Number(complete.split('/')[1])) return
  const wanted = JSON.parse(text) as CustomResourceDefinition[]
  await Promise.all(wanted.filter(isNeeded).map((definition) => ensureDefinition(client, definition, byName, `${hash}/${wanted.length}`)))
}

async function ensureNamespace(client: Client, name: string): Promise<void> {
  const present = await found(client.get(namespaces, { name }))
  if (present !== undefined) return
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }).catch(ignoreTaken)
}

/** Whatever its name: installers give it their own. */
async function ensureKubeVirt(client: Client): Promise<void> {
  await established(client, KUBEVIRT_DEFINITION)
  const present = await client.list(kubeVirts, { namespace: SYSTEM_NAMESPACE, limit: 1 })
  if (present.items.length > 0) return
  const metadata = { name: 'kubevirt', namespace: SYSTEM_NAMESPACE }
  await client.create(kubeVirts, { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata, spec: {} }).catch(ignoreTaken)
}

/** Resolves when what the definition defines can be used, which is a moment after it is written. */
async function established(client: Client, name: string): Promise<void> {
  const fieldSelector = `metadata.name=${name}`
  const isEstablished = ({ status }: CustomResourceDefinition): boolean => isTrue(status?.conditions, 'Established')
  for (;;) {
    const { items, metadata } = await client.list(customResourceDefinitions, { fieldSelector })
    if (items.some(isEstablished)) return
    const stop = new AbortController()
    const changes = client.watch(customResourceDefinitions, {
      fieldSelector,
      resourceVersion: metadata?.resourceVersion ?? '',
      signal: stop.signal,
    })
    for await (const { object } of changes) if (isEstablished(object as CustomResourceDefinition)) return stop.abort()
  }
}

async function ensureDefinition(
  client: Client,
  definition: CustomResourceDefinition,
  byName: ReadonlyMap<string | undefined, CustomResourceDefinition>,
  stamp: string,
): Promise<void> {
  const { name = '' } = definition.metadata
  const present = byName.get(name)
  if (present !== undefined && (stampOf(present) === stamp || present.metadata.annotations?.[OPERATOR_ANNOTATION] !== undefined)) return
  const stamped = {
    ...definition,
    metadata: { ...definition.metadata, annotations: { ...definition.metadata.annotations, [HASH_ANNOTATION]: stamp } },
  }
  if (present === undefined) await client.create(customResourceDefinitions, stamped).catch(ignoreTaken)
  else
    await client.patch(customResourceDefinitions, { name }, { type: 'merge', body: { ...stamped, spec: upgradedSpec(present, stamped) } })
}

/**
 * Versions that are shipped switched off are switched on and off in the cluster: so they stay, and
 * with them who converts, of which manifests say nothing.
 */
function upgradedSpec({ spec: present }: CustomResourceDefinition, { spec: wanted }: CustomResourceDefinition): object {
  const servedNow = new Map(present.versions.map(({ name, served }) => [name, served]))
  return {
    ...wanted,
    versions: wanted.versions.map((version) => (version.served ? version : { ...version, served: servedNow.get(version.name) ?? false })),
  }
}

function stampOf({ metadata }: CustomResourceDefinition): string | undefined {
  return metadata.annotations?.[HASH_ANNOTATION]
}

function ignoreTaken(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}
