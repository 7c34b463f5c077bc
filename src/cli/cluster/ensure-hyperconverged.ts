import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { validatingAdmissionPolicies, validatingAdmissionPolicyBindings } from '#api/admissionregistration/v1/resources.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { serviceAccounts, services } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { addressOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { established } from '#machine/control-plane/established.ts'
import { found } from '#client/found.ts'
import { tracingEnvironment } from '#runtime/tracing/environment.ts'
import { defaultHyperConverged, hyperConvergedKey, hyperConvergedManifests, operatorName } from '#features/hyperconverged/index.ts'
import { CommandError } from '../context.ts'
import { recordHyperConverged } from './hyperconverged-version.ts'
import { readHyperConvergedInstallation } from './own-manifests.ts'

const resources: Readonly<Record<string, ResourceType<KubeObject>>> = Object.fromEntries(
  [
    serviceAccounts,
    services,
    deployments,
    clusterRoles,
    clusterRoleBindings,
    roles,
    roleBindings,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
  ].map((resource) => [resource.kind, resource as ResourceType<KubeObject>]),
)

/**
 * Installs the operator of HyperConverged and the default object, or replaces the operator of
 * another release. What was uninstalled is not installed again. Idempotent. `before`: version that
 * was installed last.
 */
export async function ensureHyperConverged(client: Client, before: string | undefined): Promise<void> {
  const isRemoved = before !== undefined && !(await isHyperConvergedInstalled(client))
  if (!isRemoved) await install(client, before === undefined)
  await recordHyperConverged(client)
}

/** Reports whether the operator of HyperConverged is installed. */
export async function isHyperConvergedInstalled(client: Pick<Client, 'get'>): Promise<boolean> {
  return (await found(client.get(deployments, { namespace: hyperConvergedKey.namespace, name: operatorName }))) !== undefined
}

async function install(client: Client, isFirst: boolean): Promise<void> {
  const environment = tracingEnvironment(process.env)
  const installation = { ...(await readHyperConvergedInstallation(undefined)), environment }
  const definitions = installation.definitions
  const others = hyperConvergedManifests({ ...installation, definitions: [] })
  await Promise.all(definitions.map((definition) => apply(client, customResourceDefinitions, definition)))
  await Promise.all([
    ...others.map((object) => {
      const resource = resources[object.kind ?? '']
      if (resource === undefined) throw new TypeError(`${object.kind} of ${operatorName} is not known here`)
      return apply(client, resource, object)
    }),
    ...definitions.map(({ metadata }) => served(client, metadata?.name ?? '')),
  ])
  if (!isFirst) return
  await client.create(hyperConvergeds, defaultHyperConverged as never).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}

async function apply(client: Client, resource: ResourceType<KubeObject>, object: KubeObject): Promise<void> {
  await client.patch(resource, addressOf(object), { type: 'apply', body: object, fieldManager: 'steadyvm', force: true })
}

/** Milliseconds for a kind to be served. */
const servedMs = 10_000

async function served(client: Client, name: string): Promise<void> {
  try {
    await established(client, name, AbortSignal.timeout(servedMs))
  } catch (cause) {
    throw new CommandError(`CustomResourceDefinition "${name}" is not established`, undefined, { cause })
  }
}
