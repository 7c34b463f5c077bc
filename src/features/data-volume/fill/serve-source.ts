import type { DataVolumeSourceObject } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods, secrets } from '#api/core/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { configName, importSettingsOf } from '#features/storage-profile/index.ts'
import type { ImportProgress } from '#importer/index.ts'
import { names } from '../names.ts'
import { serversByWorker, type FillPorts } from '../ports.ts'
import { sourceName } from '../worker/worker-name.ts'
import { sourcePodOf } from '../worker/source-pod.ts'
import { workerPort } from '../worker/worker-pod.ts'
import { makeWorkerCertificate, workerSecretOf } from '../worker/worker-secret.ts'
import { workerState } from '../worker/worker-state.ts'
import type { FillWait } from './decide-fill.ts'
import type { FillOrder } from './order.ts'
import { startFailureOf } from './start-failure.ts'

/** What to do for a worker that waits for its source, which another pod serves. */
export type ServeStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'await'; readonly wait: FillWait }
  | { readonly kind: 'create' }
  /** It has ended, or it is not known whether it has its Secret. */
  | { readonly kind: 'remove'; readonly server: Pod }
  | { readonly kind: 'tell'; readonly server: Pod }

/** Decides how the source of a worker is served. Pure. */
export function decideServer(progress: ImportProgress | undefined, server: Pod | undefined, isComplete: (pod: Pod) => boolean): ServeStep {
  if (progress?.stage !== 'WaitingForSource') return { kind: 'none' }
  if (server === undefined) return { kind: 'create' }
  if (isBeingDeleted(server)) return { kind: 'none' }
  const state = workerState(server)
  switch (state.kind) {
    case 'running':
      return { kind: 'tell', server }
    case 'scheduled':
      if (!isComplete(server)) return { kind: 'remove', server }
      return state.message === '' ? { kind: 'none' } : { kind: 'await', wait: waitFor(server, state) }
    case 'backingOff':
      return { kind: 'await', wait: waitFor(server, state) }
    case 'succeeded':
    case 'failed':
    case 'lost':
      return { kind: 'remove', server }
    case 'leaving':
      return { kind: 'none' }
  }
}

function waitFor({ metadata: { namespace = '', name = '' } }: Pod, { reason, message }: FillWait): FillWait {
  return { reason, message: `The pod ${namespace}/${name}, which serves the source: ${message}` }
}

/**
 * Serves the source of a worker that cannot have it as a volume. The worker is there first, so
 * that its authority is known: the pod that serves the source accepts that one only. Nothing is
 * kept between passes: a worker says when it waits, and is told again.
 */
export async function serveSource(
  ports: FillPorts,
  worker: Pod,
  { copiedFrom }: Pick<FillOrder, 'copiedFrom'>,
  progress: ImportProgress | undefined,
): Promise<FillWait | undefined> {
  const server = ports.servers.byIndex(serversByWorker, worker.metadata.uid ?? '')[0]
  const step = decideServer(progress, server, ({ metadata }) => ports.complete.has(metadata.uid ?? ''))
  switch (step.kind) {
    case 'none':
      return undefined
    case 'await':
      return step.wait
    case 'create':
      return createServer(ports, worker, copiedFrom)
    case 'remove':
      await removeServer(ports, step.server)
      return undefined
    case 'tell': {
      const { metadata, status } = step.server
      const authority = metadata.annotations?.[names.workerAuthority] ?? ''
      const address = { host: status?.podIP ?? '', port: workerPort, name: metadata.name ?? '', authority }
      if (address.host !== '') await ports.tellSource(worker, address)
      return undefined
    }
  }
}

async function createServer(ports: FillPorts, worker: Pod, copiedFrom: DataVolumeSourceObject | undefined): Promise<FillWait | undefined> {
  const { namespace, name } = copiedFrom ?? { namespace: '', name: '' }
  const copied = ports.claims.get(namespace, name)
  if (copied === undefined)
    return { reason: 'CloneWithoutSource', message: `The source pvc ${name} doesn't exist in namespace ${namespace}` }
  const settings = importSettingsOf(ports.configs.get('', configName), ports.installations.list()[0])
  const podName = sourceName(worker)
  const certificate = await makeWorkerCertificate(podName, ports.clock.now())
  const secretName = `${podName}-${ports.suffix()}`
  try {
    const options = { image: ports.importerImage, settings, secretName, authority: certificate.authority }
    const pod = await ports.client.create<Pod>(pods, sourcePodOf(copied, worker, options))
    const clients = worker.metadata.annotations?.[names.workerAuthority] ?? ''
    await ports.client.create(secrets, workerSecretOf(pod, secretName, certificate, clients))
    ports.complete.add(pod.metadata.uid ?? '')
  } catch (error) {
    return startFailureOf(error, `The pod that serves the source in ${namespace}`)
  }
  return undefined
}

/** Deletes a pod that serves a volume; its Secret goes with it. */
export async function removeServer({ client, complete }: Pick<FillPorts, 'client' | 'complete'>, { metadata }: Pod): Promise<void> {
  const { namespace = '', name = '', uid } = metadata
  complete.delete(uid ?? '')
  await client.delete(pods, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } }).catch((error: unknown) => {
    if (!isNotFound(error) && !isConflict(error)) throw error
  })
}
