import type { VirtualMachineClusterPreference, VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { allGuests, type Guest } from './guests.ts'
import { catalogueLabels, described } from './names.ts'

/** Renders the preferences of the catalogue. */
export function cataloguePreferences(): VirtualMachineClusterPreference[] {
  return allGuests.map((guest) => ({
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineClusterPreference',
    metadata: {
      name: guest.name,
      labels: { ...catalogueLabels, ...labelsOf(guest) },
      annotations: described({ displayName: guest.displayName, description: descriptionOf(guest) }),
    },
    spec: specOf(guest),
  }))
}

function labelsOf({ osType, architecture, vcpus, memory, deprecated }: Guest): Record<string, string> {
  return described({
    'os-type': osType,
    arch: architecture,
    'required-cpu': vcpus,
    'required-memory': memory,
    'required-architecture': architecture,
    'preferred-architecture': architecture,
    'icon-pf': icons[osType],
    deprecated,
  })
}

const icons: Readonly<Record<Guest['osType'], string>> = {
  linux: 'pficon-linux',
  windows: 'pficon-windows',
  legacy: 'pficon-virtual-machine',
}

function descriptionOf({ displayName, vcpus, memory, deprecated }: Guest): string {
  const end = deprecated === true ? ' Its vendor has ended its life: for guests that exist.' : ''
  return `For ${displayName}. Needs at least ${vcpus} virtual CPU${vcpus === 1 ? '' : 's'} and ${memory} of memory.${end}`
}

function specOf({ likes, architecture, vcpus, memory }: Guest): VirtualMachinePreferenceSpec {
  return {
    ...likes,
    ...(architecture === undefined ? {} : { preferredArchitecture: architecture }),
    requirements: { cpu: { guest: vcpus }, memory: { guest: memory }, ...(architecture === undefined ? {} : { architecture }) },
  }
}
