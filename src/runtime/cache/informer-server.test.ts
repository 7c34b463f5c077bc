import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { configMaps, namespaces } from '#api/core/v1/resources.ts'
import type { ConfigMap } from '#api/core/v1/config-map.ts'
import { testDefinitions } from '#apiserver/api-server.fixture.ts'
import { startApiServer } from '#apiserver/api-server.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { createVerbs } from '#apiserver/endpoints/verbs.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import { openObjectStore } from '#apiserver/storage/open-object-store.ts'
import { fixedCredentials } from '#client/node/credentials.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { startProxy } from '#client/node/test-server.fixture.ts'
import { systemClock } from '../clock/clock.ts'
import { silentLogger } from '../process/log.ts'
import { createInformer } from './informer.ts'
import type { CacheEvent } from './lister.ts'

/**
 * A real API server behind a network that can be broken, with a store that survives its restarts.
 */
async function startCluster() {
  const directory = mkdtempSync(join(tmpdir(), 'informer-'))
  const authority = await createTestAuthority()
  const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
  const boot = async () => {
    const now = (): number => systemClock.now()
    const store = openObjectStore({ path: join(directory, 'state.db'), now, synchronous: 'NORMAL' })
    const registry = createResourceRegistry(testDefinitions())
    const verbs = createVerbs({ store, registry, admission: [], now, randomUuid: randomUUID, random: Math.random })
    const server = await startApiServer({
      port: 0,
      tls: { ...serving, clientCa: authority.cert },
      verbs,
      registry,
      store,
      version: versionInfo('test', { commit: '', date: '2026-01-01T00:00:00Z', platform: 'linux/amd64' }),
      now,
      random: Math.random,
      log: silentLogger,
    })
    return {
      server,
      async stop() {
        await server.stop(0)
        await store[Symbol.asyncDispose]()
      },
    }
  }
  let running = await boot()
  const proxy = await startProxy(running.server.port)
  const connect = (port: number) =>
    createNodeClient({
      server: `https://127.0.0.1:${port}`,
      certificateAuthority: authority.cert,
      credentials: fixedCredentials({ certificate: admin.cert, key: admin.key }),
      connectTimeoutMs: 500,
      pingIntervalMs: 200,
      pingTimeoutMs: 400,
    })
  return {
    proxy,
    /** A client whose connections break with the proxy. */
    shaky: connect(proxy.port),
    /** A client beside the proxy, until the next restart. */
    direct: () => connect(running.server.port),
    async restart() {
      await running.stop()
      proxy.cut()
      running = await boot()
      proxy.retarget(running.server.port)
    },
    async [Symbol.asyncDispose]() {
      this.shaky[Symbol.dispose]()
      proxy.cut()
      await new Promise<void>((resolve) => {
        proxy.server.close(() => resolve())
      })
      await running.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function eventually(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 15_000
  while (!condition()) {
    if (performance.now() > end) assert.fail(`${what} did not happen`)
    await systemClock.sleep(10)
  }
}

test('createInformer() stays in sync with a real server through resets, silence and restarts, and relists only when necessary', async () => {
  await using cluster = await startCluster()
  const stop = new AbortController()
  let lists = 0
  const { shaky } = cluster
  const client: typeof shaky = Object.assign(Object.create(shaky) as typeof shaky, {
    list: (...[resource, options]: Parameters<typeof shaky.list>) => {
      lists++
      return shaky.list(resource, options)
    },
    watch: shaky.watch.bind(shaky),
  })
  const informer = createInformer<ConfigMap>({ client, resource: configMaps, clock: systemClock, log: silentLogger, freeze: true })
  const events: CacheEvent<ConfigMap>[] = []
  informer.onEvent((event) => events.push(event))
  const running = informer.run(stop.signal)
  await informer.synced()
  let writer = cluster.direct()
  await writer.create(namespaces, { metadata: { name: 'default' } })
  const put = async (name: string, value: string): Promise<void> => {
    const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: { value } }
    await writer
      .create(configMaps, made)
      .catch(() => writer.patch(configMaps, { namespace: 'default', name }, { type: 'merge', body: { data: { value } } }))
  }
  for (let round = 0; round < 10; round++) {
    cluster.proxy.cut()
    await put('a', `cut ${round}`)
    await put(`n${round}`, 'x')
  }
  await eventually(
    () => informer.get('default', 'a')?.data?.['value'] === 'cut 9' && informer.list().length === 11,
    'catching up after resets',
  )
  assert.equal(lists, 1, 'resets do not cost a list')

  cluster.proxy.freeze(true)
  await put('a', 'frozen')
  await systemClock.sleep(700)
  cluster.proxy.freeze(false)
  await eventually(() => informer.get('default', 'a')?.data?.['value'] === 'frozen', 'catching up after silence')

  for (let round = 0; round < 2; round++) {
    await writer.delete(configMaps, { namespace: 'default', name: `n${round}` })
    writer[Symbol.dispose]()
    await cluster.restart()
    writer = cluster.direct()
    await put('a', `restarted ${round}`)
    await writer.delete(configMaps, { namespace: 'default', name: `n${round + 2}` })
  }
  await eventually(
    () => informer.get('default', 'a')?.data?.['value'] === 'restarted 1' && informer.list().length === 7,
    'catching up after restarts',
  )
  const versions = events
    .filter((event) => event.object.metadata.name === 'a')
    .map((event) => Number(event.object.metadata.resourceVersion))
  assert.deepEqual(
    versions,
    versions.toSorted((a, b) => a - b),
    'an object never goes back',
  )
  const deleted = events.filter((event) => event.type === 'deleted').map((event) => event.object.metadata.name)
  assert.deepEqual(new Set(deleted), new Set(['n0', 'n1', 'n2', 'n3']))
  assert.equal(deleted.length, 4)
  writer[Symbol.dispose]()
  stop.abort()
  await running
})
