import { once } from 'node:events'
import { connect, type ClientHttp2Session } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestMachine } from '../../test/support/machine.ts'
import { administratorOf, type Administrator, drive, exchange, formatLoad } from '../load.ts'
import { memoryOf } from '../memory.ts'
import { mebibytes, percentile, type Row, time } from '../measure.ts'

const OBJECTS = 10_000
const WATCHES = 10_000
/** Each watched object is watched so often. */
const AUDIENCE = 10
const CHANGES = 10_000
const CONNECTIONS = 40
const COLLECTION = '/apis/bench.steadyvm.io/v1/namespaces/default/watcheds'

const DEFINITION = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'watcheds.bench.steadyvm.io' },
  spec: {
    group: 'bench.steadyvm.io',
    scope: 'Namespaced',
    names: { plural: 'watcheds', kind: 'Watched' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: { type: 'string' } } } } },
      },
    ],
  },
})

/** 3 KB, of which `sent` tells how long an event was on its way. */
function objectOf(index: number, sent: number): Buffer {
  const fields = Object.fromEntries(
    Array.from({ length: 55 }, (_, field) => [`field-${field}`, `value-${field}-with-some-padding-to-make-it-longer`]),
  )
  const metadata = { name: `watched-${index}`, namespace: 'default' }
  return Buffer.from(
    JSON.stringify({ apiVersion: 'bench.steadyvm.io/v1', kind: 'Watched', metadata, spec: { ...fields, sent: String(sent) } }),
  )
}

/**
 * Measures ten thousand objects with as many watches, and the latency of changes at the watchers.
 * Clients and server share the cores.
 */
export async function watchRows(machine: TestMachine): Promise<Row[]> {
  await machine.kubectl(['apply', '-f', '-'], DEFINITION)
  await machine.kubectl(['wait', 'crd/watcheds.bench.steadyvm.io', '--for=condition=Established', '--timeout=20s'])
  const administrator = await administratorOf(machine)
  const pid = machine.processes().find(({ role }) => role === 'apiserver')?.pid ?? 0
  const rss = (): number => memoryOf(pid).rss
  const settle = (): Promise<void> => sleep(3_000)

  await settle()
  const empty = rss()
  await drive(administrator, { clients: 50, count: OBJECTS }, (session, index) =>
    exchange(session, { path: COLLECTION, type: 'application/json', body: objectOf(index, 0) }, 201),
  )
  await settle()
  const full = rss()
  const lists = await measureLists(administrator)
  await settle()
  const before = rss()
  const watches = await openWatches(administrator)
  await settle()
  const idle = rss()
  const fanOut = await measureFanOut(administrator, watches.delivered)
  for (const session of watches.sessions) session.destroy()
  return [
    {
      what: `list of ${OBJECTS.toLocaleString('en')} objects of 3 KB`,
      measured: `p50 ${time(percentile(lists, 0.5))}, ${lists.length} times`,
      budget: '< 100 ms',
      within: percentile(lists, 0.5) < 100,
      peer: '',
    },
    {
      what: 'memory of an object of 3 KB, with its history',
      measured: `${((full - empty) / OBJECTS).toFixed(1)} KiB`,
      budget: '',
      within: undefined,
      peer: '',
    },
    {
      what: `${WATCHES.toLocaleString('en')} idle watches`,
      measured: `${mebibytes(idle - before)} more: ${((idle - before) / WATCHES).toFixed(1)} KiB each; ${mebibytes(idle)} with everything else`,
      budget: '< 150 MB',
      within: idle - before < 150 * 1000,
      peer: '',
    },
    {
      what: `changes that ${AUDIENCE} of ${WATCHES.toLocaleString('en')} watches see`,
      measured: `written ${formatLoad(fanOut.written)}; delivered ${Math.round(fanOut.perSecond)}/s, p50 ${fanOut.p50.toFixed(1)} ms, p99 ${fanOut.p99.toFixed(1)} ms after they were sent`,
      budget: '',
      within: undefined,
      peer: '',
    },
  ]
}

async function measureLists({ server, options }: Administrator): Promise<number[]> {
  // The windows that Go's HTTP/2 client has, and so every client that is written in it.
  const session = connect(server, { ...options, settings: { initialWindowSize: 4 << 20 } })
  await once(session, 'connect')
  session.setLocalWindowSize(1 << 30)
  const times: number[] = []
  for (let run = 0; run < 9; run += 1) {
    const started = performance.now()
    await new Promise<void>((resolve, reject) => {
      const stream = session.request({ ':path': COLLECTION })
      stream.on('data', () => {})
      stream.on('error', reject)
      stream.on('end', () => resolve())
    })
    times.push(performance.now() - started)
  }
  session.close()
  return times
}

interface Watches {
  readonly sessions: readonly ClientHttp2Session[]
  /** Milliseconds that each event was on its way, as they arrive. */
  readonly delivered: number[]
}

async function openWatches({ server, options }: Administrator): Promise<Watches> {
  const delivered: number[] = []
  const sessions = Array.from({ length: CONNECTIONS }, () => connect(server, options))
  const open = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const name = `watched-${Math.floor(index / AUDIENCE)}`
      const stream = sessions[index % CONNECTIONS]?.request({ ':path': `${COLLECTION}?watch=1&fieldSelector=metadata.name%3D${name}` })
      if (stream === undefined) return reject(new Error('no connection'))
      stream.on('response', () => resolve())
      stream.on('error', reject)
      // Events are short enough to come whole, most of the time: what is split is not counted.
      stream.on('data', (chunk: Buffer) => {
        const now = performance.now()
        for (const [, sent] of chunk.toString('latin1').matchAll(/"sent":"([\d.]+)"/g)) if (sent !== '0') delivered.push(now - Number(sent))
      })
    })
  for (let start = 0; start < WATCHES; start += 500) await Promise.all(Array.from({ length: 500 }, (_, index) => open(start + index)))
  return { sessions, delivered }
}

async function measureFanOut(
  administrator: Administrator,
  delivered: number[],
): Promise<{ written: Awaited<ReturnType<typeof drive>>; perSecond: number; p50: number; p99: number }> {
  const started = performance.now()
  const written = await drive(administrator, { clients: 50, count: CHANGES }, (session, index) => {
    const object = index % (WATCHES / AUDIENCE)
    const body = Buffer.from(JSON.stringify({ spec: { sent: String(performance.now()) } }))
    return exchange(session, { method: 'PATCH', path: `${COLLECTION}/watched-${object}`, type: 'application/merge-patch+json', body }, 200)
  })
  const wanted = CHANGES * AUDIENCE
  for (let turn = 0; turn < 100 && delivered.length < wanted; turn += 1) await sleep(50)
  const seconds = (performance.now() - started) / 1000
  return { written, perSecond: delivered.length / seconds, p50: percentile(delivered, 0.5), p99: percentile(delivered, 0.99) }
}
