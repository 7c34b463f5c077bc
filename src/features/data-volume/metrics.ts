import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** Caches that the metrics are read from at each scrape. */
export interface DataVolumeSources {
  readonly dataVolumes: Pick<Lister<DataVolume>, 'list'>
  readonly claims: Pick<Lister<PersistentVolumeClaim>, 'get'>
}

/**
 * Defines CDI's metrics of DataVolumes. The progress is that of the status: workers are asked for
 * it by the controller, and have no metrics of their own.
 */
export function defineDataVolumeMetrics(
  metrics: Pick<Metrics, 'gaugeFrom' | 'counterFrom'>,
  { dataVolumes, claims }: DataVolumeSources,
): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_cdi_datavolume_pending',
      help: 'Number of DataVolumes pending for default storage class to be configured',
    },
    () => [[{}, dataVolumes.list().filter(waitsForClass).length]],
  )
  const progress = (phase: string) => (): Sample[] =>
    dataVolumes.list().flatMap(({ metadata: { namespace = '', name = '' }, status }): Sample[] => {
      const percent = Number.parseFloat(status?.progress ?? '')
      const ownerUID = status?.phase === phase ? claims.get(namespace, status.claimName ?? name)?.metadata.uid : undefined
      return ownerUID === undefined || Number.isNaN(percent) ? [] : [[{ ownerUID }, percent]]
    })
  metrics.counterFrom(
    { name: 'kubevirt_cdi_import_progress_total', help: 'The import progress in percentage', labels: ['ownerUID'] },
    progress('ImportInProgress'),
  )
  metrics.counterFrom(
    { name: 'kubevirt_cdi_clone_progress_total', help: 'The clone progress in percentage', labels: ['ownerUID'] },
    progress('CloneInProgress'),
  )
}

/** Names no class, and has no claim yet. */
function waitsForClass({ spec, status }: DataVolume): boolean {
  return ['', 'Pending'].includes(status?.phase ?? '') && (spec.storage ?? spec.pvc)?.storageClassName === undefined
}
