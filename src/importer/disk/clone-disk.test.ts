import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { ImportFailure } from '../failure.ts'
import { createProgress, type Progress } from '../progress.ts'
import { createTestVolume, rawDisk, sha256 } from '../worker.fixture.ts'

const disk = rawDisk(6)
const refused =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof ImportFailure && error.reason === reason

suite('clones', () => {
  test('a disk is copied without its holes, and grows to its volume', async () => {
    await using source = await createTestVolume()
    await using volume = await createTestVolume()
    await writeFile(source.disk, disk)
    execFileSync('truncate', ['--size=48M', source.disk])
    await volume.run({ kind: 'clone', path: source.disk })
    assert.equal(await volume.digest(disk.length), sha256(disk))
    const { size, blocks } = await stat(volume.disk)
    assert.equal(size, 64 << 20)
    assert.ok(blocks * 512 < 8 << 20, `${blocks} blocks`)
  })

  test('a disk that a guest writes to meanwhile is copied again, and not kept if that goes on', async () => {
    await using source = await createTestVolume()
    await writeFile(source.disk, disk)
    const copies: string[] = []
    const writing = (times: number): Progress => {
      const progress = createProgress()
      return {
        ...progress,
        stage(name) {
          progress.stage(name)
          if (name === 'Copying' && copies.push(name) <= times) writeFileSync(source.disk, `written ${copies.length}`, { flag: 'r+' })
        },
      }
    }
    {
      await using volume = await createTestVolume()
      await volume.run({ kind: 'clone', path: source.disk }, {}, { progress: writing(1) })
      assert.equal(copies.length, 2)
      assert.equal(await volume.digest(disk.length), sha256(await readFile(source.disk)))
    }
    await using volume = await createTestVolume()
    await assert.rejects(
      volume.run({ kind: 'clone', path: source.disk }, {}, { progress: writing(9) }),
      (error) => error instanceof ImportFailure && error.reason === 'SourceChanged' && !error.fatal,
    )
    assert.deepEqual(await volume.names(), [])
  })

  test('a disk is copied to a device, over what is there', async () => {
    await using volume = await createTestVolume()
    const device = join(volume.folder, 'device')
    await writeFile(device, Buffer.alloc(64 << 20, 'old'))
    await writeFile(join(volume.secrets, 'source'), disk)
    await volume.run({ kind: 'clone', path: join(volume.secrets, 'source') }, { target: device })
    const filled = await readFile(device)
    assert.equal(sha256(filled), sha256(Buffer.concat([disk, Buffer.alloc(filled.length - disk.length)])))
  })

  test('a volume that no guest has used yet is empty, as its copy', async () => {
    await using source = await createTestVolume()
    await using volume = await createTestVolume()
    await mkdir(join(source.folder, 'lost+found'))
    assert.equal((await volume.run({ kind: 'clone', path: source.disk })).reason, 'Completed')
    const { size, blocks } = await stat(volume.disk)
    assert.deepEqual([size, blocks], [64 << 20, 0])
  })

  test('a disk that is too large, missing or a link is refused', async () => {
    await using volume = await createTestVolume()
    const path = join(volume.secrets, 'source')
    await assert.rejects(volume.run({ kind: 'clone', path }), refused('SourceNotFound'))
    await writeFile(path, '')
    execFileSync('truncate', ['--size=1G', path])
    await assert.rejects(volume.run({ kind: 'clone', path }), refused('VolumeTooSmall'))
    await symlink('/etc/passwd', join(volume.secrets, 'link'))
    await assert.rejects(volume.run({ kind: 'clone', path: join(volume.secrets, 'link') }), refused('SourceNotFound'))
  })

  test('the files of a volume are copied, without what workers leave', async () => {
    await using volume = await createTestVolume()
    const source = join(volume.secrets, 'source')
    await mkdir(join(source, 'a'), { recursive: true })
    await writeFile(join(source, 'a/file'), 'content')
    await symlink('a/file', join(source, 'link'))
    await writeFile(join(source, '.disk.img.import'), '{}')
    execFileSync('mkfifo', [join(source, 'fifo')])
    await volume.run({ kind: 'clone', path: source }, { contentType: 'archive' })
    assert.deepEqual(await volume.names(), ['.disk.img.import', 'a', 'link'])
    assert.equal(await readFile(join(volume.folder, 'link'), 'utf8'), 'content')
  })
})

suite('blank disks', () => {
  test('have the size of the volume without what file systems need', async () => {
    await using volume = await createTestVolume()
    await volume.run({ kind: 'blank' }, { overhead: 0.055 })
    const { size, blocks } = await stat(volume.disk)
    assert.deepEqual([size, blocks], [60 << 20, 0])
  })

  test('have all their blocks with preallocation', async () => {
    await using volume = await createTestVolume()
    await volume.run({ kind: 'blank' }, { preallocation: true })
    const { size, blocks } = await stat(volume.disk)
    assert.ok(blocks * 512 >= size)
  })

  test('overwrite a device', async () => {
    await using volume = await createTestVolume()
    const device = join(volume.folder, 'device')
    await writeFile(device, Buffer.alloc(64 << 20, 'old'))
    await volume.run({ kind: 'blank' }, { target: device })
    assert.ok((await readFile(device)).equals(Buffer.alloc(64 << 20)))
  })
})

suite('volumes that are not empty', () => {
  test('are left alone', async () => {
    await using volume = await createTestVolume()
    await writeFile(volume.disk, 'data')
    await assert.rejects(volume.run({ kind: 'blank' }), refused('TargetNotEmpty'))
    assert.equal(await readFile(volume.disk, 'utf8'), 'data')
  })

  test('may have an empty disk, as a node agent makes it', async () => {
    await using volume = await createTestVolume()
    await writeFile(volume.disk, '')
    execFileSync('truncate', ['--size=10M', volume.disk])
    assert.equal((await volume.run({ kind: 'blank' })).reason, 'Completed')
  })

  test('stay as they are when they were filled by the same task', async () => {
    await using volume = await createTestVolume()
    await volume.run({ kind: 'blank' })
    await writeFile(volume.disk, 'written by a guest')
    assert.equal((await volume.run({ kind: 'blank' })).reason, 'Completed')
    assert.equal(await readFile(volume.disk, 'utf8'), 'written by a guest')
    await assert.rejects(volume.run({ kind: 'upload' }), refused('TargetNotEmpty'))
  })
})
