import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { createStoreFile } from '#apiserver/storage/journal/journal-schema.ts'
import { dataDirectory, type DataDirectory } from '../home/data-directory.ts'
import { BackupRefused, type BackupManifest } from './backup-file.ts'
import { createBackup, type BackupOptions } from './create-backup.ts'
import { completeRestore, restoreBackup } from './restore-backup.ts'

const now = (): number => Date.parse('2026-01-02T03:04:05Z')
const progress = (): void => {}

/** A home with one object and one disk. */
async function makeHome(root: string, value: string): Promise<DataDirectory> {
  const directory = dataDirectory(root)
  await mkdir(join(root, 'apiserver'), { recursive: true })
  createStoreFile(directory.database)
  await writeObject(directory, value)
  await mkdir(directory.pki)
  await writeFile(join(directory.pki, 'ca.crt'), `certificate of ${value}`)
  await writeFile(directory.config, JSON.stringify({ apiPort: 7443, nodes: ['node-1'] }))
  await mkdir(join(directory.volumes, 'pvc-1'), { recursive: true })
  await writeFile(join(directory.volumes, 'pvc-1', 'disk.img'), `disk of ${value}`)
  await mkdir(join(directory.nodes, 'node-1'), { recursive: true })
  await writeFile(join(directory.nodes, 'node-1', 'pod.json'), value)
  return directory
}

async function writeObject({ database }: DataDirectory, value: string): Promise<void> {
  using store = new DatabaseSync(database)
  store.exec(`
    INSERT OR IGNORE INTO res VALUES (1, '', 'configmaps');
    INSERT INTO log VALUES ((SELECT coalesce(max(rev), 0) + 1 FROM log), 1, 0, 1, 0, CAST('${value}' AS BLOB));
    INSERT OR REPLACE INTO obj VALUES (1, 1, 'default', 'kept', 'u', 1, (SELECT max(rev) FROM log));`)
}

function objectOf({ database }: DataDirectory): string {
  using store = new DatabaseSync(database)
  const value = store.prepare('SELECT CAST(val AS TEXT) AS val FROM obj JOIN log USING (rev)').get()?.['val']
  return String(value)
}

async function contents(directory: DataDirectory): Promise<readonly string[]> {
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => 'none')
  return [objectOf(directory), await read(join(directory.pki, 'ca.crt')), await read(join(directory.volumes, 'pvc-1', 'disk.img'))]
}

suite('backup and restore', () => {
  let folder = ''
  before(async () => void (folder = await mkdtemp(join(tmpdir(), 'steadyvm-backup-'))))
  after(() => rm(folder, { recursive: true }))
  const place = (): Promise<string> => mkdtemp(join(folder, 'home-'))
  const backup = (
    directory: DataDirectory,
    file: string,
    others: Pick<Partial<BackupOptions>, 'withDisks'> = {},
  ): Promise<BackupManifest> => createBackup({ directory, file, release: 'v1', withDisks: false, now, progress, ...others })
  const refused =
    (pattern: RegExp) =>
    (error: Error): boolean => {
      assert.ok(error instanceof BackupRefused || error.name === 'StoreOpenError', String(error.stack))
      assert.match(error.message, pattern)
      return true
    }

  test('restore objects and PKI, and keep the replaced data', async () => {
    const directory = await makeHome(await place(), 'old')
    const file = join(folder, 'one.tar')
    const manifest = await backup(directory, file)
    assert.deepEqual([manifest.objects, manifest.revision, manifest.hasDisks], [1, 1, false])
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    await writeObject(directory, 'new')
    await writeFile(join(directory.pki, 'ca.crt'), 'certificate of new')
    const { replaced } = await restoreBackup({ directory, file, now, progress })
    assert.deepEqual(await contents(directory), ['old', 'certificate of old', 'disk of old'])
    assert.ok(replaced !== undefined)
    assert.equal(objectOf(dataDirectory(replaced)), 'new')
    assert.equal(existsSync(directory.nodes), false)
    assert.equal(existsSync(join(replaced, 'nodes')), true)
  })

  test('copy the objects as of one moment while another connection writes', async () => {
    const directory = await makeHome(await place(), 'first')
    using writer = new DatabaseSync(directory.database)
    writer.exec('BEGIN IMMEDIATE')
    writer.exec("UPDATE log SET val = CAST('unfinished' AS BLOB)")
    const file = join(folder, 'online.tar')
    await backup(directory, file)
    writer.exec('COMMIT')
    await restoreBackup({ directory: dataDirectory(await place()), file, now, progress }).then(({ manifest }) =>
      assert.equal(manifest.objects, 1),
    )
  })

  test('include the disks on request', async () => {
    const directory = await makeHome(await place(), 'old')
    const file = join(folder, 'disks.tar')
    await backup(directory, file, { withDisks: true })
    await writeFile(join(directory.volumes, 'pvc-1', 'disk.img'), 'disk of new')
    await restoreBackup({ directory, file, now, progress })
    assert.deepEqual((await contents(directory))[2], 'disk of old')
  })

  test('restore into an empty home', async () => {
    const file = join(folder, 'elsewhere.tar')
    await backup(await makeHome(await place(), 'old'), file)
    const empty = dataDirectory(await place())
    assert.equal((await restoreBackup({ directory: empty, file, now, progress })).replaced, undefined)
    assert.equal(objectOf(empty), 'old')
    assert.deepEqual((await readdir(empty.root)).toSorted(), ['apiserver', 'config.json', 'pki'])
  })

  test('refuse damaged, foreign and existing files, and do not change the home', async () => {
    const directory = await makeHome(await place(), 'old')
    const file = join(folder, 'good.tar')
    await backup(directory, file)
    await assert.rejects(backup(directory, file), refused(/exists/))
    await assert.rejects(backup(dataDirectory(await place()), join(folder, 'none.tar')), refused(/steadyvm up/))
    const cut = join(folder, 'cut.tar')
    await cp(file, cut)
    await truncate(cut, 30_000)
    const foreign = join(folder, 'foreign.tar')
    execFileSync('tar', ['-cf', foreign, '-C', directory.root, 'config.json'])
    const changed = join(folder, 'changed.tar')
    const bytes = await readFile(file)
    bytes.write('certificate of bad', bytes.indexOf('certificate of old'))
    await writeFile(changed, bytes)
    const before = await readdir(directory.root)
    for (const [bad, pattern] of [
      [cut, /./],
      [foreign, /no backup/],
      [changed, /damaged \(pki\/ca.crt\)/],
      [join(folder, 'missing.tar'), /missing.tar/],
    ] as const) {
      await assert.rejects(restoreBackup({ directory, file: bad, now, progress }), refused(pattern))
      assert.deepEqual(await readdir(directory.root), before)
    }
    assert.equal(objectOf(directory), 'old')
  })

  test('complete a restore that was killed between any two renames', async () => {
    const file = join(folder, 'killed.tar')
    await backup(await makeHome(await place(), 'old'), file, { withDisks: true })
    const root = await place()
    await makeHome(root, 'new')
    let cuts = 0
    for (let allowed = 0; ; allowed++) {
      await rm(root, { recursive: true })
      const directory = await makeHome(root, 'new')
      let moves = 0
      const dying = async (from: Parameters<typeof rename>[0], to: Parameters<typeof rename>[1]): Promise<void> => {
        if (moves++ === allowed) throw new Error('killed')
        await rename(from, to)
      }
      const outcome = await restoreBackup({ directory, file, now, progress, move: dying }).then(
        () => 'done',
        () => 'killed',
      )
      await completeRestore(directory)
      assert.deepEqual(await contents(directory), ['old', 'certificate of old', 'disk of old'])
      const aside = (await readdir(root)).find((name) => name.startsWith('replaced-')) ?? ''
      assert.equal(objectOf(dataDirectory(join(root, aside))), 'new')
      assert.deepEqual(
        (await readdir(root)).filter((name) => name.startsWith('restor')),
        [],
      )
      if (outcome === 'done') break
      cuts += 1
    }
    assert.equal(cuts, 9)
  })
})
