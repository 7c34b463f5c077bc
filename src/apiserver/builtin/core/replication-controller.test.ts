import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Loose, startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const made = (spec: object): Loose => ({ metadata: { name: 'a', namespace: 'default' }, spec })

suite('ReplicationControllers', () => {
  test('default selector and labels to those of the template, also in the Scale', async () => {
    await using server = await startTestServer()
    const { metadata, spec } = await server.create('replicationcontrollers', made({ template }))
    const { replicas, selector } = spec as Loose
    assert.deepEqual([metadata?.labels, selector, replicas], [{ app: 'a' }, { app: 'a' }, 1])
    const { object } = await server.verbs.get(server.target('replicationcontrollers', 'a', 'scale'), server.context)
    assert.deepEqual((object as Loose)['status'], { replicas: 0, selector: 'app=a' })
  })

  for (const [name, spec, message] of [
    ['without template', { selector: { a: 'b' } }, /spec\.template: Required value/],
    ['without labels', { template: { spec: template.spec } }, /spec\.selector: Required value/],
    ['with other labels', { selector: { app: 'b' }, template }, /`selector` does not match template `labels`/],
    ['with fewer than no pods', { replicas: -1, template }, /must be greater than or equal to 0/],
  ] as const) {
    test(`are refused ${name}`, async () => {
      await using server = await startTestServer()
      await assert.rejects(server.create('replicationcontrollers', made(spec)), { code: 422, message })
    })
  }
})
