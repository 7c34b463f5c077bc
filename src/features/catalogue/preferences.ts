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
      labels: { ...catalogueLabels(guest.isOurs === true ? 'steadyvm.io' : 'kubevirt.io'), ...labelsOf(guest) },
      annotations: annotationsOf(guest),
    },
    spec: specOf(guest),
  }))
}

function labelsOf({ osType, architecture, vcpus, memory }: Guest): Record<string, string> {
  return described({
    'os-type': osType,
    arch: architecture,
    'required-cpu': vcpus,
    'required-memory': memory,
    'required-architecture': architecture,
    'preferred-architecture': architecture,
  })
}

const project = 'https://github.com/kubevirt/common-instancetypes'
/** Returns a link as KubeVirt's catalogue has it: with quotes and a newline. */
const link = (url: string): string => `"${url}"\n`

/** Annotations by which consoles show a preference. */
function annotationsOf({ displayName, icon, tags }: Guest): Record<string, string> {
  return {
    iconClass: `icon-${icon}`,
    tags: ['hidden', 'kubevirt', ...tags].join(','),
    'openshift.io/display-name': displayName,
    'openshift.io/provider-display-name': 'KubeVirt',
    'openshift.io/documentation-url': link(project),
    'openshift.io/support-url': link(`${project}/issues`),
  }
}

function specOf({ likes, osType, architecture, vcpus, memory }: Guest): VirtualMachinePreferenceSpec {
  const requirements = {
    ...(vcpus === undefined ? {} : { cpu: { guest: vcpus } }),
    ...(memory === undefined ? {} : { memory: { guest: memory } }),
    ...(architecture === undefined ? {} : { architecture }),
  }
  return {
    ...likes,
    annotations: { 'vm.kubevirt.io/os': osType, ...likes.annotations },
    ...(architecture === undefined ? {} : { preferredArchitecture: architecture }),
    ...(Object.keys(requirements).length === 0 ? {} : { requirements }),
  }
}
