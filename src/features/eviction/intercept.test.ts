import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import { conflict, forbidden, notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { TransportError, type Client, type WriteOptions } from '#client/client.ts'
import { guest, launcher } from './vmi.fixture.ts'
import { interceptEviction } from './intercept.ts'

/** Returns an API with the given objects, of which some answer with errors. */
function worldOf(objects: Readonly<Record<string, KubeObject | Error>>, patchFails?: Error) {
  const patches: (WriteOptions | undefined)[] = []
  const client = {
    get: async ({ kind }: { kind: string }) => {
      const found = objects[kind]
      if (found === undefined || found instanceof Error) throw found ?? notFound({ group: '', plural: kind } as never, 'x')
      return found
    },
    patch: async (_resource: unknown, _key: unknown, _patch: unknown, options?: WriteOptions) => {
      patches.push(options)
      if (patchFails !== undefined) throw patchFails
    },
  } as unknown as Pick<Client, 'get' | 'patch'>
  const evict = (changes: object = {}) =>
    interceptEviction({ client, config: () => ({ evictionStrategy: 'None' }) }, {
      uid: 'r',
      name: 'virt-launcher-web-abcde',
      namespace: 'ns',
      operation: 'CREATE',
      object: { metadata: { name: 'virt-launcher-web-abcde' } },
      ...changes,
    } as AdmissionRequest)
  return { evict, patches }
}

const whole = { Pod: launcher(), VirtualMachineInstance: guest('LiveMigrate', true), Node: { metadata: { name: 'n1' } } }

suite('interceptEviction()', () => {
  test('marks the guest and answers 429, which drains retry', async () => {
    const { evict, patches } = worldOf(whole)
    const answer = await evict()
    assert.ok(!answer.allowed)
    assert.deepEqual([answer.error.code, answer.error.status.reason], [429, 'TooManyRequests'])
    assert.match(answer.error.message, /^Eviction triggered evacuation of VMI "ns\/web"$/)
    assert.deepEqual(patches, [{ dryRun: false }])
  })

  test('keeps pods that attach volumes while their guest runs', async () => {
    const labels = { 'kubevirt.io': 'hotplug-disk' }
    const annotations = { 'kubevirt.io/owner-vmi-name': 'web', 'kubevirt.io/owner-vmi-uid': 'u1' }
    const pod = (phase: string): KubeObject => ({ metadata: { labels, annotations }, status: { phase } }) as KubeObject
    const vmi = guest('LiveMigrate', true)
    const answerTo = async (objects: Readonly<Record<string, KubeObject>>): Promise<unknown> => {
      const answer = await worldOf(objects).evict({ name: 'hp-volume-1' })
      return answer.allowed || [answer.error.code, answer.error.message]
    }
    const message = 'cannot evict hotplug pod: hp-volume-1 associated with running vmi: web in namespace ns'
    assert.deepEqual(await answerTo({ Pod: pod('Running'), VirtualMachineInstance: vmi }), [429, message])
    assert.equal(await answerTo({ Pod: pod('Succeeded'), VirtualMachineInstance: vmi }), true)
    assert.equal(await answerTo({ Pod: pod('Running') }), true)
    const other = { ...vmi, metadata: { ...vmi.metadata, uid: 'u2' } }
    assert.equal(await answerTo({ Pod: pod('Running'), VirtualMachineInstance: other }), true)
    const ended = { ...vmi, status: { ...vmi.status, phase: 'Failed' } } as KubeObject
    assert.equal(await answerTo({ Pod: pod('Running'), VirtualMachineInstance: ended }), true)
  })

  test('writes nothing in a dry run, requested in either place', async () => {
    for (const rehearsal of [{ dryRun: true }, { object: { deleteOptions: { dryRun: ['All'] } } }]) {
      const { evict, patches } = worldOf(whole)
      assert.equal((await evict(rehearsal)).allowed, false)
      assert.deepEqual(patches, [{ dryRun: true }])
    }
  })

  test('allows the eviction of other pods', async () => {
    assert.deepEqual(await worldOf({ Pod: launcher({ metadata: { labels: {} } }) }).evict(), { allowed: true })
    assert.deepEqual(await worldOf({ ...whole, VirtualMachineInstance: guest('None', true) }).evict(), { allowed: true })
  })

  test('allows the eviction of a pod that is gone, so that a drain learns of it', async () => {
    assert.deepEqual(await worldOf({ ...whole, Pod: notFound({ group: '', plural: 'pods' }, 'x') }).evict(), { allowed: true })
  })

  test('refuses when the API cannot be read', async () => {
    const broken = [new TransportError('gone'), forbidden({ group: '', plural: 'pods' }, 'x', 'no'), new RangeError('what')]
    for (const kind of ['Pod', 'VirtualMachineInstance', 'Node']) {
      const lost = kind === 'Pod' ? [] : [notFound({ group: '', plural: kind }, 'x')]
      for (const error of [...broken, ...lost]) {
        const { evict, patches } = worldOf({ ...whole, [kind]: error })
        const answer = await evict()
        assert.equal(!answer.allowed && answer.error.code, 429, `${kind}: ${error.message}`)
        assert.equal(patches.length, 0)
      }
    }
    const { evict } = worldOf(whole, conflict({ group: '', plural: 'x' }, 'x', 'changed'))
    const answer = await evict()
    assert.equal(!answer.allowed && answer.error.code, 429)
  })
})
