import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Client } from '#client/client.ts'
import { createMetricsAccess } from './metrics-access.ts'

function start() {
  const asked: string[] = []
  const state = { now: 0, isDown: false, allowed: new Set(['prometheus']) }
  const client = {
    async create(type: { readonly plural: string }, object: { readonly spec: Record<string, unknown> }) {
      asked.push(type.plural)
      if (state.isDown) throw new Error('connection refused')
      if (type.plural === 'tokenreviews') {
        const [kind, username] = String(object.spec['token']).split(':')
        return { status: kind === 'good' ? { authenticated: true, user: { username, groups: ['g'] } } : { authenticated: false } }
      }
      const { user, nonResourceAttributes } = object.spec
      assert.deepEqual(nonResourceAttributes, { path: '/metrics', verb: 'get' })
      return { status: { allowed: state.allowed.has(String(user)) } }
    },
  } as unknown as Pick<Client, 'create'>
  const access = createMetricsAccess({ client, clock: { now: () => state.now } })
  const codeOf = async (authorization: string | undefined): Promise<number> => (await access(authorization, '/metrics'))?.code ?? 200
  return { asked, state, codeOf }
}

suite('createMetricsAccess()', () => {
  for (const [authorization, code] of [
    [undefined, 401],
    ['', 401],
    ['Basic Zm9v', 401],
    ['Bearer ', 401],
    ['Bearer bad:prometheus', 401],
    ['Bearer good:eve', 403],
    ['Bearer good:prometheus', 200],
    ['bearer good:prometheus', 200],
  ] as const) {
    test(`answers ${code} to the header ${String(authorization)}`, async () => assert.equal(await start().codeOf(authorization), code))
  }

  test('reviews a token once in ten seconds, so that a revoked right ends', async () => {
    const { asked, state, codeOf } = start()
    assert.deepEqual([await codeOf('Bearer good:prometheus'), await codeOf('Bearer good:prometheus')], [200, 200])
    assert.equal(asked.length, 2)
    state.allowed.clear()
    state.now = 10_000
    assert.equal(await codeOf('Bearer good:prometheus'), 403)
  })

  test('refuses while the API server does not answer, and retries at the next scrape', async () => {
    const { state, codeOf } = start()
    state.isDown = true
    assert.equal(await codeOf('Bearer good:prometheus'), 503)
    state.isDown = false
    assert.equal(await codeOf('Bearer good:prometheus'), 200)
  })

  test('remembers a bounded number of tokens', async () => {
    const { asked, codeOf } = start()
    for (let i = 0; i < 150; i++) await codeOf(`Bearer bad:${i}`)
    const before = asked.length
    await codeOf('Bearer bad:149')
    assert.equal(asked.length, before)
    await codeOf('Bearer bad:0')
    assert.equal(asked.length, before + 1)
  })
})
