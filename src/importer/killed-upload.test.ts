import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { repeats, seed } from '#test/effort.ts'
import type { Note } from './disk/note.ts'
import { issueTestCertificates, type TestCertificates } from './certificates.fixture.ts'
import { convertTo, createTestVolume, rawDisk, sha256, type TestVolume } from './worker.fixture.ts'

const program = new URL('killed-upload.fixture.ts', import.meta.url).pathname
const disk = rawDisk(12)
const path = '/v1beta1/upload-async?upload=mine'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

/** Kills something after some bytes. */
interface Death {
  readonly afterBytes: number
  readonly of: 'client' | ChildProcess
  /** The moment: the worker has something that can be continued. */
  readonly ripe: () => Promise<boolean>
}

suite(`an upload whose worker and client are killed at any moment (seed ${seed})`, () => {
  const random = createSeededRandom(seed).number
  let certificates: TestCertificates
  let serving = ''
  before(async () => {
    certificates = await issueTestCertificates()
    serving = await mkdtemp(join(tmpdir(), 'serving-'))
    const { server, authority } = certificates
    for (const [name, text] of [
      ['tls.crt', server.certificate],
      ['tls.key', server.key],
      ['ca.crt', authority],
    ] as const)
      await writeFile(join(serving, name), text)
  })
  after(() => rm(serving, { recursive: true }))

  const start = async (volume: TestVolume): Promise<{ readonly worker: ChildProcess; readonly port: number }> => {
    const task = JSON.stringify(volume.task({ kind: 'upload' }))
    const worker = spawn(process.execPath, [program, task, serving, volume.secrets], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(worker.stdout ?? assert.fail(), 'data')) as [Buffer]
    return { worker, port: Number(line.toString()) }
  }

  /** Sends bytes, and kills something on the way; undefined if the connection broke. */
  const send = async (port: number, method: string, headers: object, body?: Buffer, death?: Death): Promise<Answer | undefined> => {
    const { authority: ca, client } = certificates
    const tls = { ca, cert: client.certificate, key: client.key }
    const length = body === undefined ? {} : { 'content-length': body.length }
    const sent = request({ host: '127.0.0.1', port, path, method, agent: false, ...tls, headers: { ...headers, ...length } })
    const answered = new Promise<Answer | undefined>((resolve) => {
      sent.once('response', (response: IncomingMessage) => {
        response.resume()
        resolve({ status: response.statusCode ?? 0, headers: response.headers })
      })
      sent.once('close', () => setTimeout(() => resolve(undefined), 20))
    })
    sent.on('error', () => {})
    const slice = 256 << 10
    for (let at = 0; at < (body?.length ?? 0) && !sent.destroyed; at += slice) {
      await new Promise<void>((resolve) => sent.write(body?.subarray(at, at + slice), () => resolve()))
      if (death === undefined || at < death.afterBytes) continue
      while (!sent.closed && !(await death.ripe())) await sleep(10)
      if (death.of === 'client') sent.destroy()
      else death.of.kill('SIGKILL')
      return answered
    }
    sent.end()
    return answered
  }

  /** Returns how much of the file the note of the worker tells. */
  const notedIn = async (volume: TestVolume): Promise<number> => {
    const stored = await readFile(join(volume.folder, '.disk.img.import'), 'utf8').catch(() => '{}')
    const { note } = JSON.parse(stored) as { readonly note?: Note }
    return note?.state === 'downloading' ? note.offset : 0
  }

  const formats: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = { raw: () => disk, qcow2: () => convertTo(disk, 'qcow2') }
  for (const [format, make] of Object.entries(formats))
    test(`${format}: continues at what is on the disk, and ends with the disk of the file`, async () => {
      const content = await make()
      const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
      for (let round = 0; round < repeats({ default: 1, long: 8 }); round++) {
        await using volume = await createTestVolume()
        let { worker, port } = await start(volume)
        let offset = 0
        let continued = 0
        for (let kills = 0; ;) {
          const asked = await send(port, 'HEAD', {})
          if (asked?.status === 503 || asked === undefined) {
            // It is starting, or the last bytes are being worked on.
            await sleep(20)
            continue
          }
          if (asked.headers['upload-complete'] === '?1') break
          assert.equal(asked.status, 204)
          const here = Number(asked.headers['upload-offset'])
          assert.ok(here >= offset, `it was at ${offset} of ${content.length} and is at ${here}`)
          if (here > 0) continued++
          offset = here
          const rest = content.subarray(offset)
          const headers = { 'upload-offset': offset, 'repr-digest': digest }
          const ripe = async (): Promise<boolean> => (await notedIn(volume)) > offset
          const death: Death = { afterBytes: rest.length * (0.3 + random() * 0.5), of: kills % 2 === 0 ? worker : 'client', ripe }
          const answer = await send(port, 'PATCH', headers, rest, kills < 4 ? death : undefined)
          kills++
          if (answer?.status === 200) break
          if (worker.signalCode !== null || worker.killed) {
            if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
            ;({ worker, port } = await start(volume))
          }
        }
        if (worker.exitCode === null) await once(worker, 'exit')
        assert.equal(worker.exitCode, 0)
        assert.ok(continued > 0, 'nothing was continued')
        assert.equal(await volume.digest(disk.length), sha256(disk))
        assert.deepEqual(await volume.names(), ['.disk.img.import', 'disk.img'])
      }
    })
})
