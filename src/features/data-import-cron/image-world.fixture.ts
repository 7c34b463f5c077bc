import { createHash } from 'node:crypto'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataImportCrons, dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { persistentVolumeClaims, persistentVolumes, pods } from '#api/core/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import { found as orUndefined } from '#client/found.ts'
import type { TestCluster } from '#features/cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { names } from './names.ts'

/** What becomes of an import: `hung` never ends. */
export type Fate = 'good' | 'broken' | 'hung'

/**
 * A registry with one tag, and the parts of a cluster that a kubelet and a provisioner would play.
 */
export interface ImageWorld extends AsyncDisposable {
  /** Moves the tag to a new image. Resolves to its digest. */
  move(fate?: Fate): string
  /** The registry cannot be reached. */
  isDown: boolean
  /** Number of times that a digest was asked for. */
  readonly asked: () => number
  readonly fates: ReadonlyMap<string, Fate>
  readonly digest: () => string
}

/** Namespace of the fixture. */
export const namespace = 'default'
/** The DataImportCron of the fixture, and its DataSource. */
export const cronKey = { namespace, name: 'fedora-cron' }
export const dataSourceKey = { namespace, name: 'fedora' }

/** Returns a DataImportCron whose schedule does not come during a test: see {@link look}. */
export function cronOf(spec: Partial<DataImportCron['spec']> = {}, annotations: Readonly<Record<string, string>> = {}): DataImportCron {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataImportCron',
    metadata: { ...cronKey, annotations: { ...annotations } },
    spec: {
      schedule: '0 0 1 1 *',
      managedDataSource: dataSourceKey.name,
      template: {
        spec: {
          source: { registry: { url: 'docker://registry.example/fedora:latest' } },
          storage: { resources: { requests: { storage: '64Mi' } } },
        },
      },
      ...spec,
    },
  }
}

/** Asks for the digest now, as a user does. */
export async function look(client: Client): Promise<void> {
  const body = { metadata: { annotations: { [names.nextCronTime]: null } } }
  await client.patch(dataImportCrons, cronKey, { type: 'merge', body })
}

/** Starts the world. `delayMs`: returns how long the next worker takes. */
export function startImageWorld({ client }: TestCluster, delayMs: () => number = () => 0): ImageWorld {
  const fates = new Map<string, Fate>()
  const begun = new Map<string, number>()
  let [digest, moves, asked] = ['', 0, 0]
  const stop = new AbortController()
  const world: ImageWorld = {
    isDown: false,
    move(fate = 'good') {
      digest = `sha256:${createHash('sha256').update(`image ${++moves}`).digest('hex')}`
      fates.set(digest, fate)
      return digest
    },
    asked: () => asked,
    fates,
    digest: () => digest,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }

  async function turn(): Promise<void> {
    const [claims, all] = await Promise.all([client.list(persistentVolumeClaims, { namespace }), client.list(pods, { namespace })])
    for (const claim of claims.items) if ((claim.status?.phase ?? 'Pending') === 'Pending') await bind(client, claim)
    for (const pod of all.items) {
      const isPoller = pod.metadata.labels?.[names.pollerLabel] !== undefined
      if (isBeingDeleted(pod) || pod.status?.phase === 'Succeeded') continue
      if (isPoller) await answer(pod)
      else await work(pod)
    }
  }

  async function answer(pod: Pod): Promise<void> {
    asked++
    if (world.isDown) return end(client, pod, 1, { reason: 'SourceUnreachable', message: 'the registry is down', fatal: false })
    return end(client, pod, 0, { reason: 'Completed', message: '', fatal: false, digest })
  }

  async function work(pod: Pod): Promise<void> {
    const owner = controllerOf(pod)
    const dataVolume = await orUndefined(client.get(dataVolumes, { namespace, name: owner?.name ?? '' }))
    if (dataVolume?.metadata.uid !== owner?.uid) return
    const fate = fates.get(dataVolume?.metadata.annotations?.[names.importedDigest] ?? '') ?? 'good'
    const { uid = '' } = pod.metadata
    const until = begun.getOrInsertComputed(uid, () => systemClock.now() + delayMs())
    if (pod.status?.phase !== 'Running') await setStatus(client, pod, 'Running', { running: { startedAt: '2026-01-01T00:00:00Z' } })
    if (fate === 'hung' || systemClock.now() < until) return
    if (fate === 'good') return end(client, pod, 0, { reason: 'Completed', message: '', fatal: false })
    return end(client, pod, 2, { reason: 'ImageInvalid', message: 'the image is damaged', fatal: true })
  }

  const running = (async () => {
    while (!stop.signal.aborted) {
      await turn().catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error
      })
      await systemClock.sleep(5)
    }
  })()
  return world
}

async function bind(client: Client, claim: PersistentVolumeClaim): Promise<void> {
  const { name = '', uid = '' } = claim.metadata
  const { accessModes = [], storageClassName = '', resources } = claim.spec ?? {}
  const key = { name: `for-${uid}` }
  if ((await orUndefined(client.get(persistentVolumes, key))) !== undefined) return
  await client.create(persistentVolumes, {
    metadata: key,
    spec: {
      accessModes,
      storageClassName,
      capacity: { ...resources?.requests },
      hostPath: { path: '/nonexistent' },
      claimRef: { namespace, name, uid },
    },
  })
}

async function end(client: Client, pod: Pod, exitCode: number, result: object): Promise<void> {
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    message: JSON.stringify(result),
    finishedAt: new Date().toISOString(),
  }
  await setStatus(client, pod, exitCode === 0 ? 'Succeeded' : pod.spec.restartPolicy === 'Never' ? 'Failed' : 'Running', { terminated })
}

async function setStatus(client: Client, { metadata }: Pod, phase: string, state: object): Promise<void> {
  const container = { name: 'importer', image: '', imageID: '', ready: true, restartCount: 0, state }
  const body = { metadata: { uid: metadata.uid }, status: { phase, podIP: '127.0.0.1', containerStatuses: [container] } }
  await client.patch(pods, { namespace, name: metadata.name ?? '' }, { type: 'merge', body }, { subresource: 'status' })
}

/** The image that the DataSource names. Undefined while it names none. */
export async function selectedImage(
  client: Client,
): Promise<
  { readonly dataVolume: DataVolume | undefined; readonly claim: PersistentVolumeClaim | undefined; readonly name: string } | undefined
> {
  const dataSource = await orUndefined(client.get(dataSources, dataSourceKey))
  const name = dataSource?.spec.source.pvc?.name
  if (name === undefined) return undefined
  const key = { namespace, name }
  return {
    name,
    claim: await orUndefined(client.get(persistentVolumeClaims, key)),
    dataVolume: await orUndefined(client.get(dataVolumes, key)),
  }
}

/** Names of the DataVolumes of the DataImportCron. */
export async function importNames(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(dataVolumes, { namespace, labelSelector: `${names.cronLabel}=${cronKey.name}` })
  return items.filter((each) => !isBeingDeleted(each)).map(({ metadata }) => metadata.name ?? '')
}
