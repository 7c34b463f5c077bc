import { randomBytes } from 'node:crypto'
import { componentNamespace } from '#api/access/component-users.ts'
import {
  cdiConfigs,
  cdis,
  dataVolumes,
  storageProfiles,
  volumeCloneSources,
  volumeImportSources,
  volumeUploadSources,
} from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { certificateNames, createServingSource } from '#features/certificates/index.ts'
import { unlessForeign, unlessForeignMetrics, type ForeignCdi, type ReadMetrics } from '#features/foreign-cdi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { createRestoredClaimReconciler, isRestored, targetOf } from './clone/restored-claims.ts'
import { defineDataVolumeMetrics } from './metrics.ts'
import { names } from './names.ts'
import { createPopulationReconciler } from './populator/population-reconciler.ts'
import { populationEvents } from './populator/population-events.ts'
import { serversByWorker, workersByClaim, workersByUid, type Ports } from './ports.ts'
import { createDataVolumeReconciler } from './reconciler.ts'
import { createUploadClaimReconciler, isUploadClaim } from './upload-claims.ts'
import { createSourcePodReconciler } from './source/source-pods.ts'
import { createProgressClient, createSourceTeller, type AskProgress, type TellSource } from './worker/worker-client.ts'

/** Dependencies of the controllers. */
export interface DataVolumeControllerOptions extends SharedControllerOptions {
  readonly client: Client
  readonly recorder: Pick<Recorder, 'event'>
  readonly foreignCdi: ForeignCdi
  /** Image of the worker, with tag. */
  readonly importerImage: string
  /** Default: two seconds, CDI's. */
  readonly progressMs?: number
  /** Default: asks the worker over TLS. */
  readonly askProgress?: AskProgress
  /** Default: tells the worker over TLS. */
  readonly tellSource?: TellSource
  /** PEM of the authorities of clients of workers. Default: those of the installation. */
  readonly clientAuthorities?: () => string | undefined
  /** Registry for gauges. Default: none. */
  readonly gauges?: ReadMetrics
}

/** Index of DataVolumes by the claim that they copy: `namespace/name`. */
const copiesBySource = 'source'

/** Index of claims that a snapshot was restored to, by the UID of the claim that is filled. */
const restoredByTarget = 'restored'

const owningDataVolume = { group: 'cdi.kubevirt.io', kind: 'DataVolume' }

/** Creates the controllers of DataVolumes and of claims that clients upload to. */
export function createDataVolumeControllers({
  informers,
  foreignCdi,
  gauges,
  ...options
}: DataVolumeControllerOptions): readonly Runnable[] {
  const all = informers.informer(dataVolumes)
  const claims = informers.informer(persistentVolumeClaims)
  const workers = informers.informer(pods, { labelSelector: names.fillsLabel })
  if (gauges !== undefined) defineDataVolumeMetrics(unlessForeignMetrics(foreignCdi, gauges), { dataVolumes: all, claims })
  const classes = informers.informer(storageClasses)
  const profiles = informers.informer(storageProfiles)
  const servers = informers.informer(pods, { labelSelector: names.servesLabel })
  servers.addIndex(serversByWorker, ({ metadata }) => [metadata.labels?.[names.servesLabel] ?? ''])
  workers.addIndex(workersByUid, ({ metadata }) => [metadata.uid ?? ''])
  workers.addIndex(workersByClaim, ({ metadata }) => [metadata.labels?.[names.fillsLabel] ?? ''])
  all.addIndex(copiesBySource, ({ spec: { source } }) => (source?.pvc === undefined ? [] : [`${source.pvc.namespace}/${source.pvc.name}`]))
  const certificates = createServingSource(informers, componentNamespace, {
    serving: certificateNames.workerClient,
    authority: certificateNames.authority,
  })
  const complete = new Set<string>()
  for (const each of [workers, servers])
    each.onEvent(({ type, object }) => {
      if (type === 'deleted') complete.delete(object.metadata.uid ?? '')
    })
  const ports: Ports = {
    progressMs: 2_000,
    complete,
    suffix: () => randomBytes(4).toString('hex'),
    askProgress: createProgressClient(certificates),
    tellSource: createSourceTeller(certificates),
    clientAuthorities: () => certificates.current()?.bundle,
    ...options,
    dataVolumes: all,
    claims,
    workers,
    servers,
    classes,
    profiles,
    configs: informers.informer(cdiConfigs),
    installations: informers.informer(cdis),
  }
  claims.addIndex(restoredByTarget, ({ metadata }) => [metadata.labels?.[names.restoredForLabel] ?? ''])
  const importSources = informers.informer(volumeImportSources)
  const uploadSources = informers.informer(volumeUploadSources)
  const cloneSources = informers.informer(volumeCloneSources)
  const waiting = (): readonly Request[] =>
    all.list().flatMap((one) => (['Succeeded', 'Failed'].includes(one.status?.phase ?? '') ? [] : enqueueSelf(one)))
  return [
    createController({
      ...options,
      name: 'datavolume',
      reconciler: unlessForeign(foreignCdi, createDataVolumeReconciler(ports)),
      sources: [
        watchResource(all, enqueueSelf),
        // A claim has the name of its DataVolume, also before it is taken over.
        watchResource(claims, enqueueSelf),
        watchResource(claims, ({ metadata }) =>
          all.byIndex(copiesBySource, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).flatMap(enqueueSelf),
        ),
        watchResource(claims, (claim) => (isRestored(claim) ? [targetOf(claim)] : [])),
        watchResource(workers, enqueueOwner(owningDataVolume)),
        watchResource(classes, waiting),
        watchResource(profiles, waiting),
      ],
    }),
    createController({
      ...options,
      name: 'copy-source',
      reconciler: unlessForeign(foreignCdi, createSourcePodReconciler(ports)),
      sources: [
        watchResource(servers, enqueueSelf),
        watchResource(workers, ({ metadata }) => servers.byIndex(serversByWorker, metadata.uid ?? '').flatMap(enqueueSelf)),
      ],
    }),
    createController({
      ...options,
      name: 'restored-claim',
      reconciler: unlessForeign(foreignCdi, createRestoredClaimReconciler(ports)),
      sources: [
        watchResource(claims, (claim) => (isRestored(claim) ? enqueueSelf(claim) : [])),
        watchResource(claims, ({ metadata }) => claims.byIndex(restoredByTarget, metadata.uid ?? '').flatMap(enqueueSelf)),
      ],
    }),
    createController({
      ...options,
      name: 'population',
      reconciler: unlessForeign(foreignCdi, createPopulationReconciler({ ...ports, importSources, uploadSources, cloneSources })),
      sources: populationEvents({
        claims,
        workers,
        classes,
        sources: [
          { kind: 'VolumeImportSource', objects: importSources },
          { kind: 'VolumeUploadSource', objects: uploadSources },
          { kind: 'VolumeCloneSource', objects: cloneSources },
        ],
      }),
    }),
    createController({
      ...options,
      name: 'upload-claim',
      reconciler: unlessForeign(foreignCdi, createUploadClaimReconciler(ports)),
      sources: [
        watchResource(claims, (claim) => (isUploadClaim(claim) ? enqueueSelf(claim) : [])),
        watchResource(workers, enqueueOwner({ group: '', kind: 'PersistentVolumeClaim' })),
      ],
    }),
  ]
}
