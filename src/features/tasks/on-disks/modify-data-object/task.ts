import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { isAlreadyExists, isNotFound, messageOf } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { badInput, exitCodes, TaskFailed } from '../../exit-codes.ts'
import { isOfThisRun, ownersOf, runAnnotations, suffixOf } from '../../objects/created-objects.ts'
import { parseManifest } from '../../objects/manifest.ts'
import type { WaitStep } from '../../objects/news.ts'
import { objectName } from '../../objects/object-names.ts'
import { waitFor } from '../../objects/wait.ts'
import type { TaskContext, TaskDefinition, TaskResults } from '../../task.ts'
import { sourceStep, volumeStep } from './success.ts'

/** Kinds that can be deleted; all but the last one can be created. */
const kinds: Readonly<Record<string, ResourceType<KubeObject>>> = {
  DataVolume: dataVolumes as ResourceType<KubeObject>,
  DataSource: dataSources as ResourceType<KubeObject>,
  PersistentVolumeClaim: persistentVolumeClaims as ResourceType<KubeObject>,
}

const intervalMs = 2_000

interface DataObjectKey {
  readonly namespace: string
  readonly name: string
}

/** Creates, replaces or deletes a DataVolume or a DataSource. */
export const modifyDataObject: TaskDefinition = {
  name: 'modify-data-object',
  description: 'Creates, replaces or deletes a DataVolume or a DataSource, and waits on request until it can be used.',
  parameters: [
    {
      name: 'manifest',
      type: 'string',
      environment: 'DATA_OBJECT_MANIFEST',
      default: '',
      description: 'Manifest of the DataVolume or DataSource',
    },
    {
      name: 'namespace',
      type: 'string',
      environment: 'DATA_OBJECT_NAMESPACE',
      default: '',
      description: 'Namespace of the object (default: that of the manifest, or else of the pod)',
    },
    {
      name: 'waitForSuccess',
      type: 'string',
      environment: 'WAIT_FOR_SUCCESS',
      default: 'false',
      description: '"true" or "false": wait until the volume is filled, or the source is ready',
    },
    {
      name: 'allowReplace',
      type: 'string',
      environment: 'ALLOW_REPLACE',
      default: 'false',
      description: '"true" or "false": delete an object of the same name first',
    },
    {
      name: 'deleteObject',
      type: 'string',
      environment: 'DELETE_OBJECT',
      default: 'false',
      description: '"true" or "false": only delete an object. Other parameters have no effect then',
    },
    {
      name: 'deleteObjectKind',
      type: 'string',
      environment: 'DELETE_OBJECT_KIND',
      default: '',
      description: `Kind of the object to delete: ${Object.keys(kinds).join(', ')}`,
    },
    {
      name: 'deleteObjectName',
      type: 'string',
      environment: 'DELETE_OBJECT_NAME',
      default: '',
      description: 'Name of the object to delete',
    },
    {
      name: 'timeout',
      type: 'string',
      environment: 'TIMEOUT',
      default: '1h',
      description: 'How long deletion and success may take, such as 3h2m1s',
    },
    {
      name: 'setOwnerReference',
      type: 'string',
      environment: 'SET_OWNER_REFERENCE',
      default: 'false',
      description: '"true" or "false": the object is deleted with the pod of the task',
    },
  ],
  results: [
    { name: 'name', description: 'Name of the object' },
    { name: 'namespace', description: 'Namespace of the object' },
  ],
  rules: [
    { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes', 'datasources'], verbs: ['get', 'create', 'delete'] },
    // Checked when a DataVolume copies a volume of the namespace.
    { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes/source'], verbs: ['create'] },
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'delete'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'create'] },
  ],
  run: (context) => (context.parameters.isTrue('deleteObject') ? deleteObject(context) : createObject(context)),
}

async function deleteObject({ parameters, ...context }: TaskContext): Promise<TaskResults> {
  const [kind, name] = [parameters.text('deleteObjectKind'), objectName(parameters, 'deleteObjectName')]
  const resource = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (resource === undefined)
    throw badInput(`Parameter deleteObjectKind must be one of ${Object.keys(kinds).join(', ')}, and is ${JSON.stringify(kind)}`)
  if (name === '') throw badInput('Parameter deleteObjectName must be given')
  const key = { namespace: objectName(parameters, 'namespace') || context.namespace, name }
  await removeObject(context, resource, key)
  return { ...key }
}

async function removeObject(
  { client, log, signal }: Pick<TaskContext, 'client' | 'log' | 'signal'>,
  resource: ResourceType<KubeObject>,
  key: DataObjectKey,
): Promise<void> {
  try {
    await client.delete(resource, key, { signal })
    log(`Deleted ${resource.kind} ${key.namespace}/${key.name}`)
  } catch (error) {
    if (!isNotFound(error)) throw error
    log(`There is no ${resource.kind} ${key.namespace}/${key.name}: nothing to delete`)
  }
}

async function createObject(context: TaskContext): Promise<TaskResults> {
  const { parameters } = context
  const [waits, replaces, limitMs] = [
    parameters.isTrue('waitForSuccess'),
    parameters.isTrue('allowReplace'),
    parameters.milliseconds('timeout'),
  ]
  const { object, resource } = wantedObject(context)
  const owners = await ownersOf(context, object.metadata?.namespace ?? '')
  const owned =
    owners.length === 0
      ? object
      : { ...object, metadata: { ...object.metadata, ownerReferences: [...(object.metadata?.ownerReferences ?? []), ...owners] } }
  const end = context.clock.now() + limitMs
  if (replaces) await removeOld(context, resource, owned, limitMs)
  const key = await create(context, resource, owned)
  if (waits) await untilUsable(context, resource, key, Math.max(0, end - context.clock.now()))
  return { ...key }
}

function wantedObject(context: TaskContext): { readonly object: KubeObject; readonly resource: ResourceType<KubeObject> } {
  const { parameters } = context
  const manifest = parameters.verbatim('manifest')
  if (manifest.trim() === '') throw badInput('Parameter manifest must be given, or deleteObject must be "true"')
  const given = parseManifest('manifest', manifest)
  const kind = given.kind ?? ''
  const resource = kind === 'DataVolume' || kind === 'DataSource' ? kinds[kind] : undefined
  if (resource === undefined || parseApiVersion(given.apiVersion ?? '').group !== resource.group)
    throw badInput(`Parameter manifest must be a DataVolume or DataSource of cdi.kubevirt.io, and is a ${kind} of ${given.apiVersion}`)
  const { name = '', generateName = '' } = given.metadata ?? {}
  if (name === '' && generateName === '') throw badInput(`The ${kind} needs a metadata.name or a metadata.generateName`)
  const metadata = {
    ...given.metadata,
    // A run that begins again finds its object by the name.
    ...(name === '' && context.run !== undefined ? { name: `${generateName}${suffixOf(context, kind)}` } : {}),
    namespace: objectName(parameters, 'namespace') || given.metadata?.namespace || context.namespace,
    annotations: { ...given.metadata?.annotations, ...runAnnotations(context) },
  }
  return { object: { ...given, metadata }, resource }
}

/** Deletes an object of the same name, with its claim, and waits until both are gone. */
async function removeOld(context: TaskContext, resource: ResourceType<KubeObject>, object: KubeObject, limitMs: number): Promise<void> {
  const { client, signal } = context
  const { namespace = '', name = '' } = object.metadata ?? {}
  if (name === '') return
  const key = { namespace, name }
  const isVolume = resource.kind === 'DataVolume'
  const present = await found(client.get(resource, key, { signal }))
  if (present !== undefined && isOfThisRun(context, present)) return
  if (present !== undefined && !isBeingDeleted(present)) await removeObject(context, resource, key)
  // A DataVolume takes its claim with it. A claim without one is what is left of such a volume.
  if (present === undefined && isVolume && (await found(client.get(persistentVolumeClaims, key, { signal }))) !== undefined)
    await removeObject(context, persistentVolumeClaims as ResourceType<KubeObject>, key)
  await waitFor(context, {
    what: `the deletion of ${resource.kind} ${namespace}/${name}`,
    limitMs,
    intervalMs,
    check: async () => {
      if ((await found(client.get(resource, key, { signal }))) !== undefined) return { waiting: 'it still exists' }
      const isClaimLeft = isVolume && (await found(client.get(persistentVolumeClaims, key, { signal }))) !== undefined
      return isClaimLeft ? { waiting: 'its claim still exists' } : { done: undefined }
    },
  })
}

async function create(context: TaskContext, resource: ResourceType<KubeObject>, object: KubeObject): Promise<DataObjectKey> {
  const { client, log, signal } = context
  const { namespace = '', name = '', generateName = '' } = object.metadata ?? {}
  try {
    const { metadata } = await client.create(resource, object, { fieldValidation: 'Warn', signal })
    const key = { namespace, name: metadata?.name ?? name }
    log(`Created ${resource.kind} ${key.namespace}/${key.name}`)
    return key
  } catch (error) {
    const present = isAlreadyExists(error) && name !== '' ? await found(client.get(resource, { namespace, name }, { signal })) : undefined
    if (present !== undefined && isOfThisRun(context, present)) {
      log(`${resource.kind} ${namespace}/${name} is from an interrupted run, which goes on`)
      return { namespace, name }
    }
    const remedy = present === undefined ? '' : '; set allowReplace to "true" to replace it'
    throw new TaskFailed(
      exitCodes.createFailed,
      `Cannot create ${resource.kind} ${namespace}/${name || generateName}: ${messageOf(error)}${remedy}`,
      { cause: error },
    )
  }
}

async function untilUsable(context: TaskContext, resource: ResourceType<KubeObject>, key: DataObjectKey, limitMs: number): Promise<void> {
  const { client, signal } = context
  await waitFor(context, {
    what: `${resource.kind} ${key.namespace}/${key.name}`,
    limitMs,
    intervalMs,
    check: async (): Promise<WaitStep<undefined>> => {
      const object = await found(client.get(resource, key, { signal }))
      if (object !== undefined) return resource.kind === 'DataVolume' ? volumeStep(object as DataVolume) : sourceStep(object as DataSource)
      // CDI may delete a DataVolume that is done, and leaves its claim.
      const isDone = resource.kind === 'DataVolume' && (await found(client.get(persistentVolumeClaims, key, { signal }))) !== undefined
      if (isDone) return { done: undefined }
      throw new TaskFailed(exitCodes.waitFailed, `${resource.kind} ${key.namespace}/${key.name} was deleted meanwhile`)
    },
  })
}
