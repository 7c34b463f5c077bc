import assert from 'node:assert/strict'
import { request } from 'node:https'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { packArchive } from '../archive/archive.fixture.ts'
import { issueTestCertificates, type TestCertificates } from '../certificates.fixture.ts'
import { createProgress } from '../progress.ts'
import type { ImportResult, ImportTask } from '../task/task.ts'
import { systemTime } from '../time.ts'
import { convertTo, createTestVolume, rawDisk, sha256, type TestVolume } from '../worker.fixture.ts'
import { createUploadDesk } from './uploads.ts'
import { startWorkerServer } from './worker-server.ts'

const disk = rawDisk(4)
const patience = { idleMs: 2_000, windowMs: 60_000, windowBytes: 0 }

interface Answer {
  readonly status: number
  readonly text: string
  /** `Upload-Complete` and `Upload-Offset`. */
  readonly state: string
}

/** A worker that waits for uploads. */
interface Waiting extends AsyncDisposable {
  readonly volume: TestVolume
  readonly ended: Promise<ImportResult>
  send(method: string, path: string, body?: Buffer, options?: SendOptions): Promise<Answer>
  stage(): Promise<string>
  /** How much of an upload has been read, as the worker itself knows it. */
  percent(): number
}

interface SendOptions {
  readonly isAnonymous?: boolean
  /** Ends the connection after these bytes. */
  readonly dropAfter?: number
  /** Waits before the last byte. */
  readonly pauseMs?: number
  readonly headers?: Readonly<Record<string, string | number>>
}

suite('uploads', () => {
  let serving = ''
  let certificates: TestCertificates
  before(async () => {
    certificates = await issueTestCertificates()
    serving = await mkdtemp(join(tmpdir(), 'serving-'))
    await writeFile(join(serving, 'tls.crt'), certificates.server.certificate)
    await writeFile(join(serving, 'tls.key'), certificates.server.key)
    await writeFile(join(serving, 'ca.crt'), certificates.authority)
  })
  after(() => rm(serving, { recursive: true }))

  async function startWorker(changes: Partial<ImportTask> = {}, present?: TestVolume): Promise<Waiting> {
    const volume = present ?? (await createTestVolume())
    const stop = new AbortController()
    const progress = createProgress()
    const uploads = createUploadDesk(patience, systemTime)
    const options = { serving, host: '127.0.0.1', port: 0, progress }
    const server = await startWorkerServer({ ...options, otherwise: (question, answer) => uploads.serve(question, answer) })
    const ended = volume.run({ kind: 'upload' }, changes, { uploads, progress, signal: stop.signal })
    ended.catch(() => {})
    const send = (
      method: string,
      path: string,
      body: Buffer = Buffer.alloc(0),
      { isAnonymous = false, dropAfter, pauseMs, headers: more }: SendOptions = {},
    ): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const { authority, client } = certificates
        const tls = { ca: authority, ...(isAnonymous ? {} : { cert: client.certificate, key: client.key }) }
        const headers = { ...(method === 'POST' || method === 'PATCH' ? { 'content-length': body.length } : {}), ...more }
        const question = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false, ...tls }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          const { 'upload-complete': complete = '', 'upload-offset': offset = '' } = answer.headers
          answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text, state: [complete, offset].flat().join(' ').trim() }))
        })
        question.once('error', reject)
        if (dropAfter !== undefined) {
          // When the worker has read half of that. Of a form the size is not known.
          const half = (50 * dropAfter) / body.length
          const drop = (): void => {
            const { stage, percent = half } = progress.read()
            if (stage === 'Uploading' && percent >= half) question.destroy()
            else if (!question.closed) setTimeout(drop, 10)
          }
          return void question.write(body.subarray(0, dropAfter), drop)
        }
        if (pauseMs === undefined) return void question.end(body)
        question.write(body.subarray(0, -1))
        const pause = setTimeout(() => question.end(body.subarray(-1)), pauseMs)
        question.once('close', () => clearTimeout(pause))
      })
    // The desk is there as soon as it is waited for.
    while (progress.read().stage === 'Starting') await sleep(5)
    return {
      volume,
      ended,
      send,
      stage: async () => (JSON.parse((await send('GET', '/progress')).text) as { stage: string }).stage,
      percent: () => progress.read().percent ?? 0,
      async [Symbol.asyncDispose]() {
        stop.abort()
        await ended.catch(() => {})
        await server[Symbol.asyncDispose]()
        if (present === undefined) await volume[Symbol.asyncDispose]()
      },
    }
  }

  for (const path of ['/v1beta1/upload', '/v1beta1/upload-async', '/v1alpha1/upload'])
    test(`POST ${path} fills the disk`, async () => {
      await using worker = await startWorker()
      assert.equal(await worker.stage(), 'WaitingForUpload')
      assert.equal((await worker.send('POST', path, await convertTo(disk, 'qcow2'))).status, 200)
      assert.equal((await worker.ended).reason, 'Completed')
      assert.equal(await worker.volume.digest(disk.length), sha256(disk))
      assert.equal((await worker.send('POST', path, disk)).status, 409)
    })

  test('HEAD finds out whether uploads may be asynchronous, and other methods nothing', async () => {
    await using worker = await startWorker()
    const statuses = [
      await worker.send('HEAD', '/v1beta1/upload-async'),
      await worker.send('HEAD', '/v1beta1/upload'),
      await worker.send('GET', '/v1beta1/upload'),
      await worker.send('POST', '/v1beta1/other'),
    ].map(({ status }) => status)
    assert.deepEqual(statuses, [200, 404, 404, 404])
  })

  test('a client without certificate gets no answer', async () => {
    await using worker = await startWorker()
    await assert.rejects(worker.send('GET', '/progress', undefined, { isAnonymous: true }))
  })

  test('a second upload is told to come back while one is under way', async () => {
    await using worker = await startWorker()
    const first = worker.send('POST', '/v1beta1/upload', disk, { pauseMs: 300 })
    while ((await worker.stage()) === 'WaitingForUpload') await sleep(5)
    assert.equal((await worker.send('POST', '/v1beta1/upload', disk)).status, 503)
    assert.equal((await first).status, 200)
    assert.equal((await worker.ended).reason, 'Completed')
  })

  test('a bad upload is refused, and a better one taken', async () => {
    await using worker = await startWorker()
    const page = await worker.send('POST', '/v1beta1/upload', Buffer.from('<html>'))
    assert.equal(page.status, 400)
    const large = await worker.send('POST', '/v1beta1/upload', Buffer.alloc(70 << 20))
    assert.equal(large.status, 400)
    // As CDI begins it, for clients that look for it.
    assert.ok(large.text.startsWith('Saving stream failed: effective image size is larger than'))
    await assert.rejects(worker.send('POST', '/v1beta1/upload', disk, { dropAfter: 1_000_000 }))
    // The worker may need a moment to see the end of the connection, and says so until then.
    const again = async (): Promise<number> => (await worker.send('POST', '/v1beta1/upload', disk)).status
    let status = await again()
    for (; status === 503; status = await again()) await sleep(20)
    assert.equal(status, 200)
    assert.equal(await worker.volume.digest(disk.length), sha256(disk))
    assert.deepEqual(await worker.volume.names(), ['.disk.img.import', 'disk.img'])
  })

  test('the files of an archive', async () => {
    await using worker = await startWorker({ contentType: 'archive' })
    const archive = await packArchive([
      { name: 'a/b', content: 'x' },
      { name: 'c', content: 'y' },
    ])
    assert.equal((await worker.send('POST', '/v1beta1/upload-archive', archive)).status, 200)
    assert.equal((await worker.ended).reason, 'Completed')
    assert.deepEqual(await worker.volume.names(), ['.disk.img.import', 'a', 'c'])
  })

  const formOf = (file: Buffer, name = 'file', end = '--'): Buffer =>
    Buffer.concat([
      Buffer.from('--x\r\ncontent-disposition: form-data; name="comment"\r\n\r\nany\r\n'),
      Buffer.from(
        `--x\r\ncontent-disposition: form-data; name="${name}"; filename="a.img"\r\ncontent-type: application/octet-stream\r\n\r\n`,
      ),
      file,
      Buffer.from(`\r\n--x${end}\r\n`),
    ])
  const form = { headers: { 'content-type': 'multipart/form-data; boundary=x' } }

  for (const path of ['/v1beta1/upload-form', '/v1beta1/upload-form-async', '/v1alpha1/upload-form'])
    test(`POST ${path} fills the disk with the file of a form`, async () => {
      await using worker = await startWorker()
      if (path.endsWith('async')) assert.equal((await worker.send('HEAD', path)).status, 200)
      assert.equal((await worker.send('POST', path, formOf(await convertTo(disk, 'qcow2')), form)).status, 200)
      assert.equal((await worker.ended).reason, 'Completed')
      assert.equal(await worker.volume.digest(disk.length), sha256(disk))
    })

  test('a form that is none, has no file, or ends in it is refused, and a better one taken', async () => {
    await using worker = await startWorker()
    const path = '/v1beta1/upload-form'
    const post = async (body: Buffer, options: SendOptions = form): Promise<number> => {
      for (;;) {
        const { status } = await worker.send('POST', path, body, options)
        if (status !== 503) return status
        await sleep(20)
      }
    }
    assert.equal(await post(disk, {}), 400)
    assert.equal(await post(formOf(disk, 'image')), 400)
    assert.equal(await post(Buffer.from('--x\r\nnonsense')), 400)
    assert.notEqual(await post(formOf(disk).subarray(0, -300)), 200)
    await assert.rejects(post(formOf(disk), { ...form, dropAfter: 1_000_000 }))
    assert.equal(await post(formOf(disk)), 200)
    assert.equal(await worker.volume.digest(disk.length), sha256(disk))
    assert.deepEqual(await worker.volume.names(), ['.disk.img.import', 'disk.img'])
  })

  const named = '/v1beta1/upload?upload=mine'
  const digestOf = (content: Buffer): string => `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
  const settled = async (worker: Waiting, path: string): Promise<Answer> => {
    for (;;) {
      const answer = await worker.send('HEAD', path)
      if (answer.status !== 503) return answer
      await sleep(20)
    }
  }

  test('an upload with a name continues where its connection broke, and compares the digest of the file', async () => {
    for (const content of [disk, await convertTo(disk, 'qcow2')]) {
      await using worker = await startWorker()
      assert.equal((await worker.send('HEAD', named)).state, '?0 0')
      const half = content.length >> 1
      await assert.rejects(worker.send('POST', named, content, { dropAfter: half }))
      const { state } = await settled(worker, named)
      const offset = Number(state.split(' ')[1])
      assert.ok(offset > 0 && offset <= half, state)
      assert.equal((await settled(worker, '/v1beta1/upload?upload=other')).state, '?0 0', 'another upload has nothing here')
      const rest = (at: number, headers = {}): Promise<Answer> =>
        worker.send('PATCH', named, content.subarray(at), { headers: { 'upload-offset': at, ...headers } })
      const wrong = await rest(offset + 1)
      assert.deepEqual([wrong.status, wrong.state], [409, `${offset}`])
      assert.equal((await rest(offset, { 'repr-digest': digestOf(content) })).status, 200)
      assert.equal((await worker.ended).reason, 'Completed')
      assert.equal(await worker.volume.digest(disk.length), sha256(disk))
    }
  })

  test('a file that has changed meanwhile is refused, and nothing of it is left', async () => {
    await using worker = await startWorker()
    await assert.rejects(worker.send('POST', named, disk, { dropAfter: 2_000_000 }))
    const offset = Number((await settled(worker, named)).state.split(' ')[1])
    assert.ok(offset > 0)
    const changed = Buffer.from(disk)
    changed.fill('x', 0, 9)
    const headers = { 'upload-offset': offset, 'repr-digest': digestOf(changed) }
    const refused = await worker.send('PATCH', named, changed.subarray(offset), { headers })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /sha256/)
    assert.equal((await settled(worker, named)).state, '?0 0')
    assert.deepEqual(await worker.volume.names(), [])
  })

  test('the question how far an upload is ends a connection that hangs', async () => {
    await using worker = await startWorker()
    const hanging = worker.send('POST', named, disk, { pauseMs: 60_000 })
    hanging.catch(() => {})
    while (worker.percent() < 50) await sleep(5)
    const offset = Number((await settled(worker, named)).state.split(' ')[1])
    assert.ok(offset > 0)
    await assert.rejects(hanging)
    const headers = { 'upload-offset': offset }
    assert.equal((await worker.send('PATCH', named, disk.subarray(offset), { headers })).status, 200)
    assert.equal(await worker.volume.digest(disk.length), sha256(disk))
  })

  test('a file comes in parts', async () => {
    await using worker = await startWorker()
    const part = 1_500_000
    for (let at = 0; at < disk.length; at += part) {
      const isLast = at + part >= disk.length
      const headers = { 'upload-offset': at, 'upload-complete': isLast ? '?1' : '?0', 'upload-length': disk.length }
      const answer = await worker.send(at === 0 ? 'POST' : 'PATCH', named, disk.subarray(at, at + part), { headers })
      assert.deepEqual([answer.status, answer.state], isLast ? [200, ''] : [204, `?0 ${at + part}`])
    }
    assert.equal(await worker.volume.digest(disk.length), sha256(disk))
  })

  test('an upload of another client, without a name, does not mix with what is here', async () => {
    await using worker = await startWorker()
    await assert.rejects(worker.send('POST', named, Buffer.alloc(disk.length, 'x'), { dropAfter: 2_000_000 }))
    assert.notEqual((await settled(worker, named)).state, '?0 0')
    await assert.rejects(worker.send('POST', '/v1beta1/upload', disk, { dropAfter: 1_000_000 }))
    assert.equal((await settled(worker, named)).state, '?0 0')
    assert.equal((await worker.send('POST', '/v1beta1/upload', disk)).status, 200)
    assert.equal(await worker.volume.digest(disk.length), sha256(disk))
  })

  test('a disk that is slower than its client holds the client back', async () => {
    const desk = createUploadDesk(patience, systemTime)
    const stop = new AbortController()
    const progress = createProgress()
    await using server = await startWorkerServer({
      serving,
      host: '127.0.0.1',
      port: 0,
      progress,
      otherwise: (question, answer) => desk.serve(question, answer),
    })
    const waiting = desk.next(undefined, stop.signal)
    const { authority, client } = certificates
    const total = 256 << 20
    const headers = { 'content-length': total }
    const tls = { ca: authority, cert: client.certificate, key: client.key }
    const sent = request({ host: '127.0.0.1', port: server.port, path: '/v1beta1/upload', method: 'POST', agent: false, headers, ...tls })
    sent.on('error', () => {})
    const chunk = Buffer.alloc(1 << 20)
    let taken = 0
    const sending = (async () => {
      for (let at = 0; at < total && !sent.destroyed; at += chunk.length) {
        await new Promise<void>((resolve) => sent.write(chunk, () => resolve()))
        taken += chunk.length
      }
    })()
    sending.catch(() => {})
    const upload = await waiting
    const { chunks } = await upload.source.open(undefined, stop.signal)
    const before = process.memoryUsage().arrayBuffers
    let read = 0
    let most = 0
    for await (const bytes of chunks) {
      read += bytes.length
      // Some 6 MiB a second.
      if (read % (1 << 18) < bytes.length) await sleep(40)
      most = Math.max(most, taken - read)
      if (read > 8 << 20) break
    }
    sent.destroy()
    // Buffers of sockets and streams; the file is 256 MiB.
    assert.ok(most < 24 << 20, `${most} bytes were on the way`)
    assert.ok(process.memoryUsage().arrayBuffers - before < 48 << 20)
  })

  test('a worker that was killed after the answer converts what it has', async () => {
    await using volume = await createTestVolume()
    const content = await convertTo(disk, 'qcow2')
    // What a worker leaves that answers and is killed: the note is written before the answer.
    await writeFile(join(volume.folder, '.disk.img.download'), content)
    const task = volume.task({ kind: 'upload' })
    const { createNoteFile } = await import('../disk/note.ts')
    await createNoteFile(join(volume.folder, '.disk.img.import'), task).write({ state: 'downloaded', format: 'qcow2', labels: {} })
    await using worker = await startWorker({}, volume)
    assert.equal((await worker.ended).reason, 'Completed')
    assert.equal(await volume.digest(disk.length), sha256(disk))
  })
})
