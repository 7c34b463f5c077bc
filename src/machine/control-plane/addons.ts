import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { componentNamespace } from '#api/access/component-users.ts'
import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { kubeVirtProduct } from '#api/hco/v1/product.ts'
import type { KubeVirtSpec } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { ensureComponentAccess } from './component-access.ts'
import type { Platform } from '../home/config.ts'
import { established } from './established.ts'
import { ensureAdmissionPolicies } from './admission-policies.ts'

/**
 * Hash of the manifest that an object was written from: an unchanged one is neither parsed nor
 * written.
 */
export const HASH_ANNOTATION = 'steadyvm.io/manifest-hash'
/**
 * Version that virt-operator has applied to a CRD. The operator owns it from then on, and it may be
 * of a newer release than this one.
 */
const OPERATOR_ANNOTATION = 'kubevirt.io/install-strategy-version'
/**
 * Set on the namespace once a KubeVirt object has existed: if there is none, it was deleted, and
 * the system was uninstalled.
 */
const INSTALLED_ANNOTATION = 'steadyvm.io/installed-once'
/** CRD with which the system can be installed again. */
const KUBEVIRT_DEFINITION = 'kubevirts.kubevirt.io'

/**
 * Creates what a new cluster starts with: the namespace and roles of the components, the CRDs in
 * `manifests`, and a KubeVirt object. Skips what is unchanged and replaces what is older, except
 * the KubeVirt object, which belongs to the administrator: once deleted, neither it nor what was
 * uninstalled with it is created again. `platform` says whether HyperConverged will adopt it.
 * Idempotent.
 */
export async function ensureAddons(client: Client, manifests: string, platform: Platform): Promise<void> {
  await ensureNamespace(client, componentNamespace)
  const wasInstalled = await hasBeenInstalled(client)
  const isRemoved = wasInstalled && !(await isWanted(client))
  await Promise.all([
    ensureComponentAccess(client, componentNamespace),
    ensureAdmissionPolicies(client),
    ensureDefinitions(client, manifests, ({ metadata }) => !isRemoved || metadata.name === KUBEVIRT_DEFINITION),
    applyMachineDefinitions(client, manifests),
  ])
  if (wasInstalled) return
  await ensureKubeVirt(client, platform)
  const body = { metadata: { annotations: { [INSTALLED_ANNOTATION]: 'true' } } }
  await client.patch(namespaces, { name: componentNamespace }, { type: 'merge', body })
}

async function hasBeenInstalled(client: Client): Promise<boolean> {
  const { metadata } = await client.get(namespaces, { name: componentNamespace })
  return metadata.annotations?.[INSTALLED_ANNOTATION] !== undefined
}

/** Reports whether a KubeVirt object exists that is not being deleted. */
async function isWanted(client: Client): Promise<boolean> {
  try {
    const { items } = await client.list(kubeVirts, { namespace: componentNamespace })
    return items.some(({ metadata }) => !isBeingDeleted({ metadata }))
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
  // The hash includes the number of CRDs, so that an interrupted start is detected without parsing
  // a megabyte.
  const complete = [...stamps.values()].find((stamp) => stamp?.startsWith(`${hash}/`) === true)
  if (complete !== undefined && [...stamps.values()].filter((stamp) => stamp === complete).length === Number(complete.split('/')[1])) return
  const wanted = JSON.parse(text) as CustomResourceDefinition[]
  await Promise.all(wanted.filter(isNeeded).map((definition) => ensureDefinition(client, definition, byName, `${hash}/${wanted.length}`)))
}

/**
 * Applies the CRDs that other systems bring to a cluster. Without the annotations of the operator,
 * which would take them for those of another release.
 */
async function applyMachineDefinitions(client: Client, manifests: string): Promise<void> {
  const definitions = JSON.parse(await readFile(join(manifests, 'machine-crds.generated.json'), 'utf8')) as CustomResourceDefinition[]
  for (const body of definitions)
    await client.patch(
      customResourceDefinitions,
      { name: body.metadata.name ?? '' },
      { type: 'apply', body, fieldManager: 'steadyvm', force: true },
    )
}

async function ensureNamespace(client: Client, name: string): Promise<void> {
  const present = await found(client.get(namespaces, { name }))
  if (present !== undefined) return
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }).catch(ignoreTaken)
}

/** The sections that KubeVirt's own object has: clients patch below them. */
const defaultSpec: KubeVirtSpec = {
  certificateRotateStrategy: {},
  configuration: { developerConfiguration: { featureGates: [] } },
  customizeComponents: {},
  imagePullPolicy: 'IfNotPresent',
  workloadUpdateStrategy: {},
}

/** Any name counts: other installers choose their own. */
async function ensureKubeVirt(client: Client, platform: Platform): Promise<void> {
  await established(client, KUBEVIRT_DEFINITION)
  const present = await client.list(kubeVirts, { namespace: componentNamespace, limit: 1 })
  if (present.items.length > 0) return
  const metadata = { name: 'kubevirt', namespace: componentNamespace }
  const spec = platform === 'hyperconverged' ? { ...defaultSpec, ...kubeVirtProduct } : defaultSpec
  await client.create(kubeVirts, { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata, spec }).catch(ignoreTaken)
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
 * Keeps `served` and the conversion of versions that manifests ship unserved: both are changed in
 * the cluster.
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
