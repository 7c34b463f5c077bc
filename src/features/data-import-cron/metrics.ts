import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { names } from './names.ts'

/**
 * Defines CDI's metric of images that are outdated. Computed from DataImportCrons at each scrape.
 */
export function defineDataImportCronMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, crons: Pick<Lister<DataImportCron>, 'list'>): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_cdi_dataimportcron_outdated',
      help: 'DataImportCron has an outdated import',
      labels: ['namespace', 'cron_name', 'pending'],
    },
    () =>
      crons.list().map((cron) => {
        const { namespace = '', name = '' } = cron.metadata
        const isOutdated = !isTrue(cron.status?.conditions, 'UpToDate')
        return [{ namespace, cron_name: name, pending: String(isOutdated && lacksClass(cron)) }, isOutdated ? 1 : 0] as const
      }),
  )
}

/** There is no default storage class, and the template names none. */
function lacksClass({ metadata, spec: { template } }: DataImportCron): boolean {
  const part = template.spec.storage ?? template.spec.pvc
  return part?.storageClassName === undefined && metadata.annotations?.[names.storageClass] === undefined
}
