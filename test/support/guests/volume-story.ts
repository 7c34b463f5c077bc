import assert from 'node:assert/strict'
import { eventually, textAt, type KubeJson, type TestMachine } from '../machine.ts'
import { demoVirtualMachine, editGuest } from '../manifests.ts'
import { untilGuestsRun } from './running-guests.ts'

/** How a user asks for volumes of a running guest. */
export interface VolumeRequests {
  /** Plugs a claim in, as a disk with its name as serial number. */
  readonly add: (vm: string, claim: string) => Promise<unknown>
  readonly remove: (vm: string, claim: string) => Promise<unknown>
}

/** Creates claims that two nodes can use. */
export async function createClaims(machine: TestMachine, names: readonly string[]): Promise<void> {
  const spec = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '16Mi' } } }
  const claims = names.map((name) => JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }))
  await machine.kubectl(['create', '-f', '-'], claims.join('\n---\n'))
}

/**
 * Plugs a volume by a request and another one by an edit of the VM, uses both in the guest, which
 * moves to another node with them, and unplugs one.
 */
export async function volumeStory(machine: TestMachine, { add, remove }: VolumeRequests): Promise<void> {
  const { namespace } = machine
  await createClaims(machine, ['asked', 'written'])
  await machine.kubectl(['create', '-f', '-'], demoVirtualMachine('plugged', { namespace }))
  await untilGuestsRun(machine, ['plugged'])
  await add('plugged', 'asked')
  await untilVolumes(machine, 'plugged', 'asked Ready sda')
  const serial = 'tail -c +5 /sys/block/sda/device/vpd_pg80'
  await untilInGuest(machine, 'plugged', `${serial}; cat /sys/block/sda/size`, /asked\s*30720/)
  await machine.inGuest('echo kept >/dev/sda; sync', 'plugged')
  await machine.kubectl(['patch', 'vm', 'plugged', '--type=json', '-p', JSON.stringify(withVolume('written'))])
  await untilVolumes(machine, 'plugged', 'asked Ready sda', 'written Ready vda')
  await untilInGuest(machine, 'plugged', 'cat /sys/block/vda/serial', /WRITTEN/)
  assert.doesNotMatch(await machine.kubectl(['get', 'vm', 'plugged', '-o', 'jsonpath={.status.conditions[*].type}']), /RestartRequired/)
  await machine.kubectl(['patch', 'pvc', 'asked', '-p', '{"spec":{"resources":{"requests":{"storage":"32Mi"}}}}'])
  await untilInGuest(machine, 'plugged', 'cat /sys/block/sda/size', /61440/)
  const from = textAt(await machine.getJson('vmi', 'plugged'), 'status.nodeName')
  await migrate(machine, 'plugged')
  assert.notEqual(textAt(await machine.getJson('vmi', 'plugged'), 'status.nodeName'), from)
  await untilInGuest(machine, 'plugged', 'head -c 4 /dev/sda; ls /sys/block', /kept\s*sda\s*vda/)
  await remove('plugged', 'asked')
  await untilVolumes(machine, 'plugged', 'written Ready vda')
  await untilInGuest(machine, 'plugged', 'ls /sys/block', /^vda\s*$/)
  await eventually(
    async () => (await machine.kubectl(['get', 'pods', '-l', 'kubevirt.io=hotplug-disk', '-o', 'name'])).trim().split('\n').length === 1,
    () => machine.kubectl(['get', 'pods']),
  )
}

function withVolume(claimName: string): readonly object[] {
  const volume = { name: claimName, persistentVolumeClaim: { claimName, hotpluggable: true } }
  const disk = { name: claimName, disk: { bus: 'virtio' }, serial: claimName.toUpperCase(), cache: 'none' }
  return [
    { op: 'add', path: '/spec/template/spec/volumes/-', value: volume },
    { op: 'add', path: '/spec/template/spec/domain/devices/disks/-', value: disk },
  ]
}

async function migrate(machine: TestMachine, vmiName: string): Promise<void> {
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: `${vmiName}-moves` },
    spec: { vmiName },
  }
  await machine.kubectl(['create', '-f', '-'], JSON.stringify(migration))
  await machine.kubectl(['wait', 'vmim', `${vmiName}-moves`, '--for=jsonpath={.status.phase}=Succeeded', '--timeout=300s'])
}

/** Waits until the guest has exactly these volumes: `name phase target`. */
export async function untilVolumes(machine: TestMachine, name: string, ...wanted: readonly string[]): Promise<void> {
  let last: KubeJson = {}
  await eventually(
    async () => {
      last = await machine.getJson('vmi', name)
      const shown = (last['status']?.['volumeStatus'] ?? []) as unknown as readonly KubeJson[]
      return shown.map((one) => ['name', 'phase', 'target'].map((field) => textAt(one, field)).join(' ')).join() === wanted.join()
    },
    () => JSON.stringify(last['status']),
  )
}

/** Runs a command in the guest until its output matches: devices appear after QEMU has them. */
export async function untilInGuest(machine: TestMachine, name: string, command: string, wanted: RegExp): Promise<void> {
  let last = ''
  await eventually(
    async () => {
      last = await machine.inGuest(command, name).catch(String)
      return wanted.test(last)
    },
    () => `${command}: ${last}`,
  )
}

/** Returns a VM whose guest has a CD-ROM drive without a disc. */
export function playerVirtualMachine(name: string, namespace: string): string {
  return editGuest(demoVirtualMachine(name, { namespace }), (spec) => ({
    ...spec,
    domain: { ...spec.domain, devices: { ...spec.domain.devices, disks: [{ name: 'disc', cdrom: { bus: 'scsi' } }] } },
  }))
}
