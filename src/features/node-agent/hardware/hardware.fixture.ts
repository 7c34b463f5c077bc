import assert from 'node:assert/strict'
import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { notFound } from '#apimachinery/errors.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Client } from '#client/client.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { hardwareNames, launchDigest, newRecord, recordAfter } from '#features/hardware-record/index.ts'
import { expand } from '#features/instancetype/index.ts'
import { rehearseFingerprint } from '#qemu/index.ts'
import { webVm } from '../guest.fixture.ts'
import type { Host } from '../node/host.ts'
import { dryRunArguments } from './dry-run-launch.ts'

type DomainSpec = VirtualMachineSpec['template']['spec']['domain']

const uid = '9771d555-b1c4-4979-8532-7a36f2d5ce81'
const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid, controller: true }

/** A VM with two cards and an own disk, with changes to its domain. */
export function vmWith(change: object, annotations: Record<string, string> = {}): VirtualMachine {
  const base = webVm('Always', 1)
  const { spec } = base.spec.template
  const domain = applyMergePatch({ ...spec.domain, devices: { ...spec.domain.devices, interfaces, disks } }, change) as DomainSpec
  const networks = interfaces.map(({ name }) => ({ name, pod: {} }))
  const volumes = [...(spec.volumes ?? []), { name: 'data', emptyDisk: { capacity: '1Mi' } }]
  const template = { spec: { ...spec, domain, networks, volumes } }
  return { ...base, metadata: { ...base.metadata, uid, annotations }, spec: { ...base.spec, template } }
}
export const interfaces = [
  { name: 'one', masquerade: {} },
  { name: 'two', masquerade: {} },
] as const
export const [boot, data] = [
  { name: 'boot', disk: { bus: 'virtio' } },
  { name: 'data', disk: { bus: 'virtio' }, serial: 'S1' },
] as const
const disks = [boot, data]

/** The VMI of a VM in a fresh cluster. */
export function vmiOf(vm: VirtualMachine): VirtualMachineInstance {
  const { vmi } = expand(vm, undefined, undefined, defaultClusterConfig)
  return { metadata: { namespace: 'default', name: 'web', uid: 'v', ownerReferences: [owner] }, spec: vmi.spec }
}

/** The record of a VM that has run on this host. */
export async function recordOf(vm: VirtualMachine, host: Host): Promise<HardwareRecord> {
  const args = dryRunArguments(vmiOf(vm), host)
  const fingerprint = await rehearseFingerprint(host.qemuBinary, args)
  const observation = { fingerprint, launch: launchDigest(args, host), now: '2026-01-01T00:00:00Z', qemu: host.version, node: 'n1' }
  const content = recordAfter(undefined, observation)
  assert.ok(content !== undefined)
  return newRecord({ namespace: 'default', name: 'web' }, owner, content)
}

/** A fake API with a VM, its record and the cluster's policy; records what is read. */
export function apiWith(
  vm: VirtualMachine,
  stored: HardwareRecord,
  word?: string,
): { readonly client: Pick<Client, 'get' | 'list'>; readonly reads: readonly string[] } {
  const { fingerprint, version, launch, history } = stored
  const known = { ...vm, status: { steadyvm: { hardware: { fingerprint, version, launch, history } } } }
  const objects: Readonly<Record<string, unknown>> = { [virtualMachines.plural]: known, [hardwareRecords.plural]: stored }
  const annotations = word === undefined ? {} : { [hardwareNames.policyAnnotation]: word }
  const reads: string[] = []
  const client = {
    get: (resource: ResourceType<unknown>) => {
      reads.push(resource.plural)
      const object = objects[resource.plural]
      return object === undefined ? Promise.reject(notFound(resource, 'web')) : Promise.resolve(object)
    },
    list: (resource: ResourceType<unknown>) => {
      reads.push(resource.plural)
      assert.equal(resource.plural, kubeVirts.plural)
      return Promise.resolve({ items: [{ metadata: { namespace: 'kubevirt', name: 'kubevirt', annotations } }] })
    },
  }
  return { client: client as unknown as Pick<Client, 'get' | 'list'>, reads }
}
