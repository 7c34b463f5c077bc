import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { claimsOfPod } from '#api/core/v1/pod-claims.ts'
import { persistentVolumeClaims, pods, secrets } from '#api/core/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { importSettingsOf, configName } from '#features/storage-profile/index.ts'
import { names } from '../names.ts'
import type { FillPorts } from '../ports.ts'
import { kindOf, purposeOf } from '../source/source.ts'
import { consumerOf } from '../worker/consumer-node.ts'
import { makeWorkerCertificate, workerSecretOf } from '../worker/worker-secret.ts'
import { workerName } from '../worker/worker-name.ts'
import { workerPodOf } from '../worker/worker-pod.ts'
import type { FillStep, FillWait } from './decide-fill.ts'
import { forConsumer, type FillOrder } from './order.ts'
import { cloneRecord, mirrorOf } from './mirror.ts'
import { serveSource } from './serve-source.ts'
import { startFailureOf } from './start-failure.ts'

/** Takes a step for a claim. Returns why a worker could not be started. */
export async function actFill(ports: FillPorts, order: FillOrder, step: FillStep): Promise<FillWait | undefined> {
  switch (step.kind) {
    case 'startWorker':
      return startWorker(ports, order)
    case 'recordSuccess':
    case 'recordFailure':
    case 'follow':
      await annotate(ports, order.claim, mirrorOf(step), step.kind === 'recordSuccess' ? (step.result.labels ?? {}) : {})
      return step.kind === 'follow' ? serveSource(ports, step.pod, order, step.progress) : undefined
    case 'expand':
      await found(
        patchIfUnchanged(ports.client, persistentVolumeClaims, order.claim, { spec: { resources: { requests: { storage: step.size } } } }),
      )
      return undefined
    case 'recordClone':
      await annotate(ports, order.claim, cloneRecord, {})
      return undefined
    case 'replaceWorker':
      await removePod(ports, step.pod)
      return undefined
    case 'filled':
    case 'failed':
      if (step.pod !== undefined && !isBeingDeleted(step.pod) && order.annotations[names.retainPod] !== 'true')
        await removePod(ports, step.pod)
      return undefined
    case 'awaitVolume':
    case 'awaitConsumer':
    case 'awaitSource':
    case 'awaitWorker':
    case 'awaitDriver':
      return undefined
  }
}

/**
 * Creates the pod of a worker and then its Secret, which goes with the pod. A pod whose Secret may
 * be missing, as the process was killed between the two, is replaced by `decideFill`: its key is
 * lost.
 */
async function startWorker(ports: FillPorts, order: FillOrder): Promise<FillWait | undefined> {
  const inUse = order.copied === undefined ? undefined : await usersOf(ports, order)
  if (inUse !== undefined) return inUse
  const clients = ports.clientAuthorities()
  if (clients === undefined) return { reason: 'Pending', message: 'virt-controller has no certificate yet with which it asks workers' }
  const settings = importSettingsOf(ports.configs.get('', configName), ports.installations.list()[0])
  const name = workerName(order.claim, purposeOf(kindOf(order.source)))
  const certificate = await makeWorkerCertificate(name, ports.clock.now())
  // No two pods share a name of a Secret: that of the former pod may not be deleted yet.
  const secretName = `${name}-${ports.suffix()}`
  try {
    const { items } = await ports.client.list(pods, { namespace: order.claim.metadata.namespace ?? '' })
    const consumer = consumerOf(order.claim, items)
    const wanted = workerPodOf(forConsumer(order, consumer), {
      image: ports.importerImage,
      settings,
      secretName,
      authority: certificate.authority,
      node: consumer?.node,
    })
    const pod = await ports.client.create<Pod>(pods, wanted)
    await ports.client.create(secrets, workerSecretOf(pod, secretName, certificate, clients))
    ports.complete.add(pod.metadata.uid ?? '')
  } catch (error) {
    return startFailureOf(error, 'The worker')
  }
  return undefined
}

/** A guest that writes to the source would leave a copy of no moment. */
async function usersOf({ client }: FillPorts, { copied, claim }: FillOrder): Promise<FillWait | undefined> {
  const { namespace = '', name = '' } = copied?.metadata ?? {}
  const { items } = await client.list(pods, { namespace })
  const users = items.filter(
    ({ spec, status, metadata }) =>
      !['Succeeded', 'Failed'].includes(status?.phase ?? '') &&
      metadata.labels?.[names.fillsLabel] !== claim.metadata.uid &&
      claimsOfPod({ metadata, spec }).some((used) => used.name === name && !used.readOnly),
  )
  if (users.length === 0) return undefined
  const list = users.map(({ metadata }) => metadata.name ?? '').join(', ')
  return { reason: 'CloneSourceInUse', message: `Waiting for the source PVC ${namespace}/${name}: it is in use by ${list}` }
}

/**
 * Writes annotations and labels that differ, both at once, and returns the claim; undefined if it
 * is gone.
 */
export async function annotate(
  { client }: Pick<FillPorts, 'client'>,
  claim: PersistentVolumeClaim,
  annotations: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): Promise<PersistentVolumeClaim | undefined> {
  const changed = differing(claim.metadata.annotations, annotations)
  const added = differing(claim.metadata.labels, labels)
  if (changed === undefined && added === undefined) return claim
  const metadata = { ...(changed === undefined ? {} : { annotations: changed }), ...(added === undefined ? {} : { labels: added }) }
  return found(patchIfUnchanged(client, persistentVolumeClaims, claim, { metadata }))
}

function differing(
  present: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const changed = Object.entries(wanted).filter(([key, value]) => present[key] !== value)
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

async function removePod({ client, complete }: FillPorts, { metadata: { namespace = '', name = '', uid } }: Pod): Promise<void> {
  complete.delete(uid ?? '')
  await client.delete(pods, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } }).catch((error: unknown) => {
    if (!isConflict(error)) ignoreMissing(error)
  })
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
