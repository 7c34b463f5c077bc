import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { mergePatch, type Finding, type Severity } from '../finding.ts'
import { guestObject, excludeFromUpdates, runningGuests, guestUpdateOf } from '../guest-update.ts'
import type { QemuFacts } from '../release-facts.ts'
import { changeFindings, knows, returnFindings, type Qemus } from './hardware-changes.ts'
import { currentVersion, kubevirtPlace, releaseOf, type UpgradeInventory } from '../inventory.ts'

/** CPU models that stand for the model of the node. */
const models: readonly string[] = ['host-model', 'host-passthrough', 'max']

/** Finds machine types and CPU models that QEMU of the new release does not have, or changes. */
export function hardwareFindings(inventory: UpgradeInventory): Finding[] {
  const next = releaseOf(inventory, inventory.to)?.qemu
  if (next === undefined) return []
  const present = releaseOf(inventory, currentVersion(inventory))?.qemu
  return [
    ...guestFindings(inventory, next),
    ...inventory.vms.flatMap((vm) => [...machineFinding(vm, { present, next }), ...cpuFinding(vm, { present, next })]),
    ...preferenceFindings(inventory, { present, next }),
    ...configurationFindings(inventory, { present, next }),
    ...changeFindings(inventory, { present, next }),
    ...returnFindings(inventory, { present, next }),
  ]
}

/** A type that the installed QEMU does not have either is not the upgrade's fault. */
function vanishes(type: string | undefined, { present, next }: Qemus): type is string {
  return type !== undefined && type !== '' && !knows(next, type) && (present === undefined || knows(present, type))
}

/** Returns the alias of a type's family, which every version has: `pc-q35-5.2` → `q35`. */
function familyOf(type: string): string {
  return type.startsWith('pc-i440fx-') ? 'pc' : (/^(?:pc-)?([a-z0-9]+)/.exec(type)?.[1] ?? 'q35')
}

function guestFindings(inventory: UpgradeInventory, next: QemuFacts): Finding[] {
  return runningGuests(inventory)
    .filter((guest) => guestUpdateOf(guest, inventory) === 'move')
    .filter(({ status }) => status?.machine?.type !== undefined && !knows(next, status.machine.type))
    .map((guest) => ({
      ...vanishing(guestObject(guest), guest.status?.machine?.type ?? '', next, 'forceable'),
      why: 'It cannot be moved to a hypervisor without its machine, and stays in its old launcher until it is restarted; the command says that this is all right',
      command: excludeFromUpdates(guest),
    }))
}

function vanishing(
  object: string,
  type: string,
  { version }: QemuFacts,
  severity: Severity,
): Pick<Finding, 'id' | 'object' | 'severity' | 'what'> {
  return { id: 'MachineTypeVanishes', severity, object, what: `Machine type ${type} is not in QEMU ${version}` }
}

function machineFinding(vm: VirtualMachine, qemus: Qemus): Finding[] {
  const type = vm.spec.template?.spec.domain?.machine?.type
  if (!vanishes(type, qemus)) return []
  const { name = '', namespace } = vm.metadata
  const body = { spec: { template: { spec: { domain: { machine: { type: familyOf(type) } } } } } }
  return [
    {
      ...vanishing(`vm/${namespace ?? ''}/${name}`, type, qemus.next, 'forceable'),
      why: 'The VM could not be started any more. The command gives it the newest machine of its family at its next start, which its guest can notice',
      command: mergePatch(`vm/${name}`, namespace, body),
    },
  ]
}

function cpuFinding(vm: VirtualMachine, { present, next }: Qemus): Finding[] {
  const model = vm.spec.template?.spec.domain?.cpu?.model
  if (!model || models.includes(model) || next.cpuModels.includes(model) || present?.cpuModels.includes(model) === false) return []
  const { name = '', namespace } = vm.metadata
  return [
    {
      id: 'CpuModelVanishes',
      severity: 'forceable',
      object: `vm/${namespace ?? ''}/${name}`,
      what: `Processor model ${model} is not in QEMU ${next.version}`,
      why: 'The VM could not be started any more. The command gives it what its node has at its next start, which its guest can notice',
      command: mergePatch(`vm/${name}`, namespace, { spec: { template: { spec: { domain: { cpu: { model: 'host-model' } } } } } }),
    },
  ]
}

function preferenceFindings(inventory: UpgradeInventory, qemus: Qemus): Finding[] {
  return inventory.preferences.flatMap(({ metadata: { name = '', namespace }, spec }) => {
    const type = spec.machine?.preferredMachineType
    if (!vanishes(type, qemus)) return []
    const kind = namespace === undefined ? 'virtualmachineclusterpreference' : 'virtualmachinepreference'
    return [
      {
        ...vanishing(`${kind}/${namespace === undefined ? '' : `${namespace}/`}${name}`, type, qemus.next, 'forceable'),
        why: 'VMs that get their machine from it could not be started any more',
        command: mergePatch(`${kind}/${name}`, namespace, { spec: { machine: { preferredMachineType: familyOf(type) } } }),
      },
    ]
  })
}

function configurationFindings(inventory: UpgradeInventory, qemus: Qemus): Finding[] {
  const { object, namespace } = kubevirtPlace(inventory)
  const type = inventory.config.machineTypes['amd64']
  if (!vanishes(type, qemus)) return []
  const configuration = { machineType: null, architectureConfiguration: { amd64: { machineType: familyOf(type) } } }
  return [
    {
      ...vanishing(object, type, qemus.next, 'forceable'),
      why: 'VMs that name no machine themselves could not be started any more',
      command: mergePatch(object, namespace, { spec: { configuration } }),
    },
  ]
}
