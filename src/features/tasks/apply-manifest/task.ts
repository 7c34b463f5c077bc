import { isConflict, messageOf } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { badInput, exitCodes, TaskFailed } from '../exit-codes.ts'
import { parseManifests } from '../objects/manifest.ts'
import { objectName } from '../objects/object-names.ts'
import type { TaskContext, TaskDefinition } from '../task.ts'

/** Owner of the fields that the task sets. */
const fieldManager = 'steadyvm-tasks'

/** Applies objects of any kind. */
export const applyManifest: TaskDefinition = {
  name: 'apply-manifest',
  description:
    'Applies one or more objects on the server, such as ConfigMaps of a pipeline. An addition to upstream, whose pipelines need a client in a further image.',
  parameters: [
    { name: 'manifest', type: 'string', environment: 'MANIFEST', description: 'Objects as YAML or JSON, several as documents' },
    {
      name: 'namespace',
      type: 'string',
      environment: 'NAMESPACE',
      default: '',
      description: 'Namespace of objects that name none (default: that of the pod)',
    },
    {
      name: 'force',
      type: 'string',
      environment: 'FORCE',
      default: 'false',
      description: '"true" or "false": also change fields that others have set',
    },
  ],
  results: [],
  // Roles for other kinds are the user's to write.
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] }],
  async run(context) {
    const { parameters } = context
    const force = parameters.isTrue('force')
    const namespace = objectName(parameters, 'namespace')
    const objects = parseManifests('manifest', parameters.verbatim('manifest'))
    if (objects.length === 0) throw badInput('Parameter manifest has no object')
    for (const object of objects) check(object, namespace)
    for (const object of objects) await apply(context, object, { namespace: namespace || context.namespace, force })
    return {}
  },
}

/** All are checked before the first one is applied. @throws TaskFailed */
function check({ kind, metadata }: KubeObject, namespace: string): void {
  if ((metadata?.name ?? '') === '') throw badInput(`Parameter manifest has a ${kind} without metadata.name, which cannot be applied`)
  const own = metadata?.namespace ?? ''
  if (own !== '' && namespace !== '' && own !== namespace)
    throw badInput(`Parameter manifest has ${kind} ${own}/${metadata?.name}, which is not in namespace "${namespace}"`)
}

async function apply(
  { client, findResource, log, signal }: TaskContext,
  object: KubeObject,
  { namespace, force }: { readonly namespace: string; readonly force: boolean },
): Promise<void> {
  const { apiVersion = '', kind = '', metadata } = object
  const name = metadata?.name ?? ''
  const resource = await findResource({ apiVersion, kind })
  if (resource === undefined) throw new TaskFailed(exitCodes.preconditionFailed, `The API server has no kind ${kind} of ${apiVersion}`)
  const key = resource.namespaced ? { namespace: metadata?.namespace || namespace, name } : { name }
  const where = `${kind} ${resource.namespaced ? `${key.namespace}/` : ''}${name}`
  try {
    const body = { ...object, metadata: { ...metadata, ...key } }
    await client.patch(resource, key, { type: 'apply', body, fieldManager, force }, { fieldValidation: 'Warn', signal })
    log(`Applied ${where}`)
  } catch (error) {
    const remedy = isConflict(error) ? '; set force to "true" to change fields of others' : ''
    throw new TaskFailed(exitCodes.createFailed, `Cannot apply ${where}: ${messageOf(error)}${remedy}`, { cause: error })
  }
}
