import { virtualMachineClusterPreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import * as clean from '#features/upgrade-check/clean-cluster.fixture.ts'
import { addMachine, type UpgradeLab } from '../../support/upgrade-lab.ts'
import { kubevirt, merge, web, type BadCluster } from './bad-cluster.ts'

async function halted(lab: UpgradeLab, name: string, domain: object): Promise<unknown> {
  const template = { spec: { domain: { devices: {}, memory: { guest: '64Mi' }, ...domain } } }
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default' },
    spec: { runStrategy: 'Halted', template },
  }
  return lab.create(virtualMachines, vm as VirtualMachine)
}

const younger = {
  version: '10.0.0',
  machineTypes: ['pc-q35-10.0', 'pc-q35-7.2'],
  machineAliases: { q35: 'pc-q35-10.0', pc: 'pc-i440fx-10.0' },
}

/** Defects of the guests' hardware. */
export const badHardware: readonly BadCluster[] = [
  {
    id: 'MachineTypeVanishes',
    name: 'a VM with a machine that the new hypervisor does not have',
    to: 'v0.2.6',
    seed: async (lab) => {
      lab.release('v0.2.6', { qemu: { version: '11.0.0', machineTypes: ['pc-q35-7.2', 'pc-i440fx-7.2'] } })
      await halted(lab, 'old', { machine: { type: 'pc-q35-5.2' } })
    },
  },
  {
    id: 'MachineTypeVanishes',
    name: 'a guest on a machine that the new hypervisor does not have',
    to: 'v0.2.6',
    seed: async (lab) => {
      const machine = clean.machine('ancient', 'n2')
      await addMachine(lab.create, {
        ...machine,
        guest: { ...machine.guest, status: { ...machine.guest.status, machine: { type: 'pc-q35-5.2' } } },
      })
    },
  },
  {
    id: 'MachineTypeVanishes',
    name: 'a preference for a machine that the new hypervisor does not have',
    to: 'v0.2.6',
    seed: (lab) =>
      lab.create(virtualMachineClusterPreferences, {
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClusterPreference',
        metadata: { name: 'vintage' },
        spec: { machine: { preferredMachineType: 'pc-q35-5.2' } },
      }),
  },
  {
    id: 'MachineTypeVanishes',
    name: "a cluster's machine that the new hypervisor does not have",
    to: 'v0.2.6',
    seed: kubevirt({ configuration: { architectureConfiguration: { amd64: { machineType: 'pc-q35-5.2' } } } }),
    restore: kubevirt({ configuration: { architectureConfiguration: null } }),
  },
  {
    id: 'CpuModelVanishes',
    name: 'a VM with a processor that the new hypervisor does not have',
    to: 'v0.2.7',
    seed: async (lab) => {
      lab.release('v0.2.7', { qemu: { cpuModels: ['Skylake-Client'] } })
      await halted(lab, 'slow', { cpu: { model: 'Haswell' } })
    },
  },
  {
    id: 'GuestCannotGoBack',
    name: 'a way back to a hypervisor that takes no guests of the present one',
    to: 'v0.1.4',
    seed: async (lab) => lab.release('v0.1.4', { qemu: { version: '5.2.0' } }),
    restore: (lab) =>
      merge(lab, virtualMachineInstances, web, { metadata: { annotations: { 'kubevirt.io/workloadUpdateMigrationAbortion': null } } }),
  },
  {
    id: 'HardwareChanges',
    name: 'VMs whose machine would be another one of the same name',
    to: 'v0.2.8',
    seed: async (lab) => lab.release('v0.2.8', { qemu: younger }),
    restore: kubevirt({ configuration: { architectureConfiguration: null } }),
  },
  {
    id: 'HardwareChanges',
    name: 'a VM whose owner wants to be asked about other hardware',
    to: 'v0.2.8',
    seed: async (lab) => {
      await kubevirt({ configuration: { architectureConfiguration: { amd64: { machineType: 'pc-q35-7.2' } } } })(lab)
      const annotations = { 'steadyvm.io/hardware-changes': 'Refuse' }
      await merge(lab, virtualMachines, web, {
        metadata: { annotations },
        spec: { template: { spec: { domain: { machine: { type: 'q35' } } } } },
      })
    },
    restore: kubevirt({ configuration: { architectureConfiguration: null } }),
  },
  {
    id: 'HardwareChanges',
    name: 'a VM whose preference names its machine without a version',
    to: 'v0.2.8',
    seed: async (lab) => {
      await kubevirt({ configuration: { architectureConfiguration: { amd64: { machineType: 'pc-q35-7.2' } } } })(lab)
      await lab.create(virtualMachineClusterPreferences, {
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClusterPreference',
        metadata: { name: 'modern' },
        spec: { machine: { preferredMachineType: 'q35' } },
      })
      const template = { spec: { domain: { machine: null } } }
      await merge(lab, virtualMachines, web, { spec: { preference: { name: 'modern' }, template } })
    },
    restore: kubevirt({ configuration: { architectureConfiguration: null } }),
  },
]
