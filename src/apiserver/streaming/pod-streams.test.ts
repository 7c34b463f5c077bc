import assert from 'node:assert/strict'
import { once } from 'node:events'
import { duplexPair, type Duplex, PassThrough } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { WebSocket } from 'ws'
import { badRequest, type Status } from '#apimachinery/errors.ts'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { connectTo } from '#apiserver/http/http2-client.fixture.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import type { NodeSession, NodeStreams, PortRequest, SessionRequest, TerminalSize } from './node-streams.ts'

const success: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }
const failure: Status = {
  ...success,
  status: 'Failure',
  message: 'exit status 3',
  details: { causes: [{ reason: 'ExitCode', message: '3' }] },
}

/**
 * A node whose commands echo their input in capitals, write "oops" to stderr, and exit with 3 at
 * the end of input.
 */
class FakeNode implements NodeStreams {
  readonly asked: (SessionRequest | PortRequest)[] = []
  readonly sizes: TerminalSize[] = []
  readonly ended = new PassThrough()

  async session(request: SessionRequest): Promise<NodeSession> {
    this.asked.push(request)
    if (request.command[0] === 'missing') throw badRequest('executable file not found')
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const { promise: status, resolve } = Promise.withResolvers<Status>()
    stdin.on('data', (chunk: Buffer) => stdout.write(chunk.toString().toUpperCase()))
    const finish = (): void => {
      stdout.end()
      stderr.end('oops')
      resolve(request.command[0] === 'true' ? success : failure)
    }
    stdin.once('end', finish)
    if (!request.stdin) finish()
    return {
      stdin,
      stdout,
      stderr,
      status,
      resize: (size) => void this.sizes.push(size),
      [Symbol.dispose]: () => {
        resolve(failure)
        this.ended.write('x')
      },
    }
  }

  async connect(request: PortRequest): Promise<Duplex> {
    this.asked.push(request)
    if (request.port === 9) throw badRequest('connection refused')
    const [near, far] = duplexPair()
    far.on('data', (chunk: Buffer) => far.write(chunk.toString().toUpperCase()))
    far.once('end', () => far.end())
    return near
  }
}

suite('podStreamRoutes()', () => {
  const node = new FakeNode()
  let server: TestServer
  before(async () => {
    server = await startTestServer({ definitions: builtinDefinitions(), streams: node })
    using client = connectTo(server)
    const headers = { 'content-type': 'application/json' }
    await client.request('POST', '/api/v1/namespaces', {
      headers,
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
    })
    const container = (name: string): object => ({ name, image: 'x' })
    for (const [name, spec] of [
      ['one', { nodeName: 'n1', containers: [container('main')] }],
      ['two', { nodeName: 'n1', containers: [container('a'), container('b')], initContainers: [container('i')] }],
      ['homeless', { containers: [container('main')] }],
    ] as const) {
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }
      assert.equal((await client.request('POST', '/api/v1/namespaces/default/pods', { headers, body })).status, 201)
      const patch = { status: { phase: 'Running' } }
      const merge = { 'content-type': 'application/merge-patch+json' }
      await client.request('PATCH', `/api/v1/namespaces/default/pods/${name}/status`, { headers: merge, body: patch })
    }
  })
  after(() => server[Symbol.asyncDispose]())

  const open = (path: string, protocols: readonly string[], options: object = {}): WebSocket =>
    new WebSocket(`${server.server.url.replace('https', 'wss')}/api/v1/namespaces/default/pods/${path}`, [...protocols], {
      ca: server.authority.cert,
      cert: server.admin.cert,
      key: server.admin.key,
      ...options,
    })
  /** Collects the data of each channel until the connection closes. */
  const collect = async (socket: WebSocket, base64 = false): Promise<Record<number, string>> => {
    const said: Record<number, string> = {}
    socket.on('message', (data: Buffer) => {
      const channel = base64 ? (data[0] ?? 0) - 0x30 : (data[0] ?? 0)
      const text = base64 ? Buffer.from(data.toString('latin1', 1), 'base64').toString() : data.toString('utf8', 1)
      said[channel] = (said[channel] ?? '') + text
    })
    await once(socket, 'close')
    return said
  }
  const refusal = async (socket: WebSocket): Promise<[number, string]> => {
    socket.on('error', () => {})
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, AsyncIterable<Buffer> & { statusCode: number }]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return [response.statusCode, (JSON.parse(Buffer.concat(chunks).toString()) as Status).message ?? '']
  }
  const all = 'stdin=true&stdout=true&stderr=true'

  test('v5 separates channels, half-closes, and reports the exit code', async () => {
    const socket = open(`one/exec?command=sh&command=-c&${all}`, ['v5.channel.k8s.io'])
    const said = collect(socket)
    await once(socket, 'open')
    assert.equal(socket.protocol, 'v5.channel.k8s.io')
    socket.send(Buffer.from('\0hello', 'latin1'))
    socket.send(Buffer.from('\x04{"Width":100,"Height":30}', 'latin1'))
    socket.send(Buffer.from('\x04{"Width":-1}', 'latin1'))
    socket.send(Buffer.from([255, 0]))
    const { 3: end, ...output } = await said
    assert.deepEqual(output, { 1: 'HELLO', 2: 'oops' })
    assert.deepEqual(JSON.parse(end ?? ''), failure)
    assert.deepEqual(node.sizes, [{ width: 100, height: 30 }])
    const address = { kind: 'exec', node: 'n1', namespace: 'default', pod: 'one', container: 'main', command: ['sh', '-c'] }
    assert.deepEqual(node.asked.at(-1), { ...address, stdin: true, stdout: true, stderr: true, tty: false })
  })

  for (const [protocol, base64, words] of [
    ['v4.channel.k8s.io', false, JSON.stringify(failure)],
    ['v4.base64.channel.k8s.io', true, JSON.stringify(failure)],
    ['base64.channel.k8s.io', true, 'exit status 3'],
    ['channel.k8s.io', false, 'exit status 3'],
    [undefined, false, 'exit status 3'],
  ] as const) {
    test(`${protocol ?? 'no protocol'} carries output and result in its format`, async () => {
      const socket = open('one/exec?command=x&stdout=1&stderr=1', protocol === undefined ? [] : [protocol])
      assert.deepEqual(await collect(socket, base64), { 1: '', 2: 'oops', 3: words })
    })
  }

  test('exec with a terminal has no stderr, and ends with its client', async () => {
    const socket = open(`one/exec?command=sh&tty=true&${all}`, ['v5.channel.k8s.io'])
    await once(socket, 'open')
    const asked = node.asked.at(-1)
    assert.ok(asked !== undefined && 'tty' in asked)
    assert.deepEqual([asked.tty, asked.stderr], [true, false])
    const ended = once(node.ended, 'readable')
    node.ended.read()
    socket.terminate()
    await ended
  })

  for (const [path, code, message] of [
    ['one/exec?stdout=1', 400, 'you must specify at least one command for the container'],
    ['one/exec?command=x', 400, 'you must specify at least 1 of stdin, stdout, stderr'],
    ['one/exec?command=missing&stdout=1', 400, 'executable file not found'],
    [
      'two/exec?command=x&stdout=1',
      400,
      'a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [i]',
    ],
    ['two/attach?container=c&stdout=1', 400, 'container c is not valid for pod two'],
    ['homeless/exec?command=x&stdout=1', 400, 'pod homeless does not have a host assigned'],
    ['none/exec?command=x&stdout=1', 404, 'pods "none" not found'],
  ] as const) {
    test(`${path} is refused with ${code}`, async () => {
      assert.deepEqual(await refusal(open(path, ['v5.channel.k8s.io'])), [code, message])
    })
  }

  test('unknown protocols, plain requests and unauthorized users are refused', async () => {
    const [code, message] = await refusal(open('one/exec?command=x&stdout=1', ['v9.channel.k8s.io']))
    assert.equal(code, 403)
    assert.match(message, /unable to negotiate protocol: client supports \[v9\.channel\.k8s\.io\], server accepts \[/)
    using client = connectTo(server)
    const plain = await client.request('POST', '/api/v1/namespaces/default/pods/one/exec?command=x&stdout=1')
    assert.deepEqual([plain.status, (plain.value as Status).message], [400, 'Upgrade request required'])
    const bob = { cert: undefined, key: undefined, headers: { authorization: 'Bearer bob-token' } }
    assert.equal((await refusal(open('one/exec?command=x&stdout=1', ['v5.channel.k8s.io'], bob)))[0], 403)
  })

  test('port-forward over channels reports errors per port', async () => {
    const socket = open('one/portforward?ports=80&ports=9', ['v4.channel.k8s.io'])
    const said: Record<number, string> = {}
    const heard = Promise.withResolvers<void>()
    socket.on('message', (data: Buffer) => {
      const channel = data[0] ?? 0
      said[channel] = (said[channel] ?? '') + data.toString('latin1', 1)
      if (said[0]?.endsWith('HELLO') === true && (said[3]?.length ?? 0) > 2) heard.resolve()
    })
    await once(socket, 'open')
    socket.send(Buffer.from('\0hello', 'latin1'))
    await heard.promise
    assert.deepEqual([said[0], said[1], said[2]], ['\x50\0HELLO', '\x50\0', '\x09\0'])
    assert.match(said[3] ?? '', /error forwarding port 9 to pod .*connection refused/)
    socket.terminate()
    assert.deepEqual((await refusal(open('one/portforward?ports=0', ['v4.channel.k8s.io'])))[0], 400)
  })

  test('a shutdown ends all streams', async () => {
    const socket = open(`one/exec?command=sh&${all}`, ['v5.channel.k8s.io'])
    await once(socket, 'open')
    const closed = once(socket, 'close')
    await server.server.stop(1_000)
    await closed
    assert.deepEqual(server.failures, [])
  })
})
