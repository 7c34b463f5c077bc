import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createTestNode, eventually, podIn, shellPod } from '../kubelet.fixture.ts'
import { canMount } from '../process/mount-namespace.ts'

const noMounts = (await canMount()) ? false : 'mounting takes privileges that this process has not'

function podWith(script: string, container: Partial<Container>, spec: Partial<PodSpec> = {}): Pod {
  const pod = shellPod('a', script, spec)
  return {
    ...pod,
    spec: { ...pod.spec, terminationGracePeriodSeconds: 1, containers: pod.spec.containers.map((one) => ({ ...one, ...container })) },
  }
}
const isReady = (api: MemoryApi): boolean => podIn(api, 'a')?.status?.containerStatuses?.[0]?.ready === true
const sh = (script: string): { exec: { command: string[] } } => ({ exec: { command: ['sh', '-c', script] } })

suite('hooks', () => {
  test('after the start delay readiness until they end', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const go = join(node.directory, 'go')
    const postStart = sh(`while [ ! -e ${go} ]; do sleep 0.02; done`)
    await api.create(pods, podWith(`sleep 0.3; touch ${go}.ran; exec sleep 1000`, { lifecycle: { postStart } }))
    await eventually(() => existsSync(`${go}.ran`))
    assert.equal(isReady(api), false)

    writeFileSync(go, '')
    await eventually(() => isReady(api))
  })

  test('after the start that fail kill the container, and are reported', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const events: string[] = []
    node.start({ onEvent: (_pod, _type, reason, message) => events.push(`${reason}: ${message}`) })
    await api.create(pods, podWith('exec sleep 1000', { lifecycle: { postStart: sh('echo no; exit 1') } }, { restartPolicy: 'Never' }))
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Failed')
    assert.ok(events.some((event) => event.startsWith('FailedPostStartHook: PostStartHook failed: no')))
  })

  test('before the stop support HTTP requests', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    await api.create(pods, podWith('exec sleep 1000', { lifecycle: { preStop: { httpGet: { path: '/bye', port } } } }))
    await eventually(() => isReady(api))
    await api.delete(pods, { namespace: 'default', name: 'a' })
    await eventually(() => podIn(api, 'a') === undefined)
    assert.deepEqual(asked, ['/bye'])
    server.close()
  })
})

suite('activeDeadlineSeconds', () => {
  test('terminates the pod at its deadline, also one that would restart', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    await api.create(pods, podWith('exec sleep 1000', {}, { activeDeadlineSeconds: 1 }))
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Failed' && node.processes().length === 0)
    const status = await eventually(() => {
      const { status: found } = podIn(api, 'a') ?? {}
      return found?.containerStatuses?.[0]?.state?.terminated === undefined ? undefined : found
    })
    assert.deepEqual([status.phase, status.reason], ['Failed', 'DeadlineExceeded'])
    assert.equal(status.message, 'Pod was active on the node longer than the specified deadline')
  })

  test('does not change a pod that has ended before', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const stop = node.start()
    await api.create(pods, podWith('exit 0', {}, { activeDeadlineSeconds: 1, restartPolicy: 'Never' }))
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Succeeded')
    await stop()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    node.start()
    await eventually(() => node.processes().length === 0)
    assert.equal(podIn(api, 'a')?.status?.phase, 'Succeeded')
  })
})

suite('the termination message', () => {
  test('is the content of the termination message file', { skip: noMounts }, async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const path = join(node.directory, 'words')
    const container = { terminationMessagePath: path, volumeMounts: [{ name: 'v', mountPath: join(node.directory, 'v') }] }
    await api.create(
      pods,
      podWith(`echo log; printf 'all is well' > ${path}`, container, { restartPolicy: 'Never', volumes: [{ name: 'v', emptyDir: {} }] }),
    )
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Succeeded')
    assert.equal(podIn(api, 'a')?.status?.containerStatuses?.[0]?.state?.terminated?.message, 'all is well')
    assert.equal(readFileSync(path, 'utf8'), '')
  })
})
