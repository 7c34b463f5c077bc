import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { AuditEvent } from './audit-event.ts'
import { openAuditLog } from './audit-log.ts'

const eventOf = (auditID: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID,
  stage: 'ResponseComplete',
  requestURI: '/',
  verb: 'create',
  user: {},
  sourceIPs: [],
  requestReceivedTimestamp: '',
  stageTimestamp: '',
  ...more,
})

const wellOnly = (failure: object | undefined): void => assert.equal(failure, undefined)

suite('openAuditLog()', () => {
  let directory: string
  before(async () => (directory = await mkdtemp(join(tmpdir(), 'audit-'))))
  after(() => rm(directory, { recursive: true, force: true }))
  let time = 0
  const now = (): number => (time += 1000)
  const read = async (path: string): Promise<AuditEvent[]> =>
    (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent)

  test('writes everything in order before disposal ends, with mode 0600', async () => {
    const path = join(directory, 'a', 'audit.log')
    {
      await using log = openAuditLog({ path, maxBytes: 1e9, maxBackups: 1, now, onFailure: wellOnly })
      for (let index = 0; index < 1000; index++) log.write(eventOf(String(index)), {})
    }
    assert.deepEqual(
      (await read(path)).map(({ auditID }) => auditID),
      Array.from({ length: 1000 }, (_, index) => String(index)),
    )
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  test('rotates full files and keeps the newest', async () => {
    const path = join(directory, 'b', 'audit.log')
    await using log = openAuditLog({ path, maxBytes: 1000, maxBackups: 2, now, onFailure: wellOnly })
    for (let index = 0; index < 20; index++) {
      log.write(eventOf(String(index)), {})
      await log.flush()
    }
    const names = (await readdir(join(directory, 'b'))).toSorted()
    assert.equal(names.length, 3)
    const kept = (await Promise.all(names.map((name) => read(join(directory, 'b', name))))).flat().map(({ auditID }) => Number(auditID))
    assert.deepEqual(
      kept.toSorted((a, b) => a - b),
      Array.from({ length: kept.length }, (_, index) => 20 - kept.length + index),
    )
    for (const name of names) assert.ok((await stat(join(directory, 'b', name))).size <= 1000)
  })

  test('writes bodies up to a size, as the level allows', async () => {
    const path = join(directory, 'c', 'audit.log')
    const objectRef = { resource: 'configmaps', apiVersion: 'v1' }
    const body = { metadata: { name: 'x', managedFields: [{}] }, data: { k: 'secret' } }
    const bytes = Buffer.from(JSON.stringify(body))
    {
      await using log = openAuditLog({ path, maxBytes: 1e9, maxBackups: 1, now, onFailure: wellOnly })
      const bodies = { request: { bytes, contentType: 'application/json' }, response: bytes }
      log.write(eventOf('metadata', { objectRef }), bodies)
      log.write(eventOf('request', { objectRef, level: 'Request' }), { ...bodies, omitManagedFields: true })
      log.write(eventOf('both', { objectRef, level: 'RequestResponse' }), bodies)
      log.write(eventOf('large', { level: 'Request' }), { request: { bytes: Buffer.alloc(200_000, 'x'), contentType: undefined } })
      log.write(eventOf('yaml', { level: 'Request' }), { request: { bytes: Buffer.from('a: 1'), contentType: 'application/yaml' } })
      log.write(eventOf('broken', { level: 'Request' }), { request: { bytes: Buffer.from('{'), contentType: 'application/json' } })
    }
    const [metadata, request, both, large, yaml, broken] = await read(path)
    assert.deepEqual(metadata, eventOf('metadata', { objectRef: { ...objectRef, name: 'x' } }))
    assert.deepEqual(request?.requestObject, { metadata: { name: 'x' }, data: body.data })
    assert.equal(request?.responseObject, undefined)
    assert.deepEqual([both?.requestObject, both?.responseObject], [body, body])
    assert.deepEqual([large?.requestObject, large?.annotations], [undefined, { 'audit.k8s.io/truncated': 'true' }])
    assert.deepEqual(yaml?.requestObject, { a: 1 })
    assert.equal(broken?.requestObject, undefined)
  })

  test('reports lost events and recovery', async () => {
    const path = join(directory, 'd', 'audit.log')
    const said: (number | undefined)[] = []
    await using log = openAuditLog({ path, maxBytes: 1e9, maxBackups: 1, now, onFailure: (failure) => said.push(failure?.lost) })
    for (let index = 0; index < 10_005; index++) log.write(eventOf(String(index)), {})
    assert.deepEqual(said, [1])
    await log.flush()
    assert.equal((await read(path)).length, 10_000)
    for (const id of ['x', 'y']) {
      log.write(eventOf(id), {})
      await log.flush()
    }
    assert.deepEqual(said, [1, undefined])
  })

  test('continues after a disk error', async () => {
    const folder = join(directory, 'e')
    const path = join(folder, 'file', 'audit.log')
    const said: (number | undefined)[] = []
    {
      await using first = openAuditLog({ path: join(folder, 'file'), maxBytes: 1e9, maxBackups: 1, now, onFailure: wellOnly })
      first.write(eventOf('file'), {})
    }
    // A file in place of the directory.
    await using log = openAuditLog({ path, maxBytes: 1e9, maxBackups: 1, now, onFailure: (failure) => said.push(failure?.lost) })
    log.write(eventOf('lost'), {})
    await log.flush()
    assert.deepEqual(said, [1])
    await rm(join(folder, 'file'))
    await chmod(folder, 0o700)
    for (const id of ['x', 'y']) {
      log.write(eventOf(id), {})
      await log.flush()
    }
    assert.deepEqual(said, [1, undefined])
    assert.deepEqual(
      (await read(path)).map(({ auditID }) => auditID),
      ['x', 'y'],
    )
  })
})
