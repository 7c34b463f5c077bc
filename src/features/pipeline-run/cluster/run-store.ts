import type { ConfigMap } from '#api/core/v1/config-map.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { RunPlan } from '../graph/plan.ts'
import { runLabel } from '../pod/names.ts'
import { newProgress, type Progress } from '../run/progress.ts'
import type { Run } from '../run/run.ts'

/** A run as it is stored: a ConfigMap, which owns the pods. */
export interface StoredRun {
  readonly run: Run
  readonly progress: Progress
  readonly createdAt: string
  /** Version of the object, for the next write. */
  readonly resourceVersion: string
}

/** Name and place of a run. */
export interface RunKey {
  readonly namespace: string
  readonly name: string
}

/** The name of a run is taken by something else. */
export class RunNameTaken extends Error {
  override readonly name = 'RunNameTaken'
}

/** Reads a run; undefined when there is none. @throws RunNameTaken */
export async function readRun(client: Pick<Client, 'get'>, key: RunKey): Promise<StoredRun | undefined> {
  const stored = await found(client.get(configMaps, key))
  return stored === undefined ? undefined : parse(stored)
}

/** Lists the runs of a namespace. */
export async function listRuns(client: Pick<Client, 'list'>, namespace: string | undefined): Promise<readonly StoredRun[]> {
  const { items } = await client.list(configMaps, { labelSelector: runLabel, ...(namespace === undefined ? {} : { namespace }) })
  return items.map(parse)
}

/** Creates a run, or returns the one that another process has just created. @throws RunNameTaken */
export async function createRun(client: Pick<Client, 'get' | 'create'>, key: RunKey, plan: RunPlan, now: number): Promise<StoredRun> {
  try {
    return parse(await client.create(configMaps, wanted(key, plan, newProgress(now))))
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return parse(await client.get(configMaps, key))
  }
}

/** Stores the progress. @throws StatusError with Conflict when another process has stored it */
export async function storeProgress(client: Pick<Client, 'update'>, stored: StoredRun, progress: Progress): Promise<StoredRun> {
  const { run, resourceVersion } = stored
  const object = wanted(run, run.plan, progress)
  return parse(await client.update(configMaps, { ...object, metadata: { ...object.metadata, uid: run.uid, resourceVersion } }))
}

function wanted({ namespace, name }: RunKey, plan: RunPlan, progress: Progress): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, labels: { 'app.kubernetes.io/managed-by': 'steadyvm', [runLabel]: name } },
    data: { plan: JSON.stringify(plan), progress: JSON.stringify(progress) },
  }
}

/** @throws RunNameTaken */
function parse({ metadata, data = {} }: ConfigMap): StoredRun {
  const { name = '', namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = metadata
  const { plan, progress } = data
  if (metadata.labels?.[runLabel] !== name || plan === undefined || progress === undefined)
    throw new RunNameTaken(`The ConfigMap "${namespace}/${name}" is no run: choose another name by --name`)
  return {
    run: { name, namespace, uid, plan: JSON.parse(plan) as RunPlan },
    progress: JSON.parse(progress) as Progress,
    createdAt: creationTimestamp,
    resourceVersion,
  }
}
