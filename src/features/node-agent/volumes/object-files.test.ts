import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { containedLauncherPaths, launcherPaths } from '#features/launcher/index.ts'
import type { Host } from '../node/host.ts'
import type { FilePlace } from './file-place.ts'
import { readObjectFiles, sshKeysIn } from './object-files.ts'

/** A place with a Secret, as kubelets write it: links to the files of one version. */
function placeOf(t: TestContext, contained: boolean): { readonly place: FilePlace; readonly folder: string } {
  const root = mkdtempSync(join(tmpdir(), 'object-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const { view } = contained ? containedLauncherPaths('/run', 'u') : launcherPaths(root, '/run', 'u')
  const place: FilePlace = { view, host: {} as Host, tpmSocket: '', root: contained ? root : '' }
  const folder = (contained ? root : '') + view.object('credentials-keys', 'secret')
  mkdirSync(join(folder, '..2026'), { recursive: true })
  symlinkSync('..2026', join(folder, '..data'))
  for (const name of ['b', 'a']) {
    writeFileSync(join(folder, '..2026', name), `key of ${name}\n`)
    symlinkSync(`..data/${name}`, join(folder, name))
  }
  return { place, folder }
}

suite('readObjectFiles()', () => {
  const volume = { podVolume: 'credentials-keys', kind: 'secret' } as const
  for (const contained of [false, true])
    test(`reads the keys of a Secret ${contained ? 'in a container' : 'in machine mode'}`, async (t) => {
      const { place } = placeOf(t, contained)
      const files = await readObjectFiles(place, volume)
      assert.deepEqual(
        [...files].map(([name, content]) => [name, String(content)]),
        [
          ['a', 'key of a\n'],
          ['b', 'key of b\n'],
        ],
      )
    })

  test('follows no link out of the volume', async (t) => {
    const { place, folder } = placeOf(t, true)
    symlinkSync('../../../../etc/passwd', join(folder, 'c'))
    await assert.rejects(readObjectFiles(place, volume), /"c" leads out of the image/)
  })

  test('is empty without the volume', async (t) => {
    assert.equal((await readObjectFiles(placeOf(t, true).place, { ...volume, podVolume: 'other' })).size, 0)
  })
})

test('sshKeysIn() reads authorized_keys', () => {
  const files = new Map([['keys', Buffer.from('# mine\nssh-ed25519 AAAA me\n\nssh-rsa BBBB you\n')]])
  assert.deepEqual(sshKeysIn(files), ['ssh-ed25519 AAAA me', 'ssh-rsa BBBB you'])
})
