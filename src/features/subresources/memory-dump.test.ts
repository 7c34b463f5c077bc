import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineMemoryDumpRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import { conflict, notFound, StatusError } from '#apimachinery/errors.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { claimProblem, dumpMemory, removeMemoryDump } from './memory-dump.ts'
import type { VolumeOptions } from './volumes.ts'

interface World {
  readonly request?: VirtualMachineMemoryDumpRequest
  /** Default: a claim of 1Gi. Null: there is none. */
  readonly claim?: PersistentVolumeClaim['spec'] | null
  readonly phase?: string
  readonly gates?: readonly string[]
  /** The first writes meet a controller that was faster. */
  readonly conflicts?: number
}

const large = { resources: { requests: { storage: '1Gi' } } }

/** Sends a request. Returns the error, or the request that the VM has afterwards. */
async function send(
  kind: 'dump' | 'remove',
  body: string,
  world: World = {},
): Promise<StatusError | VirtualMachineMemoryDumpRequest | undefined> {
  let vm: object = {
    metadata: { name: 'web', namespace: 'ns', resourceVersion: '7' },
    ...(world.request === undefined ? {} : { status: { memoryDumpRequest: world.request } }),
  }
  let left = world.conflicts ?? 0
  const stored: Readonly<Record<string, object | undefined>> = {
    virtualmachineinstances:
      world.phase === ''
        ? undefined
        : { metadata: { name: 'web', namespace: 'ns' }, spec: { domain: { devices: {} } }, status: { phase: world.phase ?? 'Running' } },
    persistentvolumeclaims: world.claim === null ? undefined : { metadata: { name: 'dump' }, spec: world.claim ?? large },
  }
  const client: VolumeOptions['client'] = {
    get: async (resource, { name }) => {
      const found = resource.plural === 'virtualmachines' ? vm : stored[resource.plural]
      if (found === undefined) throw notFound({ group: '', plural: resource.plural }, name)
      return found as never
    },
    patch: async (_resource, _key, patch, options) => {
      assert.equal(options?.subresource, 'status')
      assert.ok(patch.type === 'merge')
      if (left-- > 0) throw conflict({ group: '', plural: 'virtualmachines' }, 'web', 'changed')
      vm = applyMergePatch(vm, patch.body) as object
      return vm as never
    },
  }
  const options = { client, config: () => ({ featureGates: world.gates ?? ['DeclarativeHotplugVolumes'] }) }
  const handle = kind === 'dump' ? dumpMemory(options) : removeMemoryDump(options)
  try {
    const { code } = await handle({
      caller: { username: 'bob', groups: [], extra: {} },
      namespace: 'ns',
      name: 'web',
      body,
      query: new URLSearchParams(),
      signal: new AbortController().signal,
    })
    assert.equal(code, 202)
    return (vm as { status?: { memoryDumpRequest?: VirtualMachineMemoryDumpRequest } }).status?.memoryDumpRequest
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
}

const toDump = JSON.stringify({ claimName: 'dump' })
const associating = { claimName: 'dump', phase: 'Associating' }
const ended = (phase: string): VirtualMachineMemoryDumpRequest => ({
  claimName: 'dump',
  phase,
  startTimestamp: 't',
  endTimestamp: 't',
  fileName: 'f',
  message: 'm',
})

suite('dumpMemory()', () => {
  const accepted: readonly (readonly [what: string, body: string, world: World])[] = [
    ['a claim for the first dump', toDump, {}],
    ['another dump to the claim of before', '{}', { request: ended('Completed') }],
    ['another dump that names its claim', toDump, { request: ended('Completed') }],
    ['another dump after one that failed', '{}', { request: ended('Failed') }],
    ['the imperative gate', toDump, { gates: ['HotplugVolumes'] }],
    ['a change by a controller meanwhile', toDump, { conflicts: 2 }],
  ]
  for (const [what, body, world] of accepted)
    test(`accepts ${what}`, async () => assert.deepEqual(await send('dump', body, world), associating))

  const refused: readonly (readonly [what: string, body: string, world: World, code: number, text: RegExp])[] = [
    ['closed gates', toDump, { gates: [] }, 400, /Enable DeclarativeHotplugVolumes or HotplugVolumes/],
    ['no body', '', {}, 400, /Request with no body/],
    ['a body that is no object', '[]', {}, 400, /unmarshal/],
    ['a name that is no text', '{"claimName":1}', {}, 400, /unmarshal/],
    ['no claim at all', '{}', {}, 400, /Memory dump requires claim name to be set/],
    ['another claim', '{"claimName":"b"}', { request: ended('Completed') }, 409, /for pvc \[b\] while pvc \[dump\] is still associated/],
    ['a VM without guest', toDump, { phase: '' }, 404, /virtualmachineinstance.* "web" not found/],
    ['a guest that does not run', toDump, { phase: 'Scheduled' }, 409, /VMI is not running/],
    ['a claim that does not exist', toDump, { claim: null }, 404, /persistentvolumeclaim.* "dump" not found/],
    ['a raw block volume', toDump, { claim: { ...large, volumeMode: 'Block' } }, 409, /pvc should be filesystem pvc/],
    ['a claim that is only read', toDump, { claim: { ...large, accessModes: ['ReadOnlyMany'] } }, 409, /can't be read only/],
    ['a small claim', toDump, { claim: { resources: { requests: { storage: '1Mi' } } } }, 409, /pvc size \[1049k\] should be bigger then/],
    ['a dump in progress', toDump, { request: ended('InProgress') }, 409, /memory dump request for pvc \[dump\] already in progress/],
    ['a claim that is being removed', toDump, { request: ended('Dissociating') }, 409, /a remove memory dump request is in progress/],
  ]
  for (const [what, body, world, code, text] of refused)
    test(`refuses ${what}`, async () => {
      const answer = await send('dump', body, world)
      assert.ok(answer instanceof StatusError)
      assert.equal(answer.code, code)
      assert.match(answer.message, text)
    })
})

test('claimProblem() counts the requested memory, the overhead of dumps and that of file systems', () => {
  const problem = (storage: string, memory: string | undefined, overhead: number): string | undefined => {
    const resources = memory === undefined ? {} : { resources: { requests: { memory } } }
    const vmi: VirtualMachineInstance = { metadata: { name: 'web' }, spec: { domain: { devices: {}, ...resources } } }
    return claimProblem({ metadata: { name: 'dump' }, spec: { resources: { requests: { storage } } } }, vmi, overhead)
  }
  assert.equal(problem('1124Mi', '1Gi', 0), undefined)
  assert.equal(problem('1123Mi', '1Gi', 0), 'pvc size [1177551k] should be bigger then [1124Mi]')
  assert.equal(problem('1186Mi', '1Gi', 0.055), undefined)
  assert.equal(problem('1185Mi', '1Gi', 0.055), 'pvc size [1242563k] should be bigger then [1186Mi]')
  assert.equal(problem('100Mi', undefined, 0), undefined)
  assert.equal(problem('1', undefined, 0), 'pvc size [1k] should be bigger then [104857600]')
})

suite('removeMemoryDump()', () => {
  test('asks for the removal, and forgets what was dumped', async () =>
    assert.deepEqual(await send('remove', '', { request: ended('Completed') }), { claimName: 'dump', phase: 'Dissociating', remove: true }))

  test('refuses when there is nothing to remove, and a second removal', async () => {
    for (const [request, text] of [
      [undefined, /no association found/],
      [{ ...ended('Dissociating'), remove: true }, /memory dump remove request for pvc \[dump\] already exists/],
    ] as const) {
      const answer = await send('remove', '', request === undefined ? {} : { request })
      assert.ok(answer instanceof StatusError)
      assert.equal(answer.code, 409)
      assert.match(answer.message, text)
    }
  })
})
