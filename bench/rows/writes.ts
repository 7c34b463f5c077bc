import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestMachine } from '../../test/support/machine.ts'
import { percentile, type Row } from '../measure.ts'

const CLIENTS = 100
const WRITES = Number(process.env['BENCH_WRITES'] ?? 20_000)
const VALUE_BYTES = 3_000
const ETCD_PORT = 23_790

interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Durable creates of a 3 KB custom resource through the whole pipeline, and the same number of puts to etcd. Load and server share the cores. */
export async function writeRows(machine: TestMachine): Promise<Row[]> {
  await machine.kubectl(['apply', '-f', '-'], CRD)
  await machine.kubectl(['wait', 'crd/loads.bench.steadyvm.io', '--for=condition=Established', '--timeout=20s'])
  const ours = await ourLoad(machine)
  const etcd = await etcdLoad()
  const format = (load: Load): string => `${Math.round(load.perSecond)}/s, p50 ${load.p50.toFixed(1)} ms, p99 ${load.p99.toFixed(1)} ms`
  const peer =
    etcd === undefined
      ? 'etcd is not installed (apt-get install etcd-server)'
      : `etcd alone ${format(etcd)}: ${(ours.perSecond / etcd.perSecond).toFixed(2)}×`
  return [
    {
      what: `durable creates of a 3 KB custom resource, ${CLIENTS} clients`,
      measured: format(ours),
      budget: '≥ 4,000/s, p99 < 20 ms',
      within: ours.perSecond >= 4000 && ours.p99 < 20,
      peer,
    },
  ]
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

async function ourLoad(machine: TestMachine): Promise<Load> {
  const pki = join(machine.home, 'pki')
  const [ca, cert, key] = await Promise.all(['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFile(join(pki, name))))
  const server = /server: (\S+)/.exec(await readFile(join(machine.home, 'kubeconfig'), 'utf8'))?.[1] ?? ''
  const items = Array.from({ length: 28 }, (_, index) => ({
    name: `disk-${index}`,
    size: index,
    tags: ['fast', 'encrypted', 'replicated-in-two-zones'],
  }))
  const options = { ca, cert, key } as SecureClientSessionOptions
  return drive(server, options, (session, index) => {
    const object = {
      apiVersion: 'bench.steadyvm.io/v1',
      kind: 'Load',
      metadata: { name: `load-${index}`, namespace: 'default' },
      spec: { items },
    }
    return exchange(
      session,
      '/apis/bench.steadyvm.io/v1/namespaces/default/loads',
      'application/json',
      Buffer.from(JSON.stringify(object)),
      201,
    )
  })
}

async function etcdLoad(): Promise<Load | undefined> {
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
    return await drive(url, {}, (session, index) => {
      return exchange(
        session,
        '/etcdserverpb.KV/Put',
        'application/grpc',
        grpcFrame(putRequest(`/registry/loads/default/load-${index}`, value)),
        200,
      )
    })
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

async function drive(
  server: string,
  options: SecureClientSessionOptions,
  write: (session: ClientHttp2Session, index: number) => Promise<void>,
): Promise<Load> {
  const sessions = Array.from({ length: 4 }, () => connect(server, options))
  let next = 0
  const latencies: number[] = []
  const client = async (session: ClientHttp2Session): Promise<void> => {
    while (next < WRITES) {
      const index = next++
      const started = performance.now()
      await write(session, index)
      latencies.push(performance.now() - started)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(sessions[index % sessions.length] as ClientHttp2Session)))
  const seconds = (performance.now() - started) / 1000
  for (const session of sessions) session.close()
  // The first tenth warms both sides up.
  const settled = latencies.slice(Math.floor(latencies.length / 10))
  return { perSecond: WRITES / seconds, p50: percentile(settled, 0.5), p99: percentile(settled, 0.99) }
}

function exchange(session: ClientHttp2Session, path: string, type: string, body: Buffer, wanted: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type, te: 'trailers' })
    let status = 0
    let answer = ''
    stream.on('response', (headers) => (status = Number(headers[':status'])))
    stream.on('data', (chunk: Buffer) => (answer += status === wanted ? '' : chunk.toString()))
    stream.on('error', reject)
    stream.on('end', () => (status === wanted ? resolve() : reject(new Error(`${path} answered ${status}: ${answer.slice(0, 300)}`))))
    stream.end(body)
  })
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
