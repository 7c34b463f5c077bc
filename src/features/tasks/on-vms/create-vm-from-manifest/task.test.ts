import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { namesOf, powerOf, startTaskWorld, type TaskWorld } from '../../task-world.fixture.ts'
import { createVmFromManifest } from './task.ts'

const manifest = (metadata: object = { name: 'vm' }, spec: object = { running: false, template: { spec: {} } }): string =>
  JSON.stringify({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata, spec })

suite('the task create-vm-from-manifest', () => {
  let world: TaskWorld
  beforeEach(async () => {
    world = await startTaskWorld()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  for (const [title, parameters, code, results] of [
    ['a manifest is given', { manifest: manifest() }, 0, { name: 'vm', namespace: 'default' }],
    ['arguments of virtctl are given', { virtctl: '--name a --memory 1Gi' }, 0, { name: 'a', namespace: 'default' }],
    ['the manifest has a namespace', { manifest: manifest({ name: 'vm', namespace: 'other' }) }, 0, { name: 'vm', namespace: 'other' }],
    [
      'the parameter has one, too',
      { manifest: manifest({ name: 'vm', namespace: 'other' }), namespace: 'third' },
      0,
      { name: 'vm', namespace: 'third' },
    ],
    ['nothing is given', {}, 2, {}],
    ['both are given', { manifest: manifest(), virtctl: '--name a' }, 2, {}],
    ['virtctl has a flag that is not supported', { virtctl: '--name a --access-cred x' }, 2, {}],
    ['the manifest is no YAML', { manifest: 'a: [' }, 2, {}],
    ['the manifest has two objects', { manifest: `${manifest()}\n---\n${manifest()}` }, 2, {}],
    ['the manifest is of another kind', { manifest: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}' }, 2, {}],
    ['the VM has no name', { manifest: manifest({}) }, 2, {}],
    ['the VM has no spec', { manifest: '{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"a"}}' }, 2, {}],
    ['the run strategy does not exist', { manifest: manifest(), runStrategy: 'Often' }, 2, {}],
    ['startVM is neither true nor false', { manifest: manifest(), startVM: 'yes' }, 2, {}],
    [
      'the owner would be in another namespace',
      { manifest: manifest({ name: 'a', namespace: 'other' }), setOwnerReference: 'true' },
      2,
      {},
    ],
    ['the pod that shall be the owner is missing', { manifest: manifest(), setOwnerReference: 'true' }, 3, {}],
    ['the VM exists', { manifest: manifest({ name: 'present' }) }, 4, {}],
  ] as const)
    test(`ends with ${code} when ${title}`, async () => {
      await world.api.create(virtualMachines, { metadata: { namespace: 'default', name: 'present' }, spec: {} } as KubeObject)
      const environment = { POD_NAMESPACE: 'default', POD_NAME: 'pod' }
      const end = await world.run(createVmFromManifest, { parameters, environment })
      assert.equal(end.code, code, end.log)
      assert.deepEqual(end.results, results)
    })

  test('starts a VM on request, and none that starts by itself', async () => {
    for (const [name, parameters, power] of [
      ['a', { startVM: 'true' }, ['start']],
      ['b', { startVM: 'false' }, []],
      ['c', { startVM: 'true', runStrategy: 'Always' }, []],
      ['d', { startVM: 'true', runStrategy: 'Manual' }, ['start']],
    ] as const) {
      world.api.calls.length = 0
      const end = await world.run(createVmFromManifest, { parameters: { manifest: manifest({ name }), ...parameters } })
      assert.equal(end.code, 0, end.log)
      assert.deepEqual(powerOf(world), power, name)
    }
    const { running, runStrategy } = world.api.peek(virtualMachines, 'default', 'c')?.spec ?? {}
    assert.deepEqual([running, runStrategy], [undefined, 'Always'])
  })

  test('ends with 7 when the VM cannot be started', async () => {
    const update = (): Promise<never> => Promise.reject(new TypeError('cannot start'))
    const parameters = { manifest: manifest(), startVM: 'true' }
    assert.equal((await world.run(createVmFromManifest, { parameters, client: { ...world.client, update } })).code, 7)
  })

  test('labels the guest with the name of its VM, and makes the pod its owner', async () => {
    await world.api.create(pods, { metadata: { namespace: 'default', name: 'pod' }, spec: {} } as KubeObject)
    const parameters = { manifest: manifest(), setOwnerReference: 'true' }
    const end = await world.run(createVmFromManifest, { parameters, environment: { POD_NAMESPACE: 'default', POD_NAME: 'pod' } })
    assert.equal(end.code, 0, end.log)
    const { metadata, spec } = world.api.peek(virtualMachines, 'default', 'vm') ?? assert.fail('there is no VM')
    assert.deepEqual(spec.template.metadata?.labels, { 'vm.kubevirt.io/name': 'vm' })
    const [owner, ...others] = metadata.ownerReferences ?? []
    assert.deepEqual([owner?.kind, owner?.name, others.length], ['Pod', 'pod', 0])
  })

  test('a run that was killed between any two writes is taken up: one VM, which is started', async () => {
    for (const metadata of [{ name: 'vm' }, { generateName: 'vm-' }])
      for (let write = 1; write <= 2; write += 1)
        for (const moment of ['before', 'after'] as const) {
          await using fresh = await startTaskWorld()
          const parameters = { manifest: manifest(metadata), startVM: 'true' }
          const client = crashingClient(fresh.client, { write, moment }, () => {})
          assert.notEqual((await fresh.run(createVmFromManifest, { parameters, client })).code, 0)
          const end = await fresh.run(createVmFromManifest, { parameters })
          assert.equal(end.code, 0, end.log)
          assert.deepEqual(namesOf(fresh, virtualMachines), [end.results['name']])
        }
  })
})
