import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { pods } from '#api/core/v1/resources.ts'
import type { PodSpec } from '#api/core/v1/pod.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createTestNode, eventually, podIn, shellPod, type TestNode } from '../kubelet.fixture.ts'
import { trySignal } from '../process/process-identity.ts'
import { createStreamClient, type RemoteSession } from './stream-client.ts'

const { signal } = new AbortController()
const statusOf = (error: unknown): unknown => (error instanceof StatusError ? [error.code, error.message] : error)

async function startPod(api: MemoryApi, node: TestNode, script: string, spec: Partial<PodSpec> = {}): Promise<void> {
  node.start()
  await api.create(pods, shellPod('a', script, spec))
  await untilRunning(api, node)
}

async function untilRunning(api: MemoryApi, node: TestNode): Promise<void> {
  await eventually(() => podIn(api, 'a')?.status?.phase === 'Running' && existsSync(join(node.directory, 'kubelet.sock')))
}

function clientOf(node: TestNode): {
  exec(command: readonly string[], flags?: object): Promise<RemoteSession>
  attach(flags?: object): Promise<RemoteSession>
  connect(port: number): ReturnType<ReturnType<typeof createStreamClient>['connect']>
} {
  const client = createStreamClient(() => join(node.directory, 'kubelet.sock'))
  const address = { node: 'n1', namespace: 'default', pod: 'a' }
  const all = { stdin: true, stdout: true, stderr: true, tty: false }
  return {
    exec: (command, flags = {}) => client.session({ kind: 'exec', ...address, container: 'main', command, ...all, ...flags }, signal),
    attach: (flags = {}) =>
      client.session({ kind: 'attach', ...address, container: 'main', command: [], ...all, stdin: false, ...flags }, signal),
    connect: (port) => client.connect({ ...address, port }, signal),
  }
}

/** A command that says its pid and then lasts. */
const lasting = ['sh', '-c', 'echo $$; exec sleep 1000']

async function pidOf(session: RemoteSession): Promise<number> {
  const [chunk] = (await once(session.stdout, 'data')) as [Buffer]
  return Number(chunk.toString())
}

suite('exec in a container', () => {
  test('runs in its environment and working directory, with separate streams', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const container = {
      name: 'main',
      image: 'shell',
      command: ['sleep', '1000'],
      workingDir: '/usr',
      env: [{ name: 'COLOUR', value: 'red' }],
    }
    await startPod(api, node, '', { containers: [container] })
    using session = await clientOf(node).exec(['sh', '-c', 'cat; echo $COLOUR $PWD $POD_NAME; echo oops >&2; exit 3'])
    session.stdin.end('hello ')
    const [out, err, status] = await Promise.all([text(session.stdout), text(session.stderr), session.status])
    assert.deepEqual([out, err], ['hello red /usr a\n', 'oops\n'])
    assert.equal(status.details?.causes?.[0]?.message, '3')
  })

  for (const [what, end] of [
    ['the client disconnects', async (session) => session[Symbol.dispose]()],
    [
      'the container ends',
      async (_session, node) => trySignal(node.processes().find(({ variable }) => variable === 'STEADYVM_CONTAINER')?.pid ?? 0, 'SIGKILL'),
    ],
    ['the kubelet stops', async (_session, _node, stop) => stop()],
  ] as readonly [string, (session: RemoteSession, node: TestNode, stop: () => Promise<void>) => Promise<unknown>][]) {
    for (const tty of [false, true]) {
      test(`ends when ${what}${tty ? ', on a terminal too' : ''}`, async () => {
        const api = new MemoryApi()
        await using node = createTestNode(api)
        const stop = node.start()
        await api.create(pods, shellPod('a', 'exec sleep 1000', { restartPolicy: 'Never' }))
        await untilRunning(api, node)
        using session = await clientOf(node).exec(lasting, { tty, stderr: !tty })
        const pid = await pidOf(session)
        assert.ok(trySignal(pid, 0))
        await end(session, node, stop)
        await eventually(() => !trySignal(pid, 0))
      })
    }
  }

  test('of a killed kubelet is terminated by the next kubelet', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await startPod(api, node, 'exec sleep 1000')
    const session = await clientOf(node).exec(lasting)
    const pid = await pidOf(session)
    // A second kubelet, to which the first one looks dead, and which does not know of this session.
    node.start()
    await eventually(() => !trySignal(pid, 0))
    session[Symbol.dispose]()
  })

  test('of a client that stalls in either direction delays no other session', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await startPod(api, node, 'exec sleep 1000')
    const client = clientOf(node)
    using flooded = await client.exec(['cat', '/dev/zero'])
    using deaf = await client.exec(['sleep', '1000'])
    let sent = 0
    while (sent < 100 && deaf.stdin.write(Buffer.alloc(65_536))) sent += 1
    using busy = await client.exec(['sh', '-c', 'echo done'])
    busy.stdin.end()
    assert.equal(await text(busy.stdout), 'done\n')
    // Unread output waits in the process, not in the kubelet.
    assert.ok(flooded.stdout.readableLength < 1_000_000)
    assert.ok(sent < 20)
  })

  test('is refused with the reason', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await startPod(api, node, 'exec sleep 1000')
    const client = clientOf(node)
    await assert.rejects(
      client.exec(['/nowhere']),
      (error) => /no such file or directory/.test(String(error)) && (statusOf(error) as number[])[0] === 400,
    )
    await assert.rejects(client.exec(['/etc']), /permission denied/)
    await api.delete(pods, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
    await eventually(() => readdirSync(join(node.directory, 'pods')).length === 0)
    await assert.rejects(client.exec(['true']), /not on this node/)
  })
})

suite('attach', () => {
  test('sends new output of the container, and ends with it', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await startPod(api, node, 'echo before; read -r line < go; echo "after $line"', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'shell', command: ['sh', '-c', 'echo before; read -r line; echo "got $line"'], stdin: true }],
    })
    const [uid = ''] = readdirSync(join(node.directory, 'pods'))
    const logFile = join(node.directory, 'pods', uid, 'containers', 'main', '0.log')
    await eventually(() => readFileSync(logFile, 'utf8') === 'before\n')
    const client = clientOf(node)
    using watcher = await client.attach()
    using writer = await client.attach({ stdin: true, stdout: false })
    writer.stdin.write('this\n')
    assert.equal(await text(watcher.stdout), 'got this\n')
    assert.equal((await watcher.status).status, 'Success')
  })

  test('closes the input of a container with stdinOnce', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const container = { name: 'main', image: 'shell', command: ['sh', '-c', 'tr a-z A-Z'], stdin: true, stdinOnce: true }
    await startPod(api, node, '', { restartPolicy: 'Never', containers: [container] })
    using session = await clientOf(node).attach({ stdin: true })
    session.stdin.end('all of it')
    assert.equal(await text(session.stdout), 'ALL OF IT')
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Succeeded')
  })

  test('refuses input for a container without stdin', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await startPod(api, node, 'exec sleep 1000')
    await assert.rejects(clientOf(node).attach({ stdin: true }), /started without stdin/)
  })
})

suite('port-forward', () => {
  test('connects to the own address of a pod', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const pod = shellPod('a', 'exec sleep 1000')
    await api.create(pods, { ...pod, metadata: { ...pod.metadata, annotations: { 'steadyvm.io/own-address': 'true' } } })
    await untilRunning(api, node)
    const server = createServer((socket) => socket.end('reached')).listen(0, podIn(api, 'a')?.status?.podIP ?? '')
    await once(server, 'listening')
    assert.equal(await text(await clientOf(node).connect((server.address() as AddressInfo).port)), 'reached')
    server.close()
  })

  test('carries both directions with half-close, and reports a closed port', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await startPod(api, node, 'exec sleep 1000')
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      let said = ''
      socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
      socket.once('end', () => socket.end(`heard ${said}`))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const connection = await clientOf(node).connect(port)
    connection.end('all')
    assert.equal(await text(connection), 'heard all')
    server.close()
    await once(server, 'close')
    await assert.rejects(clientOf(node).connect(port), /failed to connect to localhost:\d+ inside the pod: connect ECONNREFUSED/)
  })
})
