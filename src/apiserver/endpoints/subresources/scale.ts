import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import {
  checkedReplicas,
  defined,
  readPath,
  type Scale,
  scaleApiVersion,
  type ScalePaths,
  scalePaths,
  scaleView,
  writePath,
} from '#apiserver/codec/scale-view.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { DerivedEntry } from '../derived-entry.ts'
import type { Environment } from '../environment.ts'
import { applyConfiguration, type Configuration } from '#apiserver/managed-fields/apply-configuration.ts'
import { withConversions } from '#apiserver/managed-fields/conversions.ts'
import { guaranteedUpdate } from '../write/guaranteed-update.ts'

/**
 * Returns the Scale of an object. @throws StatusError 405 when its kind has none, 500 when
 * `specReplicasPath` leads nowhere
 */
export function scaleOf(definition: ResourceDefinition, entry: Entry): Entry {
  return new DerivedEntry(scaleView(definition, entry.object), entry.revision)
}

/** Replaces the Scale of an object, that is its number of replicas. */
export async function updateScale(
  environment: Environment,
  target: Target,
  scale: Scale,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  scalePaths(target.definition, 'update')
  const sentName = scale.metadata?.name
  if (sentName !== undefined && sentName !== target.name) {
    throw badRequest(`the name of the object (${sentName}) does not match the name on the URL (${target.name})`)
  }
  return patchScale(environment, target, () => scale, options, context)
}

/** Patches the Scale of an object. */
export async function patchScale(
  environment: Environment,
  target: Target,
  next: (scale: KubeObject) => KubeObject,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const { definition } = target
  const paths = scalePaths(definition, 'patch')
  const change = (old: KubeObject): KubeObject => {
    const scale: Scale = next(scaleView(definition, old))
    const scaled = writePath(old, paths.specReplicasPath, checkedReplicas(target, scale))
    const { resourceVersion, uid } = scale.metadata ?? {}
    const { resourceVersion: _version, uid: _uid, ...metadata } = scaled.metadata ?? {}
    return { ...scaled, metadata: { ...metadata, ...defined({ resourceVersion, uid }) } }
  }
  const entry = await guaranteedUpdate(environment, target, { next: change, versionRequired: false }, options, context)
  return scaleOf(definition, entry)
}

/**
 * Applies a Scale: its manager then owns the replicas field. @throws StatusError 404 when there is
 * no object, 409 when another manager owns the field
 */
export async function applyScale(
  environment: Environment,
  target: Target,
  { config: scale, ...how }: Configuration & { readonly config: Scale },
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const { definition } = target
  const paths = scalePaths(definition, 'patch')
  const { group, version } = parseApiVersion(scale.apiVersion ?? '')
  if (scale.apiVersion !== scaleApiVersion || scale.kind !== 'Scale') {
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${scale.kind ?? ''}`)
  }
  if (scale.metadata?.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil')
  const next = (old: KubeObject): KubeObject | Promise<KubeObject> =>
    withConversions(environment, definition, (tracking) => {
      const config = configOf(definition, scale, paths)
      const applied = applyConfiguration(tracking, target, old, { ...how, config })
      const replicas = checkedReplicas(target, { spec: { replicas: readPath(applied, paths.specReplicasPath) } })
      return writePath(applied, paths.specReplicasPath, replicas)
    })
  const entry = await guaranteedUpdate(environment, target, { next, versionRequired: false, saysOwners: true }, options, context)
  return scaleOf(definition, entry)
}

/** Converts an applied Scale to an apply configuration of the object itself. */
function configOf(definition: ResourceDefinition, scale: Scale, paths: ScalePaths): KubeObject {
  const { resourceVersion, uid } = scale.metadata ?? {}
  const bare: KubeObject = { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata: defined({ resourceVersion, uid }) }
  const replicas = scale.spec?.replicas
  return replicas === undefined ? bare : writePath(bare, paths.specReplicasPath, replicas)
}
