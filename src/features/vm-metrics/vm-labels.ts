import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Labels } from '#runtime/metrics/series.ts'

/** KubeVirt's ConfigMap, in the namespace of the components. */
export const vmLabelsConfig = 'kubevirt-vm-labels-config'

/** Which labels of VMs become labels of the metric. */
export interface LabelSettings {
  /** Undefined: all. */
  readonly allowed: ReadonlySet<string> | undefined
  readonly ignored: ReadonlySet<string>
}

/** Caches that the metric is read from at each scrape. */
export interface LabelSources {
  readonly vms: Pick<Lister<VirtualMachine>, 'list'>
  readonly settings: () => ConfigMap | undefined
}

/** Defines KubeVirt's metric with the labels of VMs, by which dashboards group them. */
export function defineLabelMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, { vms, settings }: LabelSources): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vm_labels',
      help: "The metric exposes the VM labels as Prometheus labels. Configure allowed and ignored labels via the 'kubevirt-vm-labels-config' ConfigMap.",
      labels: ['name', 'namespace'],
    },
    () => {
      const chosen = labelSettingsOf(settings())
      return vms.list().flatMap((vm): Sample[] => {
        const { name = '', namespace = '' } = vm.metadata
        const labels = labelsOf(vm, chosen)
        return Object.keys(labels).length === 0 ? [] : [[{ name, namespace, ...labels }, 1]]
      })
    },
  )
}

/** Returns the settings in KubeVirt's ConfigMap, whose lists are separated by commas. Pure. */
export function labelSettingsOf(config: ConfigMap | undefined): LabelSettings {
  const listOf = (key: string): readonly string[] | undefined =>
    config?.data?.[key]
      ?.split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  const allowed = listOf('allowlist') ?? ['*']
  return { allowed: allowed.includes('*') ? undefined : new Set(allowed), ignored: new Set(listOf('ignorelist')) }
}

/** Returns the labels of a VM and of its template, under names that Prometheus takes. Pure. */
export function labelsOf({ metadata, spec }: VirtualMachine, { allowed, ignored }: LabelSettings): Labels {
  const labels = Object.entries({ ...metadata.labels, ...spec.template.metadata?.labels })
  const chosen = labels.filter(([key]) => !ignored.has(key) && (allowed === undefined || allowed.has(key)))
  return Object.fromEntries(chosen.map(([key, value]) => [`label_${labelName(key)}`, value]))
}

/** KubeVirt's rule: it also applies to what follows `label_`. */
function labelName(key: string): string {
  return key.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?![A-Za-z_])/, '_')
}
