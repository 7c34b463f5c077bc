import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import { namespaces, persistentVolumeClaims, persistentVolumes, pods, secrets } from '#api/core/v1/resources.ts'
import { compareQuantities, parseQuantity } from '#apimachinery/quantity.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { found as orUndefined } from '#client/found.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import type { ImportResult, ImportTask } from '#importer/index.ts'
import { workerName } from './worker/worker-name.ts'
import type { Purpose } from './source/source.ts'

/** A cluster without kubelet: tests say what volumes and workers do. */
export interface ImportCluster extends TestCluster {
  /** Answer of all workers. */
  readonly progress: { stage: string; percent?: number }
  /** UIDs of workers that were told where their source is. */
  readonly told: Set<string>
}

/** Starts a cluster with one storage class. */
export async function startImportCluster(
  bindingMode: string = 'Immediate',
  kinds: NonNullable<Parameters<typeof startTestCluster>[0]>['kinds'] = [],
): Promise<ImportCluster> {
  const progress: ImportCluster['progress'] = { stage: 'Downloading' }
  const told: ImportCluster['told'] = new Set()
  const cluster = await startTestCluster({
    kinds,
    imports: {
      progressMs: 20,
      askProgress: async () => ({ ...progress }),
      tellSource: async ({ metadata }) => void told.add(metadata.uid ?? ''),
      clientAuthorities: () => 'PEM',
    },
  })
  await cluster.client.create(storageClasses, {
    metadata: { name: 'local', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'steadyvm.io/local',
    volumeBindingMode: bindingMode,
  })
  return { ...cluster, progress, told, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

/** Returns a DataVolume of the namespace `default`. */
export function importOf(name: string, source: DataVolumeSource, storage: string): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace: 'default' },
    spec: { source, storage: { resources: { requests: { storage } } } },
  }
}

/** Waits for a claim, and creates a volume for it. */
export async function bindClaim({ client }: TestCluster, name: string, namespace: string = 'default'): Promise<PersistentVolumeClaim> {
  const read = (): Promise<PersistentVolumeClaim | undefined> => orUndefined(client.get(persistentVolumeClaims, { namespace, name }))
  const claim = await until(read)
  const { accessModes = [], storageClassName = '', resources } = claim.spec ?? {}
  await client.create(persistentVolumes, {
    // A claim of the same name may come later.
    metadata: { name: `for-${name}-${claim.metadata.uid ?? ''}` },
    spec: {
      accessModes,
      storageClassName,
      capacity: { ...resources?.requests },
      hostPath: { path: '/nonexistent' },
      claimRef: { namespace, name, uid: claim.metadata.uid ?? '' },
    },
  })
  // It may be deleted at once.
  await until(async () => [undefined, 'Bound'].includes((await read())?.status?.phase))
  return claim
}

/** Creates a claim with its volume in the namespace `golden`. */
export async function createGoldenClaim({ client }: TestCluster, name: string): Promise<void> {
  await client.create(namespaces, { metadata: { name: 'golden' } })
  const { metadata } = await client.create(persistentVolumeClaims, {
    metadata: { namespace: 'golden', name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '64Mi' } } },
  })
  await client.create(persistentVolumes, {
    metadata: { name: `for-golden-${name}` },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      capacity: { storage: '64Mi' },
      hostPath: { path: '/nonexistent' },
      claimRef: { namespace: 'golden', name, uid: metadata.uid ?? '' },
    },
  })
  await until(async () => (await client.get(persistentVolumeClaims, { namespace: 'golden', name })).status?.phase === 'Bound')
}

/**
 * Binds and expands every claim, and ends every worker whose Secret is there with success, until it
 * is disposed. One that copies from another namespace runs until it is told where its source is.
 */
export function runNode(cluster: ImportCluster): AsyncDisposable {
  const { client } = cluster
  const stop = new AbortController()
  const turn = async (): Promise<void> => {
    for (const claim of (await client.list(persistentVolumeClaims)).items) {
      const { namespace = '', name = '' } = claim.metadata
      if (claim.status?.phase === 'Pending' && isProvisioned(claim)) await bindClaim(cluster, name, namespace)
      else await orUndefined(expand(cluster, claim))
    }
    const present = new Set((await client.list(secrets)).items.map(({ metadata }) => metadata.name))
    for (const pod of (await client.list(pods)).items) {
      const secret = pod.spec.volumes?.find(({ name }) => name === 'serving')?.secret?.secretName
      // A controller that has just started may replace the pod meanwhile.
      if (secret === undefined || isBeingDeleted(pod) || !present.has(secret)) continue
      const [serves, task] = ['IMPORTER_SERVES', 'IMPORTER_TASK'].map((name) => variable(pod, name))
      const isPeer = task !== undefined && (JSON.parse(task) as ImportTask).source.kind === 'peer'
      const mayEnd = serves === undefined && (!isPeer || cluster.told.has(pod.metadata.uid ?? ''))
      if (mayEnd && pod.status?.phase !== 'Succeeded') await orUndefined(setStatus(cluster, pod, { phase: 'Succeeded' }, success))
      else if (!mayEnd && pod.status?.phase === 'Pending') await orUndefined(setStatus(cluster, pod, { phase: 'Running' }, started))
    }
  }
  const running = (async () => {
    while (!stop.signal.aborted) {
      await turn()
      await systemClock.sleep(10)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

/** Grows the volume of a claim that asks for more. */
async function expand({ client }: TestCluster, { spec, status }: PersistentVolumeClaim): Promise<void> {
  const [wanted = 0, has = 0] = [spec?.resources?.requests?.['storage'], status?.capacity?.['storage']]
  if (status?.phase !== 'Bound' || compareQuantities(parseQuantity(wanted), parseQuantity(has)) <= 0) return
  const body = { spec: { capacity: { storage: wanted } } }
  await client.patch(persistentVolumes, { name: spec?.volumeName ?? '' }, { type: 'merge', body })
}

/**
 * Reports whether a provisioner makes the volume: all know no kinds of CDI, and that of machine
 * mode copies no claims.
 */
function isProvisioned({ spec }: PersistentVolumeClaim): boolean {
  const { apiGroup = '' } = spec?.dataSourceRef ?? spec?.dataSource ?? {}
  const isCopy = spec?.dataSource?.kind === 'PersistentVolumeClaim' && spec.storageClassName === 'local'
  return apiGroup !== 'cdi.kubevirt.io' && !isCopy
}

const started = { running: { startedAt: '2026-01-01T00:00:00Z' } }
const success = { terminated: { exitCode: 0, reason: 'Completed', message: '{"reason":"Completed","message":"","fatal":false}' } }

/** Value of a variable of a worker. */
export function variable(pod: Pod, wanted: string): string | undefined {
  return pod.spec.containers[0]?.env?.find(({ name }) => name === wanted)?.value
}

/** Waits for the worker of a claim. */
export async function workerOfClaim(cluster: TestCluster, name: string, purpose: Purpose = 'import'): Promise<Pod> {
  const claim = await until(() => found(cluster.client, persistentVolumeClaims, name))
  return until(() => found(cluster.client, pods, workerName(claim, purpose)))
}

/** Says that the process of a worker runs. */
export async function runWorker(cluster: TestCluster, name: string, purpose: Purpose = 'import'): Promise<void> {
  await setStatus(cluster, await workerOfClaim(cluster, name, purpose), { phase: 'Running' }, started)
}

/** Says that the process of a worker has ended; the kubelet starts one that has failed again. */
export async function endWorker(
  cluster: TestCluster,
  name: string,
  exitCode: number,
  result: ImportResult,
  purpose: Purpose = 'import',
): Promise<void> {
  const ended = { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message: JSON.stringify(result) } }
  const phase = exitCode === 0 ? 'Succeeded' : 'Running'
  await setStatus(cluster, await workerOfClaim(cluster, name, purpose), { phase }, ended, exitCode === 0 ? 0 : 1)
}

async function setStatus({ client }: TestCluster, pod: Pod, status: PodStatus, state: object, restartCount: number = 0): Promise<void> {
  const container = { name: 'importer', image: '', imageID: '', ready: true, restartCount, state }
  const { namespace = '', name = '' } = pod.metadata
  const body = { status: { ...status, podIP: '127.0.0.1', containerStatuses: [container] } }
  await client.patch(pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' })
}
