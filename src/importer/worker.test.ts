import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createNoteFile, type Note } from './disk/note.ts'
import { startFileServer } from './http/file-server.fixture.ts'
import { convertTo, createTestVolume, httpSource, rawDisk, sha256 } from './worker.fixture.ts'

const xz = (bytes: Buffer): Buffer => execFileSync('xz', ['--stdout', '-1'], { input: bytes, maxBuffer: 1 << 28 })

suite('runTask()', () => {
  const disk = rawDisk()
  const images: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
    raw: () => disk,
    'raw.gz': () => gzipSync(disk),
    'raw.xz': () => xz(disk),
    'raw.zst': () => zstdCompressSync(disk),
    qcow2: () => convertTo(disk, 'qcow2'),
    'qcow2 of version 2': () => convertTo(disk, 'qcow2', ['-o', 'compat=0.10']),
    'compressed qcow2': () => convertTo(disk, 'qcow2', ['-c']),
    'qcow2.xz': async () => xz(await convertTo(disk, 'qcow2')),
    'monolithic VMDK': () => convertTo(disk, 'vmdk', ['-o', 'subformat=monolithicSparse']),
    'stream-optimized VMDK': () => convertTo(disk, 'vmdk', ['-o', 'subformat=streamOptimized']),
    VDI: () => convertTo(disk, 'vdi'),
    VHD: () => convertTo(disk, 'vpc', ['-o', 'subformat=dynamic,force_size=on']),
    VHDX: () => convertTo(disk, 'vhdx'),
  }
  for (const [name, make] of Object.entries(images))
    test(`fills a disk from ${name}`, async () => {
      const content = await make()
      await using server = await startFileServer({ '/image': { content } })
      await using volume = await createTestVolume()
      const result = await volume.run(httpSource(`${server.origin}/image`, `sha256:${sha256(content)}`))
      assert.deepEqual(result, { reason: 'Completed', message: result.message, fatal: false })
      assert.equal(await volume.digest(disk.length), sha256(disk))
      assert.deepEqual(await volume.names(), ['.disk.img.import', 'disk.img'])
    })

  test('finishes what a killed worker has left, whatever it was about to do', async () => {
    const image = await convertTo(disk, 'qcow2')
    const result = { reason: 'Completed', message: 'filled', fatal: false, labels: { 'kubevirt.io/test': 'x' } }
    const mebibytes = 16
    const whole = Buffer.concat([disk, Buffer.alloc((mebibytes << 20) - disk.length)])
    const states: Readonly<Record<string, readonly [note: Note, files: Readonly<Record<string, Buffer>>]>> = {
      'grow a raw disk': [{ state: 'downloaded', format: 'raw', labels: {} }, { '.disk.img.partial': disk }],
      'convert an image': [{ state: 'downloaded', format: 'qcow2', labels: {} }, { '.disk.img.download': image }],
      'convert it again': [
        { state: 'downloaded', format: 'qcow2', labels: {} },
        { '.disk.img.download': image, '.disk.img.partial': disk },
      ],
      'give the disk its name': [
        { state: 'finished', result },
        { '.disk.img.download': image, '.disk.img.partial': whole },
      ],
      'remove the image': [
        { state: 'finished', result },
        { '.disk.img.download': image, 'disk.img': whole },
      ],
      'write another note': [
        { state: 'finished', result },
        { '.disk.img.import.new': Buffer.from('{'), 'disk.img': whole },
      ],
      end: [{ state: 'finished', result }, { 'disk.img': whole }],
    }
    for (const [what, [note, files]] of Object.entries(states)) {
      await using volume = await createTestVolume(mebibytes)
      // Nothing is asked for again: there is no server.
      const source = httpSource('http://127.0.0.1:1/image')
      await createNoteFile(join(volume.folder, '.disk.img.import'), volume.task(source)).write(note)
      for (const [name, content] of Object.entries(files)) await writeFile(join(volume.folder, name), content)
      const found = await volume.run(source)
      assert.equal(found.reason, 'Completed', what)
      if (note.state === 'finished') assert.deepEqual(found, result, what)
      assert.equal(sha256(await readFile(volume.disk)), sha256(whole), what)
      assert.deepEqual(await volume.names(), ['.disk.img.import', 'disk.img'], what)
    }
  })

  test('begins anew when a note tells of what is not there', async () => {
    await using server = await startFileServer({ '/image': { content: disk } })
    const notes: readonly Note[] = [
      { state: 'downloading', format: 'raw', offset: 1 << 20, validator: '"x"' },
      { state: 'downloaded', format: 'qcow2', labels: {} },
      { state: 'finished', result: { reason: 'Completed', message: '', fatal: false } },
    ]
    for (const note of notes) {
      await using volume = await createTestVolume()
      const source = httpSource(`${server.origin}/image`)
      await createNoteFile(join(volume.folder, '.disk.img.import'), volume.task(source)).write(note)
      await volume.run(source)
      assert.equal(await volume.digest(disk.length), sha256(disk))
    }
  })
})
