import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { bundleProgram } from '#machine/release/bundle-program.ts'
import { thisRelease } from '#machine/release/release.ts'

const { root } = thisRelease()

/** Prints the packages of tracing that a process loads, by `import` or `require`. */
const printLoaded = `
import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  const found = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url)
  if (found !== null) console.log('loaded ' + found[1])
  return next(url, context)
} })`

suite('a bundled component', () => {
  let folder: string
  before(async () => {
    // Below the root, where packages are found.
    folder = await mkdtemp(join(root, 'node_modules/.cache/bundled-tracing-'))
    await bundleProgram({ root, entry: 'src/cmd/virt-api.ts', target: folder, runsFrom: folder, packages: 'external' })
  })
  after(() => rm(folder, { recursive: true }))

  /** Runs it without the flags that it needs: it loads everything, and ends. */
  async function loadedPackages(env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> {
    const hook = `data:text/javascript,${encodeURIComponent(printLoaded)}`
    const child = spawn(process.execPath, ['--import', hook, join(folder, 'virt-api.mjs')], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    assert.match(out + err, /--address/, 'it has got as far as its flags')
    return new Set(out.matchAll(/^loaded (.*)$/gm).map(([, name = '']) => name))
  }

  test('loads the packages of tracing only where an endpoint is set', async () => {
    assert.deepEqual([...(await loadedPackages({}))], [])
    const loaded = await loadedPackages({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    for (const name of ['api', 'exporter-trace-otlp-http', 'resources', 'sdk-trace']) assert.ok(loaded.has(`@opentelemetry/${name}`), name)
  })
})
