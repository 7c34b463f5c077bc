import assert from 'node:assert/strict'
import { lstat, mkdir, mkdtemp, readFile, readlink, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { type HeaderOfTar, packArchive } from './archive.fixture.ts'
import { ImportFailure } from '../failure.ts'
import { createFolderWriter, insideTarget } from './folder-writer.ts'
import { safePath, tarEntries } from './tar-entries.ts'

/** Unpacks entries into a new folder beside a file that they must not reach. */
async function unpack(
  entries: readonly HeaderOfTar[],
  limits = { bytes: 1 << 20, entries: 100 },
): Promise<{ readonly root: string } & AsyncDisposable> {
  const parent = await mkdtemp(join(tmpdir(), 'unpack-'))
  const root = join(parent, 'root')
  await mkdir(root)
  try {
    const writer = createFolderWriter(root, limits)
    for await (const entry of tarEntries(Readable.from([await packArchive(entries)]), 1 << 20)) await writer.write(entry)
    // Whatever the archive has, nothing is written beside the folder.
    assert.deepEqual(await readdir(parent), ['root'])
  } catch (error) {
    assert.deepEqual(await readdir(parent), ['root'])
    await rm(parent, { recursive: true })
    throw error
  }
  return { root, [Symbol.asyncDispose]: () => rm(parent, { recursive: true }) }
}

const refused =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof ImportFailure && error.reason === reason

suite('createFolderWriter()', () => {
  test('writes files, folders and links', async () => {
    await using made = await unpack([
      { name: './', type: 'directory' },
      { name: './a/', type: 'directory', mode: 0o500 },
      { name: './a/file', content: 'content', mode: 0o6755 },
      { name: 'deep/er/file', content: 'x' },
      { name: '/absolute', content: 'y' },
      { name: 'a/link', type: 'symlink', linkname: '../deep/er/file' },
      { name: 'a/rooted', type: 'symlink', linkname: '/deep/er' },
      { name: 'hard', type: 'link', linkname: 'a/file' },
    ])
    const read = (path: string): Promise<string> => readFile(join(made.root, path), 'utf8')
    assert.deepEqual(await Promise.all(['a/file', 'a/link', 'a/rooted/file', 'hard', 'absolute'].map(read)), [
      'content',
      'x',
      'x',
      'content',
      'y',
    ])
    assert.equal(await readlink(join(made.root, 'a/rooted')), '../deep/er')
    // Nothing that gives rights is taken over.
    assert.equal((await lstat(join(made.root, 'a/file'))).mode & 0o7777, 0o755)
  })

  const hostile: Readonly<Record<string, readonly HeaderOfTar[]>> = {
    'a path with ..': [{ name: '../evil', content: 'x' }],
    'a path with .. inside': [{ name: 'a/../../evil', content: 'x' }],
    'a device': [{ name: 'disk', type: 'block-device' }],
    'a character device': [{ name: 'null', type: 'character-device' }],
    'a FIFO': [{ name: 'fifo', type: 'fifo' }],
    'a link that leads out': [{ name: 'link', type: 'symlink', linkname: '../evil' }],
    'a link that leads out behind another': [
      { name: 'a/up', type: 'symlink', linkname: '..' },
      { name: 'a/out', type: 'symlink', linkname: 'up/../../evil' },
    ],
    'a file behind a link': [
      { name: 'a', type: 'directory' },
      { name: 'link', type: 'symlink', linkname: 'a' },
      { name: 'link/file', content: 'x' },
    ],
    'a file behind a file': [
      { name: 'a', content: 'x' },
      { name: 'a/b', content: 'x' },
    ],
    'a hard link that leads out': [{ name: 'hard', type: 'link', linkname: '../../../etc/passwd' }],
    'a hard link to what is not there': [{ name: 'hard', type: 'link', linkname: 'etc/passwd' }],
    'a hard link to a link': [
      { name: 'link', type: 'symlink', linkname: 'x' },
      { name: 'hard', type: 'link', linkname: 'link' },
    ],
    'too many entries': Array.from({ length: 101 }, (_, index) => ({ name: `file-${index}`, content: '' })),
  }
  for (const [name, entries] of Object.entries(hostile))
    test(`refuses ${name}`, () => assert.rejects(unpack(entries), refused('UnsafeArchive')))

  test('refuses more bytes than there is room for, before they are written', () =>
    assert.rejects(unpack([{ name: 'file', content: 'x'.repeat(2_000) }], { bytes: 1_000, entries: 10 }), refused('VolumeTooSmall')))

  test('replaces links and folders by what comes later', async () => {
    await using made = await unpack([
      { name: 'a/b', content: 'x' },
      { name: 'a', type: 'symlink', linkname: 'c' },
      { name: 'a', content: 'file' },
    ])
    assert.equal(await readFile(join(made.root, 'a'), 'utf8'), 'file')
  })

  test('never leaves its folder, whatever an archive has', async () => {
    const part = fc.constantFrom('a', 'b', '..', '.', '', 'etc')
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
    const entry = fc.record({
      name: path.filter((each) => each !== ''),
      linkname: fc.oneof(
        path,
        path.map((each) => `/${each}`),
      ),
      type: fc.constantFrom<NonNullable<HeaderOfTar['type']>>('file', 'directory', 'symlink', 'symlink', 'link'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 8 }), async (entries) => {
        let made: Awaited<ReturnType<typeof unpack>>
        try {
          made = await unpack(entries.map((each) => (each.type === 'file' ? { ...each, content: 'x' } : each)))
        } catch (error) {
          assert.ok(error instanceof ImportFailure, String(error))
          return
        }
        await using _made = made
        for (const name of await readdir(made.root, { recursive: true })) {
          const real = await realpath(join(made.root, name)).catch(() => made.root)
          assert.ok(`${real}/`.startsWith(`${made.root}/`), `${name} is ${real}`)
        }
      }),
      { numRuns: 150, seed: 1 },
    )
  })
})

test('insideTarget() keeps links below the root', () => {
  assert.equal(insideTarget({ path: 'a/b/link', target: '../../c' }), '../../c')
  assert.equal(insideTarget({ path: 'a/b/link', target: '/c/d' }), '../../c/d')
  assert.equal(insideTarget({ path: 'link', target: '/' }), '.')
  for (const target of ['../../../c', 'x/../../y', '', '/../x'])
    assert.throws(() => insideTarget({ path: 'a/b/link', target }), refused('UnsafeArchive'))
})

test('safePath() drops what means nothing, and refuses what leads out', () => {
  assert.deepEqual(['./a//b/', '/a', '.'].map(safePath), ['a/b', 'a', ''])
  for (const name of ['..', 'a/..', '../a', 'a\0b', 'x'.repeat(5_000)]) assert.throws(() => safePath(name), refused('UnsafeArchive'))
})
