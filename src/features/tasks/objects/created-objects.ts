import { createHash } from 'node:crypto'
import { pods } from '#api/core/v1/resources.ts'
import { messageOf } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { badInput, exitCodes, TaskFailed } from '../exit-codes.ts'
import type { TaskContext } from '../task.ts'

/** Environment variable with the identity of a run. */
export const runVariable = 'STEADYVM_RUN'
/** Annotation of created objects: the run that has created them. */
export const runAnnotation = 'steadyvm.io/task-run'

/** Returns the identity of the run: as it is given, or else the pod. */
export function runOf(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = environment[runVariable]
  if (given) return given
  const pod = podOf(environment)
  return pod === undefined ? undefined : `${pod.namespace}/${pod.name}`
}

function podOf(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly namespace: string; readonly name: string } | undefined {
  const [namespace, name] = [environment['POD_NAMESPACE'], environment['POD_NAME']]
  return namespace && name ? { namespace, name } : undefined
}

/** Annotations of an object that this run creates. */
export function runAnnotations({ run }: Pick<TaskContext, 'run'>): Readonly<Record<string, string>> {
  return run === undefined ? {} : { [runAnnotation]: run }
}

/** Reports whether this run, before it was killed, has created an object. */
export function isOfThisRun({ run }: Pick<TaskContext, 'run'>, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return run !== undefined && metadata?.annotations?.[runAnnotation] === run
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

/** Five characters for a name: the same for the same run and purpose. */
export function suffixOf({ run, random }: Pick<TaskContext, 'run' | 'random'>, purpose: string): string {
  const bytes =
    run === undefined
      ? Array.from({ length: 5 }, () => Math.floor(random() * alphabet.length))
      : createHash('sha256').update(`${purpose} ${run}`).digest().subarray(0, 5)
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('')
}

/**
 * Returns the pod of this program as the owner of an object in a namespace, when the parameter
 * setOwnerReference asks for it. @throws TaskFailed
 */
export async function ownersOf(context: TaskContext, namespace: string): Promise<readonly OwnerReference[]> {
  const { parameters, environment, client, signal } = context
  if (!parameters.isTrue('setOwnerReference')) return []
  const pod = podOf(environment)
  if (pod === undefined) throw badInput('setOwnerReference needs a pod: POD_NAMESPACE and POD_NAME are not in the environment')
  if (pod.namespace !== namespace)
    throw badInput(`setOwnerReference is not possible: the pod is in namespace ${pod.namespace}, the object in ${namespace}`)
  try {
    const { metadata } = await client.get(pods, pod, { signal })
    return [{ apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: metadata?.uid ?? '' }]
  } catch (error) {
    throw new TaskFailed(exitCodes.preconditionFailed, `Cannot read the pod that shall be the owner: ${messageOf(error)}`, { cause: error })
  }
}
