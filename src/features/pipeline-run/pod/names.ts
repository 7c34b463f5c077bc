import { createHash } from 'node:crypto'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Run } from '../run/run.ts'

/** Label of all objects of a run: its name. */
export const runLabel = 'steadyvm.io/pipeline-run'
/** Label of a pod: its task. */
export const taskLabel = 'steadyvm.io/pipeline-task'
/** Annotation of a pod: 0 for the first attempt of its task. */
export const attemptAnnotation = 'steadyvm.io/pipeline-attempt'
/** The container that reads the results of a task's steps. */
export const collectorName = 'collect-results'

/**
 * Returns the name of the pod of an attempt. Runs and tasks may share parts of their names, and a
 * run may follow another one of the same name: the hash tells them apart. Pure.
 */
export function podName({ name, uid }: Pick<Run, 'name' | 'uid'>, task: string, attempt: number): string {
  const hash = createHash('sha256').update(`${uid}/${task}/${attempt}`).digest('hex').slice(0, 8)
  return `${`${name}-${task}`.slice(0, 54)}-${hash}`
}

/** Returns the name of the claim that a run creates for a workspace. Pure. */
export function claimName({ name, uid }: Pick<Run, 'name' | 'uid'>, workspace: string): string {
  const hash = createHash('sha256').update(`${uid}/${workspace}`).digest('hex').slice(0, 8)
  return `${`${name}-${workspace}`.slice(0, 54)}-${hash}`
}

/** Refers to the ConfigMap of a run: with it, everything that the run has created is deleted. */
export function ownerOf({ name, uid }: Pick<Run, 'name' | 'uid'>): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }
}

/**
 * Returns what stands for the uid of a TaskRun: the same for all attempts of a task, and another
 * one in each run. Pure.
 */
export function taskRunUid({ uid }: Pick<Run, 'uid'>, task: string): string {
  const hash = createHash('sha256').update(`${uid}/${task}`).digest('hex')
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-')
}

/** Returns the task of a pod. */
export function taskOf({ metadata }: Pod): string {
  return metadata.labels?.[taskLabel] ?? ''
}

/** Returns the number of the attempt that a pod is. */
export function attemptNumber({ metadata }: Pod): number {
  return Number(metadata.annotations?.[attemptAnnotation] ?? '0')
}
