import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createTestNode, eventually, isWritten, podIn, shellPod } from '../kubelet.fixture.ts'
import { check } from './check.ts'
import { startContainerProbes } from './container-probes.ts'
import { startProber } from './prober.ts'

function probed(name: string, script: string, container: Partial<Container>): Pod {
  const pod = shellPod(name, script)
  return {
    ...pod,
    spec: { ...pod.spec, terminationGracePeriodSeconds: 1, containers: pod.spec.containers.map((one) => ({ ...one, ...container })) },
  }
}

const readyIn = (api: MemoryApi, name: string): boolean =>
  podIn(api, name)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true

suite('startProber()', () => {
  test('needs failureThreshold consecutive failures', async () => {
    const clock = createVirtualClock()
    const answers = [true, false, false, true, false, false, false]
    const verdicts: boolean[] = []
    using _prober = startProber({
      clock,
      probe: { periodSeconds: 1 },
      check: () => Promise.resolve({ success: answers.shift() ?? true, message: '' }),
      onVerdict: (success) => verdicts.push(success),
    })
    await clock.advance(6000)
    assert.deepEqual(verdicts, [true, true, false])
  })

  test('probes more often at first when eager, without counting those failures', async () => {
    const clock = createVirtualClock()
    const asked: number[] = []
    const start = clock.now()
    using _prober = startProber({
      clock,
      probe: { periodSeconds: 1, failureThreshold: 1 },
      eager: true,
      check: () => {
        asked.push(clock.now() - start)
        return Promise.resolve({ success: asked.length > 3, message: '' })
      },
      onVerdict: (success) => assert.equal(success, true),
    })
    await clock.advance(2000)
    assert.deepEqual(asked.slice(0, 5), [0, 100, 300, 700, 1700])
  })
})

suite('check()', () => {
  test('accepts only 2xx and 3xx as healthy', async () => {
    const codes = [200, 302, 404, 500]
    const server = createServer((_request, response) => response.writeHead(codes.shift() ?? 200).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const target = { container: { name: 'main', ports: [{ name: 'web', containerPort: port }] }, pid: 0, host: '127.0.0.1' }
    const results: boolean[] = []
    for (let index = 0; index < 4; index++) {
      results.push((await check(systemClock, { httpGet: { port: 'web' } }, target, new AbortController().signal)).success)
    }
    const tcp = await check(systemClock, { tcpSocket: { port } }, target, new AbortController().signal)
    await new Promise((resolve) => server.close(resolve))
    assert.deepEqual(results, [true, true, false, false])
    assert.equal(tcp.success, true)
    assert.equal((await check(systemClock, { tcpSocket: { port } }, target, new AbortController().signal)).success, false)
  })

  test('kills a command and its children at its time limit', async () => {
    const answer = await check(
      systemClock,
      { exec: { command: ['/bin/sh', '-c', 'sleep 1000 & sleep 1000'] }, timeoutSeconds: 0.1 },
      { container: { name: 'main' }, pid: process.pid, host: '' },
      new AbortController().signal,
    )
    assert.equal(answer.success, false)
  })
})

suite('check() by gRPC', () => {
  const answers = { web: 1, down: 2 } as const

  test('checks the health of the named service', async () => {
    const server = createHttp2Server((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const name = Buffer.concat(chunks).toString('utf8', 7)
        const status = answers[name as 'web']
        response.writeHead(200, { 'content-type': 'application/grpc' })
        response.addTrailers({ 'grpc-status': status === undefined ? '5' : '0' })
        response.end(status === undefined ? '' : Buffer.from([0, 0, 0, 0, 2, 8, status]))
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const target = { container: { name: 'main' }, pid: process.pid, host: '127.0.0.1' }
    const { signal } = new AbortController()
    const ask = (grpc: object): ReturnType<typeof check> => check(systemClock, { grpc: { port, ...grpc } }, target, signal)
    assert.deepEqual(await ask({ service: 'web' }), { success: true, message: '' })
    assert.deepEqual(await ask({ service: 'down' }), { success: false, message: 'service unhealthy (responded with "NOT_SERVING")' })
    assert.match((await ask({ service: 'who' })).message, /grpc-status 5/)
    server.close()
    await once(server, 'close')
    assert.match((await ask({})).message, /failed to connect service/)
  })
})

suite('startContainerProbes()', () => {
  test('delays liveness and readiness probes until the startup probe has passed', () => {
    const container: Container = { name: 'main', startupProbe: { tcpSocket: { port: 1 } }, readinessProbe: { tcpSocket: { port: 1 } } }
    const target = { container, pid: 0, host: '127.0.0.1' }
    using probes = startContainerProbes({ clock: createVirtualClock(), target, onChange: () => {}, onUnhealthy: () => {} })
    assert.deepEqual([probes.started, probes.ready], [false, false])
  })
})

suite('the kubelet', () => {
  test('reports a pod ready while its readiness probe succeeds', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const flag = join(node.directory, 'flag')
    const readinessProbe = { exec: { command: ['/bin/sh', '-c', `[ -e ${flag} ]`] }, periodSeconds: 0.05, failureThreshold: 1 }
    await api.create(pods, probed('a', 'exec sleep 1000', { readinessProbe }))
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Running')
    assert.equal(readyIn(api, 'a'), false)
    writeFileSync(flag, '')
    await eventually(() => readyIn(api, 'a'))
    rmSync(flag)
    await eventually(() => !readyIn(api, 'a'))
  })

  test('restarts a container whose liveness probe fails', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const flag = join(node.directory, 'flag')
    const livenessProbe = { exec: { command: ['/bin/sh', '-c', `[ ! -e ${flag} ]`] }, periodSeconds: 0.05, failureThreshold: 2 }
    await api.create(pods, probed('a', `rm -f ${flag}; touch ${flag}.gone; exec sleep 1000`, { livenessProbe }))
    await eventually(() => existsSync(`${flag}.gone`))
    writeFileSync(flag, '')
    const status = await eventually(() => {
      const found = podIn(api, 'a')?.status?.containerStatuses?.[0]
      return found?.restartCount === 1 && found.state?.running !== undefined && found
    })
    assert.equal(status.lastState?.terminated?.exitCode, 143)
  })

  test('runs the preStop hook in the environment of the container before it ends it', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const out = join(node.directory, 'out')
    const lifecycle = { preStop: { exec: { command: ['/bin/sh', '-c', `echo "$COLOR stop" >> ${out}`] } } }
    const env = [{ name: 'COLOR', value: 'green' }]
    await api.create(
      pods,
      probed('a', `trap 'echo term >> ${out}; exit 0' TERM; echo up > ${out}; while :; do sleep 0.02; done`, { lifecycle, env }),
    )
    await eventually(() => isWritten(out))
    await api.delete(pods, { namespace: 'default', name: 'a' })
    await eventually(() => podIn(api, 'a') === undefined)
    assert.equal(readFileSync(out, 'utf8'), 'up\ngreen stop\nterm\n')
  })
})
