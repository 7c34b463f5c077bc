import type { Node } from '#api/core/v1/node.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Labels } from '#runtime/metrics/series.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { ComponentCaches } from '../components/objects/caches.ts'
import { hyperConvergedKey } from '../names.ts'
import { nodeFactsOf } from '../components/rendering/node-facts.ts'
import { templatesKind } from '../components/rendering/components.ts'
import { bootImagesOf, isMultiArchEnabled, type BootImage } from '../components/boot-images/boot-image.ts'
import { importCronKind, importerOf } from '../components/boot-images/import-crons.ts'
import { deschedulerKind, isMisconfigured } from './descheduler.ts'
import { overcommitOf, updateSecondsOf, unsafeModificationsOf, isSingleStackIpv6 } from './measures.ts'

/** Caches and settings that the metrics are computed from at each scrape. */
export interface MetricsSources {
  readonly hyperconvergeds: Pick<Lister<HyperConverged>, 'get'> & { readonly hasSynced: boolean }
  readonly nodes: Pick<Lister<Node>, 'list'>
  readonly caches: Pick<ComponentCaches, 'observe'>
  readonly clock: Pick<Clock, 'now'>
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Counts a change by others that the operator has reverted. `object`: `KubeVirt/name`. */
export type CountOverwrite = (object: string) => void

const health: Readonly<Record<string, number>> = { healthy: 0, warning: 1, error: 2 }

/** Labels of the metrics of boot images. */
const imageLabels: readonly string[] = ['data_import_cron_name', 'managed_data_source_name']

/**
 * Defines the metrics of the HyperConverged operator. All but the counter are read from caches, so
 * that a replica that does not lead reports the same. What is not known is not reported.
 */
export function defineHyperConvergedMetrics(metrics: Pick<Metrics, 'counter' | 'gaugeFrom'>, sources: MetricsSources): CountOverwrite {
  const { hyperconvergeds, nodes, caches, clock, environment } = sources
  const current = (): HyperConverged | undefined => hyperconvergeds.get(hyperConvergedKey.namespace, hyperConvergedKey.name)
  const single = (value: number | undefined): readonly (readonly [Labels, number])[] => (value === undefined ? [] : [[{}, value]])
  const facts = (): ReturnType<typeof nodeFactsOf> => nodeFactsOf(nodes.list(), current())
  // Nothing happens to boot images where nothing imports them.
  const imported = (): HyperConverged | undefined =>
    importerOf({ templates: caches.observe(templatesKind), crons: caches.observe(importCronKind) }) === undefined ? undefined : current()
  const images = (): readonly BootImage[] => {
    const hyperconverged = imported()
    return hyperconverged !== undefined && isMultiArchEnabled(hyperconverged)
      ? bootImagesOf(hyperconverged, facts().workloadArchitectures)
      : []
  }
  const labelsOf = ({ name, spec: { managedDataSource: source } }: BootImage): Labels => ({
    data_import_cron_name: name,
    managed_data_source_name: typeof source === 'string' ? source : '',
  })
  const overwrites = metrics.counter({
    name: 'kubevirt_hco_out_of_band_modifications_total',
    help: 'Changes by others to objects of the operator, which it has reverted',
    labels: ['component_name'],
  })
  metrics.gaugeFrom({ name: 'kubevirt_hco_hyperconverged_cr_exists', help: '1 when there is a HyperConverged object, otherwise 0' }, () =>
    single(hyperconvergeds.hasSynced ? Number(current() !== undefined) : undefined),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_hco_system_health_status', help: 'Health of the platform: 0 is healthy, 1 is a warning, 2 is an error' },
    () => single(health[current()?.status?.systemHealthStatus ?? '']),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_hco_unsafe_modifications',
      help: 'Operations of JSON patches in annotations of the HyperConverged object',
      labels: ['annotation_name'],
    },
    () => Object.entries(unsafeModificationsOf(current()?.metadata.annotations)).map(([name, count]) => [{ annotation_name: name }, count]),
  )
  metrics.gaugeFrom(
    {
      name: 'steadyvm_hco_component_update_seconds',
      help: 'For how long a component has been updated to another version, while it is',
      labels: ['component'],
    },
    () => updateSecondsOf(current()?.status, clock.now()).map(({ component, seconds }) => [{ component }, seconds]),
  )
  metrics.gaugeFrom(
    { name: 'kubevirt_hco_memory_overcommit_percentage', help: 'Guest memory as a percentage of what is requested for it' },
    () => single(overcommitOf(current())),
  )
  metrics.gaugeFrom({ name: 'kubevirt_hco_single_stack_ipv6', help: '1 when pods have only IPv6 addresses, otherwise 0' }, () => {
    const isSingle = isSingleStackIpv6(environment['POD_IPS'])
    return single(isSingle === undefined ? undefined : Number(isSingle))
  })
  metrics.gaugeFrom(
    { name: 'kubevirt_hco_misconfigured_descheduler', help: '1 when there is a descheduler without a profile for guests, otherwise 0' },
    () => {
      const { isKnown, resource, objects } = caches.observe(deschedulerKind)
      return single(resource !== undefined && !isKnown ? undefined : Number(objects.some(isMisconfigured)))
    },
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_hco_multi_arch_boot_images_enabled',
      help: '1 when boot images of all architectures are imported; only with nodes of several',
    },
    () => {
      const hyperconverged = imported()
      const isMixed = hyperconverged !== undefined && facts().workloadArchitectures.length > 1
      return single(isMixed ? Number(isMultiArchEnabled(hyperconverged)) : undefined)
    },
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_hco_dataimportcrontemplate_with_architecture_annotation',
      help: '1 when a boot image names its architectures, otherwise 0; only when those of all are imported',
      labels: imageLabels,
    },
    () => images().map((image) => [labelsOf(image), Number(image.architectures !== undefined)]),
  )
  metrics.gaugeFrom(
    {
      name: 'kubevirt_hco_dataimportcrontemplate_with_supported_architectures',
      help: '1 when nodes have an architecture that a boot image names, otherwise 0; only when those of all are imported',
      labels: imageLabels,
    },
    () => images().flatMap((image) => (image.architectures === undefined ? [] : [[labelsOf(image), Number(image.isSupported)] as const])),
  )
  return (object) => overwrites({ component_name: object.toLowerCase() }).add()
}
