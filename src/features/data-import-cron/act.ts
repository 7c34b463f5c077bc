import { subjectAccessReviews } from '#api/authorization/v1/resources.ts'
import type { SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import { dataImportCrons, dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound, messageOf } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { configName, importSettingsOf } from '#features/storage-profile/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Decision, Observed, Stranger } from './decide.ts'
import type { PollStep } from './digest/decide-poll.ts'
import { pollerOf } from './digest/poller.ts'
import { dataVolumeOf, managedLabels, passedFrom, readWriteOnceAnnotation } from './imports/data-volume-of.ts'
import type { Import } from './imports/import.ts'
import { useTime } from './imports/use-time.ts'
import { names } from './names.ts'
import type { Ports } from './ports.ts'
import type { BootStep } from './verification/boot.ts'
import { bootCopyOf, bootVmOf } from './verification/boot-objects.ts'

/** Why the API server has refused an object. */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** What came of the changes. */
export interface Outcome {
  /** The DataImportCron after its annotations were written. */
  readonly cron: DataImportCron
  /** Why an import could not begin. */
  readonly refused: Refusal | undefined
  /** Why the source could not be asked. */
  readonly pollRefused: Refusal | undefined
  /** Why an image could not be booted. */
  readonly bootRefused: Refusal | undefined
  /** The DataSource names the target. */
  readonly isSelected: boolean
}

/**
 * Does what was decided, in the order of the decision. Undefined when the DataImportCron is gone.
 */
export async function act(ports: Ports, observed: Observed, decision: Decision): Promise<Outcome | undefined> {
  const cron = await annotate(ports, observed, decision)
  if (cron === undefined) return undefined
  const pollRefused = await refusalOf('ErrCreatingPoller', () => poll(ports, observed, decision.poll))
  const dataSource = await ensureDataSource(ports, observed)
  await ensureAlias(ports, observed)
  for (const each of decision.remove) await removeImport(ports.client, each)
  const refused = decision.begin === undefined ? undefined : await begin(ports, observed, decision.begin)
  const bootRefused = await refusalOf('ErrCreatingVirtualMachine', () => boot(ports, observed, decision, decision.boot))
  const isSelected = decision.isSelected || (await select(ports, observed, decision.target, dataSource))
  if (decision.garbage.length > 0) await collect(ports, decision.garbage)
  return { cron, refused, pollRefused, bootRefused, isSelected }
}

/** Records the digest first. What follows from it is derived again from there. */
async function annotate(
  { client }: Ports,
  { cron, storageClass }: Observed,
  { poll: step }: Decision,
): Promise<DataImportCron | undefined> {
  const wanted: Readonly<Record<string, string>> = {
    ...(step.kind === 'record' ? { [names.desiredDigest]: step.digest, [names.lastCronTime]: timestamp(step.atMs) } : {}),
    ...((step.kind === 'record' || step.kind === 'recordFailure') && step.nextMs !== undefined
      ? { [names.nextCronTime]: timestamp(step.nextMs) }
      : {}),
    ...(storageClass === undefined ? {} : { [names.storageClass]: storageClass }),
  }
  const present = cron.metadata.annotations ?? {}
  const changed = Object.entries(wanted).filter(([name, value]) => present[name] !== value)
  if (changed.length === 0) return cron
  return found(patchIfUnchanged(client, dataImportCrons, cron, { metadata: { annotations: Object.fromEntries(changed) } }))
}

async function poll(ports: Ports, { cron }: Observed, step: PollStep): Promise<void> {
  switch (step.kind) {
    case 'startPoller': {
      const settings = importSettingsOf(ports.configs.get('', configName), ports.installations.list()[0])
      await createOnce(ports.client, pods, pollerOf(cron, step.source, { image: ports.importerImage, settings, owner: ownerOf(cron) }))
      return
    }
    case 'removePoller':
    case 'record':
    case 'recordFailure':
      if (step.poller !== undefined) await remove(ports.client, pods, step.poller)
      return
    case 'none':
    case 'awaitPoller':
  }
}

/** Returns the DataSource when it is ours. */
async function ensureDataSource({ client }: Ports, { cron, ownership }: Observed): Promise<DataSource | undefined> {
  switch (ownership.kind) {
    case 'ours':
      return ownership.dataSource
    case 'foreign':
      return undefined
    case 'toTakeOver':
      return found(patchIfUnchanged(client, dataSources, ownership.dataSource, { metadata: { labels: labelsOf(cron) } }))
    case 'missing': {
      const { namespace = '' } = cron.metadata
      const object: DataSource = {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataSource',
        metadata: { namespace, name: cron.spec.managedDataSource ?? '', labels: labelsOf(cron) },
        spec: { source: {} },
      }
      // An object of that name that the cache does not show yet may be a user's.
      return createOnce(client, dataSources, object)
    }
  }
}

/** Keeps the DataSource that leads to ours, as far as it is ours. */
async function ensureAlias({ client }: Ports, { cron, alias }: Observed): Promise<void> {
  if (alias === undefined || alias.ownership.kind === 'foreign') return
  const { namespace = '' } = cron.metadata
  const { ownership, name } = alias
  const source = { dataSource: { namespace, name: cron.spec.managedDataSource ?? '' } }
  if (ownership.kind === 'missing') {
    const metadata = { namespace, name, labels: labelsOf(cron) }
    await createOnce(client, dataSources, { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataSource', metadata, spec: { source } })
    return
  }
  if (ownership.kind === 'ours' && deepEqual(ownership.dataSource.spec.source, source)) return
  const change = { metadata: { labels: labelsOf(cron) }, spec: { source: { ...source, pvc: null, snapshot: null } } }
  await found(patchIfUnchanged(client, dataSources, ownership.dataSource, change))
}

function labelsOf(cron: DataImportCron): Record<string, string> {
  return { ...passedFrom(cron), ...managedLabels(cron) }
}

async function begin(
  ports: Ports,
  { cron, nowMs, storageClass, source }: Observed,
  wish: NonNullable<Decision['begin']>,
): Promise<Refusal | undefined> {
  if (wish.stranger !== undefined) return adopt(ports.client, cron, wish.name, wish.stranger)
  if (source.kind === 'pvc' && source.pvc.namespace !== cron.metadata.namespace && !(await mayCopy(ports, cron, source.pvc.namespace)))
    return { reason: 'NotAuthorized', message: 'Not authorized to create DataVolume' }
  const readWriteOnce = ports.profiles.get('', storageClass ?? '')?.metadata.annotations?.[readWriteOnceAnnotation] === 'true'
  return refusalOf('ErrCreatingDataVolume', async () => {
    await createOnce(ports.client, dataVolumes, dataVolumeOf(cron, { ...wish, readWriteOnce, nowMs }))
  })
}

/**
 * Takes over an import that another DataImportCron has left. What is anything else is left alone.
 */
async function adopt(
  client: Client,
  cron: DataImportCron,
  name: string,
  { dataVolume, claim, isLeft }: Stranger,
): Promise<Refusal | undefined> {
  if (!isLeft)
    return {
      reason: 'ErrResourceExists',
      message: `Resource "${name}" already exists and is not managed by DataImportCron ${cron.metadata.name ?? ''}: delete it, or give the DataImportCron another managedDataSource`,
    }
  const labels = { [names.cleanupLabel]: null, ...managedLabels(cron) }
  // The claim of a selected image gets its labels in any case.
  if (dataVolume !== undefined) await found(patchIfUnchanged(client, dataVolumes, dataVolume, { metadata: { labels } }))
  if (claim !== undefined) await found(patchIfUnchanged(client, persistentVolumeClaims, claim, { metadata: { labels } }))
  return undefined
}

/** The service account of the DataImportCron needs the right that a user would need. */
async function mayCopy({ client }: Ports, { metadata, spec }: DataImportCron, namespace: string): Promise<boolean> {
  const account = spec.serviceAccountName ?? 'default'
  const own = metadata.namespace ?? ''
  const review: SubjectAccessReview = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: `system:serviceaccount:${own}:${account}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${own}`, 'system:authenticated'],
      resourceAttributes: { namespace, verb: 'create', group: 'cdi.kubevirt.io', resource: 'datavolumes', subresource: 'source' },
    },
  }
  const { status } = await client.create<SubjectAccessReview>(subjectAccessReviews, review)
  return status?.allowed === true
}

async function boot(ports: Ports, { cron }: Observed, { bootWish }: Decision, step: BootStep): Promise<void> {
  const { client } = ports
  switch (step.kind) {
    case 'createVm':
      if (bootWish !== undefined) await createOnce(client, virtualMachines, bootVmOf(cron, step.image, bootWish, ownerOf(cron)))
      return
    case 'createCopy':
      await createOnce(client, dataVolumes, bootCopyOf(step.image, step.vm))
      return
    case 'record':
      if (step.image.claim === undefined) return
      await found(
        patchIfUnchanged(client, persistentVolumeClaims, step.image.claim, {
          metadata: { annotations: { [names.bootResult]: step.result, [names.bootMessage]: step.message } },
        }),
      )
      return
    case 'remove':
      await remove(client, virtualMachines, step.vm)
      return
    case 'none':
    case 'await':
  }
}

/**
 * Lets the DataSource name an image. Asks the API server whether the image is still there: VMs are
 * created from what a DataSource names, whatever the cache shows.
 */
async function select(
  { client }: Ports,
  { cron, nowMs }: Observed,
  target: Import | undefined,
  dataSource: DataSource | undefined,
): Promise<boolean> {
  if (target?.claim === undefined || dataSource === undefined) return false
  const { namespace = '' } = cron.metadata
  const claim = await found(client.get(persistentVolumeClaims, { namespace, name: target.name }))
  if (claim === undefined || isBeingDeleted(claim) || claim.metadata.uid !== target.claim.metadata.uid) return false
  // The time comes first: an image that is named must not look like the one that is used least.
  const metadata = { labels: managedLabels(cron), annotations: { [names.lastUseTime]: useTime(nowMs) } }
  await patchIfUnchanged(client, persistentVolumeClaims, claim, { metadata })
  const source = { pvc: { namespace, name: target.name }, snapshot: null, dataSource: null }
  await patchIfUnchanged(client, dataSources, dataSource, { metadata: { labels: labelsOf(cron) }, spec: { source } })
  return true
}

/**
 * Deletes images that are not kept. Asks the API server whether a DataSource names one of them now.
 */
async function collect({ client }: Ports, garbage: readonly Import[]): Promise<void> {
  const { namespace = '' } = (garbage[0]?.dataVolume ?? garbage[0]?.claim)?.metadata ?? {}
  const { items } = await client.list(dataSources, { namespace })
  const named = new Set(items.flatMap(({ spec, status }) => [spec.source.pvc?.name, status?.source?.pvc?.name]))
  for (const each of garbage) if (!named.has(each.name)) await removeImport(client, each)
}

/** A claim goes with its DataVolume. */
async function removeImport(client: Client, { dataVolume, claim }: Import): Promise<void> {
  if (dataVolume !== undefined) await remove(client, dataVolumes, dataVolume)
  else if (claim !== undefined) await remove(client, persistentVolumeClaims, claim)
}

/**
 * Deletes what belonged to a DataImportCron that is gone, where its policy was to keep nothing. The
 * API server is asked for the DataImportCron: a cache may not show one yet.
 */
export async function cleanUp({ client }: Ports, namespace: string, name: string): Promise<void> {
  const present = await found(client.get(dataImportCrons, { namespace, name }))
  if (present !== undefined && !isBeingDeleted(present)) return
  const labelSelector = `${names.cronLabel}=${name},${names.cleanupLabel}=true`
  const [sources, volumes, claims] = await Promise.all([
    client.list(dataSources, { namespace, labelSelector }),
    client.list(dataVolumes, { namespace, labelSelector }),
    client.list(persistentVolumeClaims, { namespace, labelSelector }),
  ])
  for (const each of sources.items) await remove(client, dataSources, each)
  for (const each of volumes.items) await remove(client, dataVolumes, each)
  for (const each of claims.items) await remove(client, persistentVolumeClaims, each)
}

/** A quota or a policy that refuses one object is told of. The rest of the pass goes on. */
async function refusalOf(reason: string, change: () => Promise<void>): Promise<Refusal | undefined> {
  try {
    await change()
    return undefined
  } catch (error) {
    if (!isForbidden(error) && !isInvalid(error)) throw error
    return { reason, message: messageOf(error) }
  }
}

async function createOnce<T extends KubeObject>(client: Client, resource: ResourceType<T>, object: T): Promise<T | undefined> {
  try {
    return await client.create<T>(resource, object)
  } catch (error) {
    // An earlier pass created it: its event follows.
    if (isAlreadyExists(error)) return undefined
    throw error
  }
}

/** Deletes this very object. */
async function remove<T extends KubeObject>(client: Client, resource: ResourceType<T>, object: T): Promise<void> {
  const { namespace = '', name = '', uid, deletionTimestamp } = object.metadata ?? {}
  if (deletionTimestamp !== undefined) return
  try {
    await client.delete(resource, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

function ownerOf({ metadata: { name = '', uid = '' } }: DataImportCron): OwnerReference {
  return { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataImportCron', name, uid, controller: true, blockOwnerDeletion: true }
}
