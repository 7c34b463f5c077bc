import { componentNamespace } from '#api/access/component-users.ts'
import { cdiConfigs, cdis, storageProfiles } from '#api/cdi/v1beta1/resources.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { certificateNames } from '#features/certificates/index.ts'
import { unlessForeign, unlessForeignMetrics, type ForeignCdi, type ReadMetrics } from '#features/foreign-cdi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { channelSource, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { configName } from './import-settings.ts'
import { createConfigReconciler, type UploadAddress } from './config-reconciler.ts'
import { createInstallationReconciler } from './installation-reconciler.ts'
import { defineStorageMetrics } from './metrics.ts'
import { createProfileReconciler, type Ports } from './profile-reconciler.ts'

/** Dependencies of the controllers. */
export interface StorageProfileControllerOptions extends SharedControllerOptions, Pick<Ports, 'client'> {
  readonly foreignCdi: ForeignCdi
  /** Version that the CDI object shows. */
  readonly version: string
  /** Where clients upload to. Undefined: to virt-api, whose address only administrators know. */
  readonly upload?: UploadAddress | undefined
  /** Registry for gauges. Default: none. */
  readonly gauges?: ReadMetrics
}

/** Creates the controllers of StorageProfiles, CDIConfig and the CDI object. */
export function createStorageProfileControllers({
  informers,
  foreignCdi,
  gauges,
  ...options
}: StorageProfileControllerOptions): readonly Runnable[] {
  const profiles = informers.informer(storageProfiles)
  const classes = informers.informer(storageClasses)
  const configs = informers.informer(cdiConfigs)
  const installations = informers.informer(cdis)
  if (gauges !== undefined) defineStorageMetrics(unlessForeignMetrics(foreignCdi, gauges), { profiles, classes, installations })
  const authority = { namespace: componentNamespace, name: certificateNames.authority }
  const bundles = informers.informer(configMaps, { namespace: authority.namespace, fieldSelector: `metadata.name=${authority.name}` })
  const virtApi = (): UploadAddress => {
    const bundle = bundles.get(authority.namespace, authority.name)?.data?.[certificateNames.bundleKey]
    return bundle === undefined ? {} : { authority: bundle }
  }
  const config = { namespace: '', name: configName }
  const start = channelSource()
  start.enqueue(config)
  return [
    createController({
      ...options,
      name: 'storageprofile',
      reconciler: unlessForeign(foreignCdi, createProfileReconciler({ ...options, profiles, classes })),
      sources: [watchResource(classes, enqueueSelf), watchResource(profiles, enqueueSelf)],
    }),
    createController({
      ...options,
      name: 'cdiconfig',
      reconciler: unlessForeign(
        foreignCdi,
        createConfigReconciler({ ...options, upload: () => options.upload ?? virtApi(), configs, installations, classes }),
      ),
      sources: [
        start,
        watchResource(configs, enqueueSelf),
        watchResource(installations, () => [config]),
        watchResource(classes, () => [config]),
        watchResource(bundles, () => [config]),
      ],
    }),
    createController({
      ...options,
      name: 'cdi',
      reconciler: unlessForeign(foreignCdi, createInstallationReconciler({ ...options, installations })),
      sources: [watchResource(installations, enqueueSelf)],
    }),
  ]
}
