import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { repeats, seed } from '#test/effort.ts'
import { packArchive } from './archive/archive.fixture.ts'
import { startFileServer } from './http/file-server.fixture.ts'
import type { ImportTask } from './task/task.ts'
import { convertTo, createTestVolume, httpSource, rawDisk, sha256 } from './worker.fixture.ts'

const program = new URL('killed-worker.fixture.ts', import.meta.url).pathname

/** Runs a worker, and kills it after some time; false if it has ended before. */
async function runAndKill(task: ImportTask, scratch: string, afterMs: number): Promise<boolean> {
  const worker = spawn(process.execPath, [program, JSON.stringify(task), scratch], { stdio: 'ignore' })
  const timer = setTimeout(() => worker.kill('SIGKILL'), afterMs)
  const [, signal] = (await once(worker, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(timer)
  return signal === 'SIGKILL'
}

const disk = rawDisk(6)

suite(`workers that are killed at any moment (seed ${seed})`, { concurrency: 2 }, () => {
  const random = createSeededRandom(seed).number
  const sources: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
    'a raw disk': () => disk,
    'a qcow2': () => convertTo(disk, 'qcow2'),
    'a compressed disk': () => gzipSync(disk),
  }
  for (const [name, make] of Object.entries(sources))
    test(`fill the volume with ${name}, and leave nothing`, async () => {
      const content = await make()
      for (let round = 0; round < repeats({ default: 1, long: 8 }); round++) {
        await using server = await startFileServer({ '/image': { content, pauseMs: 1 } })
        await using volume = await createTestVolume()
        const scratch = join(volume.secrets, '../scratch')
        await mkdir(scratch)
        const task = volume.task(httpSource(`${server.origin}/image`, `sha256:${sha256(content)}`), { preallocation: round % 2 === 1 })
        for (let kills = 0; kills < 5; kills++) if (!(await runAndKill(task, scratch, 300 + random() * 900))) break
        await runAndKill(task, scratch, 60_000)
        assert.equal(await volume.digest(disk.length), sha256(disk))
        assert.deepEqual(await volume.names(), ['.disk.img.import', 'disk.img'])
        assert.deepEqual(await readdir(scratch), [])
        // A run after the last one finds all done, and asks for nothing.
        const requests = server.requests.length
        await runAndKill(task, scratch, 60_000)
        assert.equal(server.requests.length, requests)
      }
    })

  test('continue a download at the last note', async () => {
    await using server = await startFileServer({ '/image': { content: disk, pauseMs: 5 } })
    await using volume = await createTestVolume()
    const task = volume.task(httpSource(`${server.origin}/image`))
    const note = join(volume.folder, '.disk.img.import')
    const worker = spawn(process.execPath, [program, JSON.stringify(task), volume.secrets], { stdio: 'ignore' })
    while (!(await readFile(note, 'utf8').catch(() => '')).includes('"offset"')) await sleep(5)
    worker.kill('SIGKILL')
    await once(worker, 'close')
    await runAndKill(task, volume.secrets, 60_000)
    assert.equal(await volume.digest(disk.length), sha256(disk))
    assert.match(server.requests.at(-1) ?? '', /^GET \/image bytes=[1-9]\d*-$/)
  })

  test('unpack an archive, and leave nothing', async () => {
    const files = Array.from({ length: 60 }, (_, index) => ({
      name: `folder-${index % 7}/file-${index}`,
      content: Buffer.alloc(70_000, index),
    }))
    const content = await packArchive(files)
    await using server = await startFileServer({ '/archive': { content, pauseMs: 1 } })
    await using volume = await createTestVolume()
    await mkdir(join(volume.folder, 'lost+found'))
    const task = volume.task(httpSource(`${server.origin}/archive`), { contentType: 'archive' })
    for (let kills = 0; kills < 5; kills++) if (!(await runAndKill(task, volume.secrets, 300 + random() * 600))) break
    await runAndKill(task, volume.secrets, 60_000)
    assert.deepEqual(await volume.names(), [
      '.disk.img.import',
      ...Array.from({ length: 7 }, (_, index) => `folder-${index}`),
      'lost+found',
    ])
    for (const each of files) assert.ok((await readFile(join(volume.folder, each.name))).equals(each.content))
  })

  test('fill a device with a file system of its own', async () => {
    const content = await convertTo(disk, 'qcow2')
    await using server = await startFileServer({ '/image': { content, pauseMs: 1 } })
    await using volume = await createTestVolume()
    const scratch = join(volume.secrets, '../scratch')
    await mkdir(scratch)
    const device = join(volume.folder, 'device')
    await writeFile(device, Buffer.alloc(64 << 20, 'old'))
    const task = volume.task(httpSource(`${server.origin}/image`), { target: device })
    for (let kills = 0; kills < 4; kills++) if (!(await runAndKill(task, scratch, 300 + random() * 900))) break
    await runAndKill(task, scratch, 60_000)
    const filled = await readFile(device)
    assert.equal(filled.length, 64 << 20)
    assert.equal(sha256(filled.subarray(0, disk.length)), sha256(disk))
    assert.ok(filled.subarray(disk.length).equals(Buffer.alloc(filled.length - disk.length)))
    assert.deepEqual(await volume.names(), ['device'])
    assert.deepEqual(await readdir(scratch), ['.device.import'])
  })
})
