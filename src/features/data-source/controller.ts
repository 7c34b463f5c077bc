import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { unlessForeign, type ForeignCdi } from '#features/foreign-cdi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createDataSourceReconciler, type Ports } from './reconciler.ts'

/** Dependencies of the controller. */
export interface DataSourceControllerOptions extends SharedControllerOptions, Pick<Ports, 'client'> {
  readonly foreignCdi: ForeignCdi
}

/** Index of DataSources by the claim that they name: `namespace/name`. */
const byClaim = 'claim'
/** Index of DataSources by the DataSource that they name: `namespace/name`. */
const byDataSource = 'dataSource'

/** Creates the controller of DataSources. */
export function createDataSourceController({ informers, foreignCdi, ...options }: DataSourceControllerOptions): Runnable {
  const all = informers.informer(dataSources)
  const volumes = informers.informer(dataVolumes)
  const claims = informers.informer(persistentVolumeClaims)
  all.addIndex(byClaim, ({ metadata, spec: { source } }) => keyOf(source.pvc, metadata))
  all.addIndex(byDataSource, ({ metadata, spec: { source } }) => keyOf(source.dataSource, metadata))
  const withReferrers = (dataSource: DataSource): readonly Request[] => [
    ...enqueueSelf(dataSource),
    ...all.byIndex(byDataSource, nameOf(dataSource)).flatMap(enqueueSelf),
  ]
  /** A DataVolume and its claim have the same name. */
  const namers = (object: KubeObject): readonly Request[] => all.byIndex(byClaim, nameOf(object)).flatMap(withReferrers)
  return createController({
    ...options,
    name: 'datasource',
    reconciler: unlessForeign(foreignCdi, createDataSourceReconciler({ ...options, dataSources: all, dataVolumes: volumes, claims })),
    sources: [watchResource(all, withReferrers), watchResource(volumes, namers), watchResource(claims, namers)],
  })
}

function keyOf(
  named: { readonly namespace?: string; readonly name: string } | undefined,
  { namespace = '' }: NonNullable<KubeObject['metadata']>,
): readonly string[] {
  return named === undefined ? [] : [`${named.namespace || namespace}/${named.name}`]
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}
