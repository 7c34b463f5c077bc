import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { names } from '#features/vmi/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { createHardwareReconciler } from '../hardware/reconciler.ts'
import { createGuestReconciler } from './reconciler.ts'

const request = { namespace: 'team', name: 'web' }
const vmi = {
  metadata: {
    ...request,
    uid: 'u1',
    labels: { [names.nodeNameLabel]: 'a' },
    ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'v1', controller: true }],
  },
  spec: { domain: { devices: {} } },
  status: { phase: 'Running', nodeName: 'a', activePods: { p1: 'a' } },
} as unknown as VirtualMachineInstance

/** Ports of a node with one running guest. Calls that reach the guest or the API are recorded. */
function nodeWith(guest: Guest, calls: string[]): Ports {
  const recorded = (name: string) => async () => {
    calls.push(name)
    return vmi
  }
  return {
    nodeName: 'a',
    vmis: { get: () => vmi, list: () => [vmi] },
    incomingVmis: { get: () => undefined },
    pods: { byIndex: () => [] },
    guests: { getOrCreate: () => guest, forVmi: () => [guest], forget: () => {} },
    client: { get: recorded('get'), patch: recorded('patch'), create: recorded('create'), update: recorded('update') },
    recorder: { event: () => calls.push('event') },
    clock: systemClock,
    log: { debug: () => {}, info: () => {}, warn: () => {} },
    host: {},
  } as unknown as Ports
}

/** A guest that aborts the round when it is asked for its run state. */
function guestThatAborts(controller: AbortController, calls: string[]): Guest {
  const guest = new Guest('p1', launcherPaths('/nonexistent', '/nonexistent', 'p1'), systemClock, () => {})
  const record = { domain: { machine: {}, disks: [] }, arguments: [] } as unknown as LaunchRecord
  return Object.assign(guest, {
    recordedFingerprint: async () => undefined,
    record: async () => record,
    inspect: async () => ({ kind: 'running' }),
    runState: async () => {
      controller.abort()
      return 'prelaunch'
    },
    resume: async () => void calls.push('resume'),
    query: async () => void calls.push('query'),
  })
}

suite('an aborted signal', () => {
  test('ends the round of a guest after the current step', async () => {
    const [controller, calls]: [AbortController, string[]] = [new AbortController(), []]
    const ports = nodeWith(guestThatAborts(controller, calls), calls)
    assert.deepEqual(await createGuestReconciler(ports)(request, { signal: controller.signal }), {})
    assert.deepEqual(calls, ['resume'])
  })

  test('keeps a new round from starting', async () => {
    const calls: string[] = []
    const ports = nodeWith(guestThatAborts(new AbortController(), calls), calls)
    assert.deepEqual(await createGuestReconciler(ports)(request, { signal: AbortSignal.abort() }), {})
    assert.deepEqual(await createHardwareReconciler(ports, 0)(request, { signal: AbortSignal.abort() }), {})
    assert.deepEqual(calls, [])
  })
})
