import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { conflict, forbidden, isConflict, notFound, type StatusError } from '#apimachinery/errors.ts'
import { actOnDump } from './act.ts'
import type { DumpDecision } from './decide.ts'

interface World {
  /** Annotation of the claim. Undefined: there is no claim. */
  readonly noted?: string
  /** Phase of the request in the API. Default: that of the cache. */
  readonly phase?: string
  readonly error?: StatusError
}

const decision: DumpDecision = { request: undefined, volumes: [], note: { claimName: 'c', text: 'f' } }

/** Acts, and returns what was patched, and the failure. */
async function act({ noted, phase = 'Unmounting', error }: World): Promise<readonly [string[], string | undefined]> {
  const patched: string[] = []
  const request = { claimName: 'c', phase: 'Unmounting' }
  const vm: VirtualMachine = {
    metadata: { name: 'web', namespace: 'ns' },
    spec: { template: { spec: { domain: { devices: {} } } } },
    status: { memoryDumpRequest: request },
  }
  const vmi: VirtualMachineInstance = { metadata: { name: 'web', namespace: 'ns' }, spec: { domain: { devices: {} } } }
  const ports: Parameters<typeof actOnDump>[0] = {
    claims: {
      get: () => (noted === undefined ? undefined : { metadata: { name: 'c', annotations: { 'kubevirt.io/memory-dump': noted } } }),
    },
    client: {
      get: async () => ({ ...vm, status: { memoryDumpRequest: { ...request, phase } } }) as never,
      patch: async ({ plural }) => {
        if (error !== undefined) throw error
        patched.push(plural)
        return vmi as never
      },
    },
  }
  const { failure } = await actOnDump(ports, { vm, vmi }, decision)
  return [patched, failure?.reason]
}

const vmis = { group: 'kubevirt.io', plural: 'virtualmachineinstances' }

suite('actOnDump()', () => {
  const rows: readonly (readonly [what: string, world: World, patched: readonly string[], failure?: string])[] = [
    ['annotates the claim before it detaches it', { noted: '' }, ['persistentvolumeclaims', 'virtualmachineinstances']],
    ['annotates it once', { noted: 'f' }, ['virtualmachineinstances']],
    ['goes on without the claim', {}, ['virtualmachineinstances']],
    ['leaves a guest alone whose VM has another request by now', { noted: 'f', phase: 'InProgress' }, []],
    ['goes on without the guest', { error: notFound(vmis, 'web') }, []],
    ['reports what refuses it', { noted: '', error: forbidden(vmis, 'web', 'no') }, [], 'MemoryDumpError'],
  ]
  for (const [what, world, patched, failure] of rows) test(what, async () => assert.deepEqual(await act(world), [patched, failure]))

  test('leaves conflicts to the next pass', () => assert.rejects(act({ error: conflict(vmis, 'web', 'changed') }), isConflict))
})
