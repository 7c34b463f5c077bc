import assert from 'node:assert/strict'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { pods } from '#api/core/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createTestNode, eventually, podIn, shellPod } from '../kubelet.fixture.ts'
import { offsetAt, startLogTimer } from './log-times.ts'
import type { FoundLog } from './find-log.ts'
import { openRemoteLog } from './log-client.ts'
import { readLog, type ReadLogOptions } from './read-log.ts'
import { rotateLog } from './rotate-log.ts'

async function readAll(log: FoundLog, options: Partial<ReadLogOptions> = {}): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of readLog(log, { clock, signal: new AbortController().signal, ...options })) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function scratch(content: string): { readonly path: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'logs-'))
  const path = join(directory, '0.log')
  writeFileSync(path, content)
  return { path, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
}

suite('readLog()', () => {
  test('returns the last lines, also with an incomplete last one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 5 })),
        fc.nat(8),
        fc.boolean(),
        async (lines, tail, complete) => {
          const content = lines.join('\n') + (complete && lines.length > 0 ? '\n' : '')
          using file = scratch(content)
          const all = content === '' ? [] : content.endsWith('\n') ? content.slice(0, -1).split('\n') : content.split('\n')
          const expected =
            all.slice(Math.max(0, all.length - tail)).join('\n') + (content.endsWith('\n') && tail > 0 && all.length > 0 ? '\n' : '')
          assert.equal(await readAll({ path: file.path, isOpen: () => false }, { tailLines: tail }), expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('follows a log until its run ends, across a truncation', async () => {
    using file = scratch('one\n')
    let open = true
    const reading = readAll({ path: file.path, isOpen: () => open }, { follow: true })
    await clock.sleep(30)
    appendFileSync(file.path, 'two\n')
    await clock.sleep(30)
    assert.equal(await rotateLog(file.path, 4), true)
    await clock.sleep(30)
    appendFileSync(file.path, '3\n')
    open = false
    assert.equal(await reading, 'one\ntwo\n3\n')
    assert.equal(readFileSync(`${file.path}.1`, 'utf8'), 'one\ntwo\n')
  })
})

suite('times of a log', () => {
  test('return the offset of the first line since a time, and the time of each line', async () => {
    using file = scratch('one\ntwo\nthree\nfour\n')
    writeFileSync(`${file.path}.times`, '4 1000\n8 2000\n14 3000\n')
    const log = { path: file.path, isOpen: () => false }
    assert.equal(await readAll(log, { since: 0 }), 'one\ntwo\nthree\nfour\n')
    assert.equal(await readAll(log, { since: 1_001 }), 'two\nthree\nfour\n')
    assert.equal(await readAll(log, { since: 2_000, tailLines: 2 }), 'three\nfour\n')
    assert.equal(await readAll(log, { since: 9_000 }), 'four\n')
    const stamped = await readAll(log, { timestamps: true })
    const times = stamped.split('\n').map((line) => line.slice(0, 31))
    assert.deepEqual(
      times.slice(0, 3),
      [1, 2, 3].map((second) => `1970-01-01T00:00:0${second}.000000000Z `),
    )
    assert.equal(stamped.replace(/^\S{30} /gm, ''), 'one\ntwo\nthree\nfour\n')
  })

  test('are recorded while a log grows, also by the next kubelet, and start again after a truncation', async () => {
    using file = scratch('')
    {
      using _timer = startLogTimer(clock, file.path)
      appendFileSync(file.path, 'one\n')
    }
    appendFileSync(file.path, 'two\n')
    {
      using _timer = startLogTimer(clock, file.path)
    }
    const bytes = (): number[] =>
      readFileSync(`${file.path}.times`, 'utf8')
        .trim()
        .split('\n')
        .map((line) => Number.parseInt(line, 10))
    assert.deepEqual(bytes(), [4, 8])
    writeFileSync(file.path, 'x\n')
    {
      using _timer = startLogTimer(clock, file.path)
    }
    assert.deepEqual(bytes(), [4, 8, 2])
    assert.equal(offsetAt(file.path, 0), 0)
    assert.equal(offsetAt(file.path, clock.now() + 1_000), 2)
  })
})

suite('runKubeletServer()', () => {
  test('serves the logs of the current and the previous run', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const flag = join(node.directory, 'flag')
    await api.create(pods, shellPod('a', `[ -e ${flag} ] && { echo second; exec sleep 1000; }; touch ${flag}; echo first; exit 1`))
    await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.restartCount === 1)
    await eventually(() => existsSync(join(node.directory, 'kubelet.sock')))
    const fetch = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        get({ socketPath: join(node.directory, 'kubelet.sock'), path, agent: false }, (response) => {
          response.toArray().then((chunks) => resolve(`${response.statusCode} ${Buffer.concat(chunks as Buffer[]).toString()}`), reject)
        }).on('error', reject)
      })
    // The container counts as started before it has printed anything.
    let newest = ''
    await eventually(() => {
      void fetch('/containerLogs/default/a/main?tailLines=1').then((answer) => (newest = answer))
      return newest === '200 second\n'
    })
    assert.equal(await fetch('/containerLogs/default/a/main?previous=true'), '200 first\n')
    assert.match(await fetch('/containerLogs/default/b/main'), /^404 /)
    assert.match(await fetch('/containerLogs/default/a/other'), /^404 /)

    const socketOf = (): string => join(node.directory, 'kubelet.sock')
    const log = { node: 'n1', namespace: 'default', pod: 'a', container: 'main', previous: false, follow: false, tailLines: 1 }
    const { signal } = new AbortController()
    const chunks: Uint8Array[] = []
    for await (const chunk of await openRemoteLog(socketOf, { ...log, previous: true }, signal)) chunks.push(chunk)
    assert.equal(Buffer.concat(chunks).toString(), 'first\n')
    const codeOf = (error: unknown): number => (error instanceof StatusError ? error.code : 0)
    await assert.rejects(openRemoteLog(socketOf, { ...log, container: 'other' }, signal), (error) => codeOf(error) === 400)
    await assert.rejects(
      openRemoteLog(() => join(node.directory, 'none.sock'), log, signal),
      (error) => codeOf(error) === 500,
    )
  })
})
