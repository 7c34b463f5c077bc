import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parseHeaders, readSecrets } from './secrets.ts'

suite('readSecrets()', () => {
  test('reads folders as Kubernetes mounts them, and takes missing ones for empty', async () => {
    const root = await mkdtemp(join(tmpdir(), 'secrets-'))
    try {
      const credentials = join(root, 'credentials')
      await mkdir(join(credentials, '..data'), { recursive: true })
      await writeFile(join(credentials, '..data/accessKeyId'), 'user\n')
      await writeFile(join(credentials, '..data/secretKey'), 'password')
      for (const name of ['accessKeyId', 'secretKey']) await symlink(`..data/${name}`, join(credentials, name))
      await mkdir(join(root, 'headers/b'), { recursive: true })
      await writeFile(join(root, 'headers/b/one'), 'X-Token: a\n')
      const found = await readSecrets({ credentials, headers: join(root, 'headers'), authorities: join(root, 'none') })
      assert.deepEqual(found, { credentials: { user: 'user', password: 'password' }, headers: ['X-Token: a'], authorities: [] })
    } finally {
      await rm(root, { recursive: true })
    }
  })
})

suite('parseHeaders()', () => {
  test('reads headers', () => assert.deepEqual(parseHeaders(['X-Token: a b', 'Accept:x']), { 'x-token': 'a b', accept: 'x' }))

  for (const line of ['no header', 'X Y: a', 'X: a\r\nY: b', ': a', ''])
    test(`refuses ${JSON.stringify(line)}, without showing it`, () => {
      assert.throws(
        () => parseHeaders(['A: b', line]),
        (error) => error instanceof Error && (line === '' || !error.message.includes(line)),
      )
    })
})
