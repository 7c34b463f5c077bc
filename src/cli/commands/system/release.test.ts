import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { testContext } from '#cli/cli-context.fixture.ts'
import { list } from './release.ts'

suite('release list', () => {
  let dataDir = ''
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'release-list-'))
    await put('v9.1.0', JSON.stringify({ version: 'v9.1.0', qemu: { folder: '/usr', version: '7.2.0' }, components: {}, files: {} }))
    await put('v9.2.0', '{')
    await put('v9.3.0', JSON.stringify({ version: 'v9.3.0', qemu: { folder: '/usr', version: '8.0.0' }, components: {}, files: {} }))
  })
  after(() => rm(dataDir, { recursive: true }))

  async function put(version: string, manifest: string): Promise<void> {
    const folder = join(dataDir, 'releases', version)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'release.json'), manifest)
  }

  test('lists valid releases beside a damaged one, with its name and the reason', async () => {
    const { context, printed } = testContext()
    await list.call(context, { dataDir, output: 'text' })
    assert.match(printed.stdout, /v9\.1\.0 +QEMU 7\.2\.0 [^]*v9\.2\.0 +damaged [^]*v9\.3\.0 +QEMU 8\.0\.0 /)
    assert.match(printed.stderr, /v9\.2\.0.*build it again/)
    assert.equal(context.process.exitCode, 2)
  })

  test('prints JSON', async () => {
    const { context, printed } = testContext()
    await list.call(context, { dataDir, output: 'json' })
    const { releases, damaged } = JSON.parse(printed.stdout) as Record<string, { version: string }[]>
    assert.deepEqual(
      [releases, damaged].map((list) => list?.map(({ version }) => version)),
      [['v9.1.0', 'v9.3.0'], ['v9.2.0']],
    )
    assert.equal(context.process.exitCode, 2)
  })
})
