import type { Labels } from '#runtime/metrics/series.ts'

/** Returns what templates of VMs say about the guest in annotations. Pure. */
export function systemOf(annotations: Readonly<Record<string, string>> = {}): Labels {
  return {
    os: annotations['vm.kubevirt.io/os'] ?? '',
    workload: annotations['vm.kubevirt.io/workload'] ?? '',
    flavor: annotations['vm.kubevirt.io/flavor'] ?? '',
  }
}
