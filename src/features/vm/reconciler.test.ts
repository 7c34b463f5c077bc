import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { conflict } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { vmFinalizer } from './names.ts'
import type { Ports } from './ports.ts'
import { createVirtualMachineReconciler } from './reconciler.ts'

const vm = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'ns', uid: 'vm-uid', resourceVersion: '7', generation: 1, finalizers: [vmFinalizer] },
  spec: { runStrategy: 'RerunOnFailure', template: { spec: { domain: { devices: {} } } } },
  status: { runStrategy: 'RerunOnFailure' },
} as unknown as VirtualMachine
const failed = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: {
    name: 'web',
    namespace: 'ns',
    uid: 'vmi-uid',
    ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-uid', controller: true }],
  },
  spec: { domain: { devices: {} } },
  status: { phase: 'Failed' },
} as unknown as VirtualMachineInstance

function lister<T extends { metadata: { name?: string } }>(...objects: T[]): Lister<T> {
  return { get: (_, name) => objects.find((object) => object.metadata.name === name), list: () => objects, byIndex: () => objects }
}

/** Returns a client that records writes, and refuses status patches when `conflicts` is set. */
function portsWith(options: { conflicts: boolean }): { ports: Ports; writes: string[] } {
  const writes: string[] = []
  const client = {
    async get(resource: { plural: string }) {
      return resource.plural === virtualMachines.plural ? vm : failed
    },
    async patch(resource: { plural: string; group: string }, _key: unknown, patch: { body: { status?: VirtualMachine['status'] } }) {
      if (options.conflicts) throw conflict(resource, 'web')
      writes.push(`patch ${resource.plural} ${JSON.stringify(patch.body.status?.stateChangeRequests)}`)
      return vm
    },
    async delete(resource: { plural: string }) {
      writes.push(`delete ${resource.plural}`)
    },
  } as unknown as Client
  const ports = {
    client,
    recorder: { event: () => {} },
    clock: createVirtualClock(),
    log: silentLogger,
    random: () => 0,
    config: () => defaultClusterConfig,
    vms: lister(vm),
    vmis: lister(failed),
    revisions: lister(),
    lookup: { client },
  } as unknown as Ports
  return { ports, writes }
}

const context = { signal: new AbortController().signal }

test('a VM with RerunOnFailure records the next start before its failed VMI is deleted', async () => {
  const { ports, writes } = portsWith({ conflicts: false })
  await createVirtualMachineReconciler(ports)({ namespace: 'ns', name: 'web' }, context)
  assert.deepEqual(writes, [`patch ${virtualMachines.plural} [{"action":"Start"}]`, `delete ${virtualMachineInstances.plural}`])
})

test('a failed VMI is kept until the status of its VM is written', async () => {
  const { ports, writes } = portsWith({ conflicts: true })
  await assert.rejects(createVirtualMachineReconciler(ports)({ namespace: 'ns', name: 'web' }, context), { reason: 'Conflict' })
  assert.deepEqual(writes, [])
})
