import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createLayout } from '#oci/image/image-layout.ts'
import { packTar } from '#oci/image/tar-archive.ts'
import { writeImage } from '#oci/image/write-image.ts'
import { startTestRegistry } from '#oci/push/registry.fixture.ts'
import { testContext } from '#cli/cli-context.fixture.ts'
import { CommandError } from '#cli/context.ts'
import { list, push } from './image.ts'

suite('image list and push', () => {
  let folder = ''
  let digest = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'image-command-'))
    const layout = await createLayout({ folder, compression: 1 })
    const created = '2026-01-02T03:04:05Z'
    const layer = await layout.addLayer(await packTar([{ kind: 'directory', path: 'tmp', mode: 0o1777 }], new Date(created)))
    const { descriptor } = await writeImage(layout, {
      reference: 'steadyvm.io/virt-api:v9.1.0',
      created,
      architecture: 'amd64',
      user: '65532:65532',
      environment: [],
      entrypoint: [],
      labels: {},
      layers: [{ layer, description: '' }],
    })
    await layout.finish([descriptor])
    ;({ digest } = descriptor)
  })
  after(() => rm(folder, { recursive: true }))

  test('list prints a table, names and JSON', async () => {
    const printed = async (output: 'text' | 'wide' | 'name' | 'json'): Promise<string> => {
      const { context, printed: all } = testContext()
      await list.call(context, { output }, folder)
      return all.stdout
    }
    assert.match(await printed('text'), /^NAME +SIZE +DIGEST\nsteadyvm\.io\/virt-api:v9\.1\.0 +0\.\d kB +sha256:\w{12}\n$/)
    assert.ok((await printed('wide')).includes(digest))
    assert.equal(await printed('name'), 'steadyvm.io/virt-api:v9.1.0\n')
    const { kind, items } = JSON.parse(await printed('json')) as { kind: string; items: { digest: string; user: string }[] }
    assert.deepEqual([kind, items[0]?.digest, items[0]?.user], ['ImageList', digest, '65532:65532'])
  })

  test('push reads the password from standard input, prints what it has pushed, and progress on standard error', async () => {
    await using registry = await startTestRegistry({ login: { username: 'me', password: 'secret', scheme: 'bearer' } })
    const { context, printed } = testContext({ input: 'secret\n' })
    const flags = { plainHttp: true, username: 'me', passwordStdin: true, output: 'text' } as const
    await push.call(context, flags, folder, `${registry.name}/team`)
    const reference = `${registry.name}/team/virt-api:v9.1.0`
    assert.equal(printed.stdout, `${reference}@${digest}\n`)
    assert.match(printed.stderr, /: sent 2 blobs \(.* kB\), 0 were there\n$/)
    assert.ok(registry.manifests.get('team/virt-api')?.has('v9.1.0'))
  })

  test('push refuses half a login and a registry that is none', async () => {
    const { context } = testContext()
    const flags = { plainHttp: true, passwordStdin: false, output: 'text' } as const
    await assert.rejects(push.call(context, { ...flags, username: 'me' }, folder, 'localhost:5000'), CommandError)
    await assert.rejects(push.call(context, flags, folder, 'https://localhost:5000'), CommandError)
  })
})
