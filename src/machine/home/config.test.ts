import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ensureConfig, proposeConfig, readConfig, SetupError } from './config.ts'
import { dataDirectory, type DataDirectory } from './data-directory.ts'

const clock = { now: () => performance.now(), sleep: (ms: number) => setTimeout(ms) }
const nothing = { port: undefined, nodes: undefined, homeRegistry: join(tmpdir(), `steadyvm-registry-${process.pid}`, 'homes.json') }
after(() => rm(dirname(nothing.homeRegistry), { recursive: true, force: true }))

async function inFolders(count: number, use: (directories: readonly DataDirectory[]) => Promise<void>): Promise<void> {
  const folders = await Promise.all(Array.from({ length: count }, () => mkdtemp(join(tmpdir(), 'steadyvm-config-'))))
  await use(folders.map(dataDirectory))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
}

suite('ensureConfig()', () => {
  test('chooses different ports for clusters that are set up concurrently', async () => {
    await inFolders(4, async (directories) => {
      const configs = await Promise.all(directories.map((directory) => ensureConfig(directory, nothing, false, clock)))
      assert.equal(new Set(configs.map(({ apiPort }) => apiPort)).size, directories.length)
    })
  })

  test('keeps the stored configuration, and adds nodes', async () => {
    await inFolders(1, async ([directory]) => {
      assert.ok(directory !== undefined)
      const first = await ensureConfig(directory, nothing, false, clock)
      assert.deepEqual(await ensureConfig(directory, { ...nothing, nodes: 3 }, false, clock), {
        ...first,
        nodes: ['node-1', 'node-2', 'node-3'],
      })
      assert.deepEqual((await readConfig(directory))?.apiPort, first.apiPort)
    })
  })

  test('begins with HyperConverged, keeps what older homes have, and follows what is asked for', async () => {
    const ask = (directory: DataDirectory, platform?: 'kubevirt' | 'hyperconverged'): Promise<unknown> =>
      ensureConfig(directory, { ...nothing, ...(platform === undefined ? {} : { platform }) }, false, clock).then(
        (config) => config.platform,
      )
    await inFolders(2, async ([fresh, older]) => {
      assert.ok(fresh !== undefined && older !== undefined)
      assert.equal(await ask(fresh), 'hyperconverged')
      const { platform: _platform, ...config } = (await readConfig(fresh)) ?? assert.fail()
      await writeFile(older.config, JSON.stringify({ ...config, apiPort: config.apiPort + 1000 }))
      assert.equal(await ask(older), undefined)
      assert.equal(await ask(older, 'hyperconverged'), 'hyperconverged')
      assert.equal(await ask(older), 'hyperconverged')
      assert.equal(await ask(older, 'kubevirt'), 'kubevirt')
      assert.equal(await ask(older), 'kubevirt')
    })
  })

  test('refuses ports that another process uses, unless that is the cluster itself', async () => {
    await inFolders(1, async ([directory]) => {
      assert.ok(directory !== undefined)
      const { apiPort } = await ensureConfig(directory, nothing, false, clock)
      const other = createServer()
      await new Promise<void>((resolve) => other.listen({ host: '127.0.0.1', port: apiPort }, resolve))
      await assert.rejects(ensureConfig(directory, nothing, false, clock), SetupError)
      assert.equal((await ensureConfig(directory, nothing, true, clock)).apiPort, apiPort)
      assert.notEqual((await proposeConfig(dataDirectory(join(directory.root, 'none')), nothing, false)).apiPort, apiPort)
      await new Promise((resolve) => other.close(resolve))
    })
  })

  test('does not choose the ports of a home that is stopped, and refuses them by flag', async () => {
    await inFolders(2, async ([stopped, other]) => {
      assert.ok(stopped !== undefined && other !== undefined)
      const { apiPort } = await ensureConfig(stopped, nothing, false, clock)
      assert.notEqual((await proposeConfig(other, nothing, false)).apiPort, apiPort)
      await assert.rejects(ensureConfig(other, { ...nothing, port: apiPort }, false, clock), (error: Error) => {
        assert.ok(error instanceof SetupError && error.message.includes(stopped.root), error.message)
        return true
      })
    })
  })
})
