import type {
  VirtualMachineClusterInstancetype,
  VirtualMachineInstancetypeSpec,
} from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import { catalogueLabels, described } from './names.ts'
import { allSeries, type Series, type Size } from './series.ts'

/** Renders the instance types of the catalogue. */
export function catalogueInstancetypes(): VirtualMachineClusterInstancetype[] {
  return allSeries.flatMap((series) => series.sizes.map((size) => instancetypeOf(series, size)))
}

function instancetypeOf(series: Series, size: Size): VirtualMachineClusterInstancetype {
  const [sizeName] = size
  return {
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineClusterInstancetype',
    metadata: {
      name: `${series.name}.${sizeName}`,
      labels: { ...catalogueLabels('kubevirt.io'), ...labelsOf(series, size) },
      annotations: described({ displayName: series.displayName, description: series.description }),
    },
    spec: specOf(series, size),
  }
}

function labelsOf(series: Series, [sizeName, vcpus, memory]: Size): Record<string, string> {
  return described({
    class: series.class,
    version: series.name.replace(/^\D+/, ''),
    size: sizeName,
    cpu: vcpus,
    memory,
    numa: series.numa,
    dedicatedCPUPlacement: series.dedicatedCpus,
    isolateEmulatorThread: series.isolatedEmulator,
    realtime: series.realtime,
    hugepages: series.hugepages,
    'icon-pf': series.icon,
  })
}

function specOf(series: Series, [, guest, memory]: Size): VirtualMachineInstancetypeSpec {
  const { dedicatedCpus, isolatedEmulator, numa, realtime, fixedSockets, ioThreads, hugepages, overcommitPercent, annotations } = series
  return {
    ...(annotations === undefined ? {} : { annotations }),
    cpu: {
      guest,
      ...(dedicatedCpus === undefined ? {} : { dedicatedCPUPlacement: true }),
      ...(isolatedEmulator === undefined ? {} : { isolateEmulatorThread: true }),
      ...(numa === undefined ? {} : { numa: { guestMappingPassthrough: {} } }),
      ...(realtime === undefined ? {} : { realtime: {} }),
      ...(fixedSockets === undefined ? {} : { maxSockets: guest }),
    },
    ...(ioThreads === undefined ? {} : { ioThreadsPolicy: 'auto' }),
    memory: {
      guest: memory,
      ...(overcommitPercent === undefined ? {} : { overcommitPercent }),
      ...(hugepages === undefined ? {} : { hugepages: { pageSize: hugepages } }),
    },
  }
}
