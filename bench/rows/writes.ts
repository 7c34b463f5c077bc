import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestMachine } from '../../test/support/machine.ts'
import { administratorOf, drive, exchange, formatLoad, type Load } from '../load.ts'
import type { Row } from '../measure.ts'

/** Numbers of clients and writes. */
const LEVELS = [
  { clients: 1, count: 1_500 },
  { clients: 10, count: 6_000 },
  { clients: 100, count: Number(process.env['BENCH_WRITES'] ?? 20_000) },
] as const
const VALUE_BYTES = 3_000
const ETCD_PORT = 23_790

/**
 * Durable creates of a 3 KB custom resource through the whole pipeline, and the same number of puts
 * to etcd. Load and server share the cores.
 */
export async function writeRows(machine: TestMachine): Promise<Row[]> {
  await machine.kubectl(['apply', '-f', '-'], CRD)
  await machine.kubectl(['wait', 'crd/loads.bench.steadyvm.io', '--for=condition=Established', '--timeout=20s'])
  const ours = await ourLoads(machine)
  const etcd = await etcdLoads()
  return LEVELS.map(({ clients }, level) => {
    const load = ours[level] ?? { perSecond: 0, p50: 0, p99: 0 }
    const peer = etcd?.[level]
    return {
      what: `durable creates of a 3 KB custom resource, ${clients} client${clients === 1 ? '' : 's'}`,
      measured: formatLoad(load),
      budget: clients === 100 ? '≥ 4,000/s, p99 < 20 ms' : '',
      within: clients === 100 ? load.perSecond >= 4000 && load.p99 < 20 : undefined,
      peer:
        peer === undefined
          ? 'etcd is not installed (apt-get install etcd-server)'
          : `etcd alone ${formatLoad(peer)}: ${(load.perSecond / peer.perSecond).toFixed(2)}×`,
    }
  })
}

const CRD = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'loads.bench.steadyvm.io' },
  spec: {
    group: 'bench.steadyvm.io',
    scope: 'Namespaced',
    names: { plural: 'loads', singular: 'load', kind: 'Load', listKind: 'LoadList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer', minimum: 0, default: 1 },
                  items: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: {
                        name: { type: 'string' },
                        size: { type: 'integer' },
                        tags: { type: 'array', items: { type: 'string' } },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
})

async function ourLoads(machine: TestMachine): Promise<Load[]> {
  const administrator = await administratorOf(machine)
  const items = Array.from({ length: 28 }, (_, index) => ({
    name: `disk-${index}`,
    size: index,
    tags: ['fast', 'encrypted', 'replicated-in-two-zones'],
  }))
  const path = '/apis/bench.steadyvm.io/v1/namespaces/default/loads'
  const loads: Load[] = []
  for (const level of LEVELS) {
    const load = await drive(administrator, level, (session, index) => {
      const metadata = { name: `load-${level.clients}-${index}`, namespace: 'default' }
      const body = Buffer.from(JSON.stringify({ apiVersion: 'bench.steadyvm.io/v1', kind: 'Load', metadata, spec: { items } }))
      return exchange(session, { path, type: 'application/json', body }, 201)
    })
    loads.push(load)
  }
  return loads
}

async function etcdLoads(): Promise<Load[] | undefined> {
  try {
    accessSync('/usr/bin/etcd')
  } catch {
    return undefined
  }
  const folder = await mkdtemp(join(tmpdir(), 'etcd-'))
  const url = `http://127.0.0.1:${ETCD_PORT}`
  const peerUrl = `http://127.0.0.1:${ETCD_PORT + 1}`
  const args = ['--data-dir', folder, '--listen-client-urls', url, '--advertise-client-urls', url, '--listen-peer-urls', peerUrl]
  const etcd = spawn('/usr/bin/etcd', [...args, '--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`], {
    stdio: 'ignore',
  })
  try {
    await sleep(2_000)
    const value = Buffer.alloc(VALUE_BYTES, 'x')
    const loads: Load[] = []
    for (const level of LEVELS) {
      const load = await drive({ server: url, options: {} }, level, (session, index) => {
        const body = grpcFrame(putRequest(`/registry/loads/default/load-${level.clients}-${index}`, value))
        return exchange(session, { path: '/etcdserverpb.KV/Put', type: 'application/grpc', body }, 200)
      })
      loads.push(load)
    }
    return loads
  } finally {
    await end(etcd)
    await rm(folder, { recursive: true, force: true })
  }
}

/** `PutRequest{key = 1, value = 2}`. */
function putRequest(key: string, value: Buffer): Buffer {
  return Buffer.concat([bytesField(1, Buffer.from(key)), bytesField(2, value)])
}

function bytesField(number: number, content: Buffer): Buffer {
  const head = [(number << 3) | 2]
  for (let rest = content.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      head.push(rest)
      break
    }
    head.push((rest & 0x7f) | 0x80)
  }
  return Buffer.concat([Buffer.from(head), content])
}

function grpcFrame(message: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
