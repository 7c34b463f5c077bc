import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { link, mkdir, mkdtemp, readdir, readlink, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { silentLogger, type LogFields } from '#runtime/process/log.ts'
import { taskVariable, type ExportTask } from '../export-task.ts'
import { readRange } from './byte-range.ts'
import { containerPlace } from './container-place.ts'
import { startExportServer, type ExportServer } from './export-server.ts'
import { routesOf } from './routes.ts'
import { runExportServer } from './run-export-server.ts'

const mebibyte = 1 << 20
const token = 'Secret123'

suite('readRange()', () => {
  const cases = [
    [undefined, undefined],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=2-', { first: 2, last: 9 }],
    ['bytes=2-99', { first: 2, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-30', { first: 0, last: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-2', undefined],
    ['bytes=0-1,3-4', undefined],
    ['bytes=-', undefined],
    ['lines=1-2', undefined],
  ] as const
  for (const [header, expected] of cases) test(String(header), () => assert.deepEqual(readRange(header, 10), expected))
  test('of an empty content', () => assert.equal(readRange('bytes=0-', 0), 'unsatisfiable'))
})

suite('an export server', () => {
  let folder = ''
  let server: ExportServer
  let current = token
  const logged: LogFields[] = []
  // Data, a hole of several chunks, data that ends within a chunk.
  const disk = Buffer.concat([randomBytes(mebibyte + 5), Buffer.alloc(6 * mebibyte), randomBytes(3 * mebibyte + 77)])
  const paths = (...parts: string[]): string => join(folder, ...parts)

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'export-'))
    for (const name of ['disk', 'files/sub', 'empty', 'cut', 'linked', 'manifests']) await mkdir(paths(name), { recursive: true })
    await writeFile(paths('disk/disk.img'), disk)
    await writeFile(paths('secret'), 'of the machine')
    await writeFile(paths('files/a<b'), 'one')
    await writeFile(paths('files/sub/two words'), 'two')
    await symlink('../secret', paths('files/out'))
    await symlink('..', paths('files/up'))
    execFileSync('mkfifo', [paths('files/pipe')])
    await symlink('../secret', paths('linked/disk.img'))
    await writeFile(paths('manifests/internal'), JSON.stringify({ items: [{ apiVersion: 'v1', kind: 'ConfigMap' }] }))
    const { own } = await createAuthority({ commonName: 'test', nowMs: Date.now(), lifetimeMs: 3_600_000 })
    const task = {
      name: 'mine',
      hasManifests: true,
      volumes: [
        ...['disk', 'empty', 'cut', 'linked'].map((claim) => ({ claim, path: paths(claim), isDisk: true })),
        // Machine mode shows a block device as a file.
        { claim: 'device', path: paths('disk/disk.img'), isDisk: true },
        { claim: 'files', path: paths('files'), isDisk: false },
      ],
    }
    const note = (fields: LogFields): void => void logged.push(fields)
    const read = (): Promise<string> => Promise.resolve(current)
    server = await startExportServer({
      host: '127.0.0.1',
      port: 0,
      tls: { cert: own.certificate, key: own.key, limits: { minVersion: 'TLSv1.3' } },
      routes: routesOf({ task, placeOf: (path) => (path === '/manifest_data' ? paths('manifests') : path), token: read }),
      token: read,
      log: { ...silentLogger, info: note, warn: note },
    })
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  interface Sent {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  const open = async (path: string, { method = 'GET', headers }: Sent = {}): Promise<IncomingMessage> => {
    const own = { 'x-kubevirt-export-token': token, ...headers }
    const sent = httpsRequest({ host: '127.0.0.1', port: server.port, path, rejectUnauthorized: false, agent: false, method, headers: own })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
  const ask = async (path: string, sent?: Sent) => {
    const response = await open(path, sent)
    return { code: response.statusCode, headers: response.headers, body: Buffer.concat((await response.toArray()) as Buffer[]) }
  }
  /** Files below the folder that this process has open. */
  const openFiles = async (): Promise<number> => {
    const all = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
    return all.filter((path) => path.startsWith(folder)).length
  }
  const untilClosed = async (): Promise<void> => {
    for (let tries = 0; tries < 12_000 && (await openFiles()) > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(await openFiles(), 0)
  }

  test('sends the same disk raw and compressed, from a folder and from a device', async () => {
    for (const claim of ['disk', 'device']) {
      const raw = await ask(`/volumes/${claim}/disk.img`)
      assert.deepEqual([raw.code, raw.headers['content-length']], [200, String(disk.length)])
      assert.ok(raw.body.equals(disk), `raw ${claim}`)
      const compressed = await ask(`/volumes/${claim}/disk.img.gz`)
      assert.ok(gunzipSync(compressed.body).equals(disk), `compressed ${claim}`)
      // The hole costs next to nothing.
      assert.ok(compressed.body.length < 5 * mebibyte)
    }
    const { body } = await ask('/volumes/disk/disk.img.gz')
    assert.ok(execFileSync('gzip', ['-dc'], { input: body, maxBuffer: 1 << 25 }).equals(disk))
  })

  test('sends ranges, of the content that the client began with', async () => {
    const path = '/volumes/disk/disk.img'
    const head = await ask(path, { method: 'HEAD' })
    assert.deepEqual([head.code, head.headers['accept-ranges'], head.body.length], [200, 'bytes', 0])
    const part = await ask(path, { headers: { range: 'bytes=100-199', 'if-range': head.headers.etag ?? '' } })
    assert.deepEqual([part.code, part.headers['content-range']], [206, `bytes 100-199/${disk.length}`])
    assert.ok(part.body.equals(disk.subarray(100, 200)))
    assert.equal((await ask(path, { headers: { range: 'bytes=100-199', 'if-range': '"other"' } })).code, 200)
    const beyond = await ask(path, { headers: { range: `bytes=${disk.length}-` } })
    assert.deepEqual([beyond.code, beyond.headers['content-range']], [416, `bytes */${disk.length}`])
  })

  test('admits only clients with the token', async () => {
    const path = '/volumes/disk/disk.img'
    const rows = [
      [path, '', 401],
      [path, `${token}x`, 401],
      [path, token.slice(1), 401],
      [`${path}?x-kubevirt-export-token=${token}`, '', 200],
      [`${path}?x-kubevirt-export-token=no`, '', 401],
      ['/internal/manifests/secret', '', 401],
      ['/volumes/files/dir/', '', 401],
      ['/exportready', '', 200],
      ['/volumes/other/disk.img', '', 404],
    ] as const
    for (const [target, sent, code] of rows)
      assert.equal((await ask(target, { headers: { 'x-kubevirt-export-token': sent } })).code, code, `${target} ${sent}`)
    current = ''
    assert.equal((await ask(path, { headers: { 'x-kubevirt-export-token': '' } })).code, 401)
    current = token
    assert.ok(!JSON.stringify(logged).includes(token))
  })

  test('sends folders as an archive and file by file, and follows no link out of them', async () => {
    const { body } = await ask('/volumes/files/disk.tar.gz')
    const target = paths('unpacked')
    await mkdir(target)
    execFileSync('tar', ['xz', '-C', target], { input: body })
    const found = execFileSync('find', ['.', '-printf', '%P=%y\n'], { cwd: target, encoding: 'utf8' })
    assert.deepEqual(found.trim().split('\n').toSorted(), ['=d', 'a<b=f', 'out=l', 'sub/two words=f', 'sub=d', 'up=l'])
    const root = '/volumes/files/dir/'
    const listing = (await ask(root)).body.toString()
    assert.match(listing, /<a href="\.\/a%3Cb">a&#60;b<\/a>/)
    assert.match(listing, /<a href="\.\/sub\/">sub\/<\/a>/)
    assert.equal((await ask(`${root}sub/two%20words`)).body.toString(), 'two')
    assert.equal((await ask(`${root}sub`)).code, 301)
    for (const outside of ['out', 'up', 'up/secret', 'pipe', '..%2fsecret', 'sub/..%2f..%2fsecret', 'missing', '%00'])
      assert.equal((await ask(root + outside)).code, 404, outside)
    for (const claim of ['linked', 'empty']) assert.equal((await ask(`/volumes/${claim}/disk.img`)).code, 404, claim)
    // Each claim has the formats of its content only.
    for (const other of ['/volumes/disk/dir/', '/volumes/files/disk.img']) assert.equal((await ask(other)).code, 404, other)
  })

  test('sends manifests as JSON and YAML, and the token as a Secret for CDI', async () => {
    const json = await ask('/internal/manifests/all')
    const items = [{ apiVersion: 'v1', kind: 'ConfigMap' }]
    assert.deepEqual(JSON.parse(json.body.toString()), { apiVersion: 'v1', kind: 'List', metadata: {}, items })
    const yaml = await ask('/internal/manifests/all', { headers: { accept: 'application/yaml' } })
    assert.equal(yaml.body.toString(), 'apiVersion: v1\nkind: ConfigMap\n---\n')
    assert.equal((await ask('/external/manifests/all')).code, 404)
    const secret = JSON.parse((await ask('/external/manifests/secret')).body.toString()) as {
      items: [{ metadata: object; stringData: object }]
    }
    assert.deepEqual(secret.items[0].metadata, { name: 'header-secret-mine' })
    assert.deepEqual(secret.items[0].stringData, { token: `x-kubevirt-export-token:${token}` })
    assert.equal((await ask('/internal/manifests/all', { method: 'POST' })).code, 400)
  })

  for (const path of ['/volumes/disk/disk.img', '/volumes/disk/disk.img.gz', '/volumes/files/disk.tar.gz'])
    test(`leaves nothing open when the client of ${path} leaves`, async () => {
      // More than the buffers of a connection: the server waits for the client.
      const large = path.includes('files') ? 'files/large' : 'disk/disk.img'
      await writeFile(paths(large), randomBytes(24 * mebibyte))
      const response = await open(path)
      await once(response, 'readable')
      assert.ok((await openFiles()) > 0)
      response.destroy()
      await untilClosed()
    })

  for (const [what, harm] of Object.entries({
    cut: (path: string) => truncate(path, 0),
    // Sent already.
    'written to': (path: string) => writeFile(path, 'written', { flag: 'r+' }),
  }))
    test(`ends the connection when the content is ${what} while it is sent`, async () => {
      for (const name of ['disk.img', 'disk.img.gz']) {
        await writeFile(paths('cut/disk.img'), randomBytes(32 * mebibyte))
        const response = await open(`/volumes/cut/${name}`)
        await once(response, 'readable')
        await harm(paths('cut/disk.img'))
        await assert.rejects(response.toArray(), name)
      }
      await untilClosed()
    })

  test('ends downloads when it ends', async () => {
    await link(paths('files/large'), paths('empty/disk.img'))
    const response = await open('/volumes/empty/disk.img')
    await once(response, 'readable')
    const rest = assert.rejects(response.toArray())
    await server[Symbol.asyncDispose]()
    await rest
    await untilClosed()
  })
})

suite('runExportServer()', () => {
  test('finds its files where a kubelet put them that may not mount, and ends at the deadline', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'export-'))
    const { own } = await createAuthority({ commonName: 'test', nowMs: Date.now(), lifetimeMs: 3_600_000 })
    await writeFile(join(folder, 'tls.crt'), own.certificate)
    await writeFile(join(folder, 'tls.key'), own.key)
    const task: ExportTask = { name: 'mine', deadline: '2026-01-01T00:00:05Z', volumes: [], hasManifests: false, tls: {} }
    const waits: number[] = []
    const { promise, resolve } = Promise.withResolvers<() => void>()
    const clock = {
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      after: (ms: number, call: () => void) => {
        waits.push(ms)
        resolve(call)
        return { [Symbol.dispose]: () => {} }
      },
      sleep: () => Promise.resolve(),
    }
    const environment = { STEADYVM_MOUNTS: `/cert=${folder}:/token=${folder}`, [taskVariable]: JSON.stringify(task) }
    const running = runExportServer({ environment, host: '127.0.0.1', port: 0, clock, log: silentLogger }, new AbortController().signal)
    const expire = await promise
    expire()
    await running
    assert.deepEqual(waits, [5_000])
    assert.equal(containerPlace({})('/cert'), '/cert')
    await rm(folder, { recursive: true })
  })
})
