import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { badRequest, StatusError } from '#apimachinery/errors.ts'
import type { Client, Patch } from '#client/client.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

const infers = { instancetype: { inferFromVolume: 'root' }, preference: named.preference }

/**
 * Returns a client of an API server whose admission infers the instance type, or refuses to, on
 * each write of a VM.
 */
function admitting(client: Client, matcher: object | StatusError, bodies: unknown[] = []): Client {
  const patch: Client['patch'] = async (resource, key, asked, options = {}) => {
    if (resource.kind !== virtualMachines.kind || options.subresource !== undefined) return client.patch(resource, key, asked, options)
    if (matcher instanceof StatusError) throw matcher
    bodies.push((asked as Patch & { type: 'merge' }).body)
    await client.patch(resource, key, { type: 'merge', body: { spec: { instancetype: { inferFromVolume: null, ...matcher } } } })
    return client.patch(resource, key, asked.type === 'merge' ? { type: 'merge', body: {} } : asked, options)
  }
  return { ...client, get: client.get.bind(client), list: client.list.bind(client), create: client.create.bind(client), patch } as Client
}

async function startWaiting(): Promise<VmFixture> {
  const fixture = await startVmFixture()
  await fixture.createVm(infers)
  await fixture.reconcile()
  return fixture
}

async function failure(fixture: VmFixture): Promise<readonly [string | undefined, string | undefined] | undefined> {
  const found = findCondition((await fixture.vm()).status?.conditions, 'Failure')
  return found && [found.reason, found.message]
}

suite('a VM that was created without admission webhooks', () => {
  test('reports that it waits for inference, and keeps its spec', async () => {
    await using fixture = await startWaiting()
    assert.deepEqual((await fixture.vm()).spec.instancetype, infers.instancetype)
    assert.deepEqual(await failure(fixture), [
      'FailedFindInstancetype',
      'no admission webhook has inferred spec.instancetype from volume root yet',
    ])
    assert.deepEqual(await fixture.revisions(), [])
  })

  test('is rewritten unchanged, and continues with the inferred matchers', async () => {
    await using fixture = await startWaiting()
    const bodies: unknown[] = []
    await fixture.reconcile((client) => admitting(client, named.instancetype, bodies))
    assert.deepEqual(
      bodies.map((body) => Object.keys((body as { metadata: object }).metadata)),
      [['resourceVersion']],
    )
    assert.equal(await failure(fixture), undefined)
    assert.equal((await fixture.vm()).status?.instancetypeRef?.name, 'small')
    assert.equal((await fixture.revisions()).length, 2)
  })

  test("reports admission's message when nothing can be inferred", async () => {
    await using fixture = await startWaiting()
    await fixture.reconcile((client) => admitting(client, badRequest('persistentvolumeclaims "root" not found')))
    assert.deepEqual(await failure(fixture), ['FailedFindInstancetype', 'persistentvolumeclaims "root" not found'])
  })
})
