import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { cdiConfigs, cdis, dataImportCrons, dataSources, dataVolumes, storageProfiles } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { unlessForeign, unlessForeignMetrics, type ForeignCdi, type ReadMetrics } from '#features/foreign-cdi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { sourceOf } from './digest/source-of.ts'
import { defineDataImportCronMetrics } from './metrics.ts'
import { names } from './names.ts'
import { byCron, byNamedClaim, type Ports } from './ports.ts'
import { createDataImportCronReconciler } from './reconciler.ts'

/** Dependencies of the controller. */
export interface DataImportCronControllerOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'importerImage'> {
  readonly foreignCdi: ForeignCdi
  /** Registry for gauges. Default: none. */
  readonly gauges?: ReadMetrics
}

/** Index of DataImportCrons by their DataSource: `namespace/name`. */
const byDataSource = 'dataSource'
/** Index of DataImportCrons by the claim that they copy: `namespace/name`. */
const bySourceClaim = 'sourceClaim'

/** Creates the controller of DataImportCrons. */
export function createDataImportCronController({ informers, foreignCdi, gauges, ...options }: DataImportCronControllerOptions): Runnable {
  const crons = informers.informer(dataImportCrons)
  const sources = informers.informer(dataSources)
  const volumes = informers.informer(dataVolumes)
  const claims = informers.informer(persistentVolumeClaims)
  const pollers = informers.informer(pods, { labelSelector: names.pollerLabel })
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const classes = informers.informer(storageClasses)
  const profiles = informers.informer(storageProfiles)
  crons.addIndex(byDataSource, ({ metadata, spec }) =>
    [spec.managedDataSource, metadata.annotations?.[names.defaultDataSource]].flatMap((name) =>
      name === undefined ? [] : [`${metadata.namespace ?? ''}/${name}`],
    ),
  )
  crons.addIndex(bySourceClaim, (cron) => {
    const source = sourceOf(cron)
    return source.kind === 'pvc' ? [`${source.pvc.namespace}/${source.pvc.name}`] : []
  })
  volumes.addIndex(byCron, cronOf)
  claims.addIndex(byCron, cronOf)
  sources.addIndex(byNamedClaim, ({ metadata, spec, status }) =>
    [spec.source.pvc, status?.source?.pvc].flatMap((pvc) =>
      pvc === undefined ? [] : [`${pvc.namespace || (metadata.namespace ?? '')}/${pvc.name}`],
    ),
  )
  volumes.addIndex(byNamedClaim, ({ metadata, spec, status }) => {
    const pvc = spec.source?.pvc
    if (pvc === undefined || ['Succeeded', 'Failed'].includes(status?.phase ?? '')) return []
    return [`${pvc.namespace || (metadata.namespace ?? '')}/${pvc.name}`]
  })
  claims.addIndex(byNamedClaim, ({ metadata: { annotations = {} } }) => {
    const copied = annotations[names.cloneRequest]
    return copied === undefined || annotations[names.podPhase] === 'Succeeded' ? [] : [copied]
  })
  const ports: Ports = {
    ...options,
    crons,
    dataSources: sources,
    dataVolumes: volumes,
    claims,
    pollers,
    vms,
    vmis,
    classes,
    profiles,
    configs: informers.informer(cdiConfigs),
    installations: informers.informer(cdis),
  }
  if (gauges !== undefined) defineDataImportCronMetrics(unlessForeignMetrics(foreignCdi, gauges), crons)
  const withOpenClass = (): readonly Request[] => crons.list().filter(hasOpenClass).flatMap(enqueueSelf)
  const ownedByVm = (object: KubeObject): readonly Request[] => {
    const owner = controllerOf(object)
    if (owner?.kind !== 'VirtualMachine') return []
    const vm = vms.get(object.metadata?.namespace ?? '', owner.name)
    return vm === undefined ? [] : toCron(vm)
  }
  return createController({
    ...options,
    name: 'dataimportcron',
    reconciler: unlessForeign(foreignCdi, createDataImportCronReconciler(ports)),
    sources: [
      watchResource(crons, enqueueSelf),
      // What another one manages may be free now.
      watchResource(crons, (cron) =>
        crons.byIndex(byDataSource, `${cron.metadata.namespace ?? ''}/${cron.spec.managedDataSource ?? ''}`).flatMap(enqueueSelf),
      ),
      watchResource(sources, (source) => [...fromLabel(source), ...crons.byIndex(byDataSource, nameOf(source)).flatMap(enqueueSelf)]),
      watchResource(volumes, (volume) => [...fromLabel(volume), ...ownedByVm(volume)]),
      watchResource(claims, (claim) => [...fromLabel(claim), ...crons.byIndex(bySourceClaim, nameOf(claim)).flatMap(enqueueSelf)]),
      watchResource(pollers, toCron),
      watchResource(vms, toCron),
      watchResource(vmis, ownedByVm),
      watchResource(classes, withOpenClass),
    ],
  })
}

const toCron = enqueueOwner({ group: 'cdi.kubevirt.io', kind: 'DataImportCron' })

function hasOpenClass({ spec: { template } }: DataImportCron): boolean {
  return (template.spec.storage ?? template.spec.pvc)?.storageClassName === undefined
}

/**
 * The DataImportCron that a label names, also one that is gone: then there is something to clean
 * up.
 */
function fromLabel({ metadata }: KubeObject): readonly Request[] {
  const name = metadata?.labels?.[names.cronLabel] ?? ''
  return name === '' ? [] : [{ namespace: metadata?.namespace ?? '', name }]
}

function cronOf(object: KubeObject): readonly string[] {
  return fromLabel(object).map(({ namespace, name }) => `${namespace}/${name}`)
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`
}
