import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { pods } from '#api/core/v1/resources.ts'
import { controlGroupObstacle, openControlGroups, type ControlGroups } from '#runtime/isolation/control-groups.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createTestNode, eventually, podIn, shellPod, type TestNode } from '../kubelet.fixture.ts'
import { podOfGroup } from './container-limits.ts'

suite('limits of containers', { skip: controlGroupObstacle() ?? false }, () => {
  let api: MemoryApi
  let node: TestNode
  let groups: ControlGroups
  let stop: () => Promise<void>
  before(() => {
    api = new MemoryApi()
    node = createTestNode(api)
    groups = openControlGroups(`steadyvm-test-limits-${process.pid}`)
    stop = node.start({ groups })
  })
  after(async () => {
    await node[Symbol.asyncDispose]()
    for (const name of groups.names()) await eventually(() => groups.remove(name))
    assert.ok(groups.close())
  })

  const create = (name: string, script: string, limits: Readonly<Record<string, string>>): Promise<unknown> =>
    api.create(pods, shellPod(name, '', { restartPolicy: 'Never', containers: [containerOf(script, limits)] }))
  const containerOf = (script: string, limits: Readonly<Record<string, string>>) => ({
    name: 'main',
    image: 'i',
    command: ['/bin/sh', '-c', script],
    resources: { limits },
  })
  const statusOf = (name: string) => podIn(api, name)?.status?.containerStatuses?.[0]
  const groupOf = (name: string): string => `${podIn(api, name)?.metadata.uid ?? ''}_main_0`
  const podsWithGroups = (): (string | undefined)[] => ['greedy', 'resized'].map((name) => podIn(api, name)?.metadata.uid)

  test('a container that exceeds its memory is reported as OOMKilled', async () => {
    await create('greedy', `exec ${process.execPath} -e 'const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1))'`, {
      memory: '64Mi',
    })
    const exit = await eventually(() => statusOf('greedy')?.state?.terminated)
    assert.deepEqual([exit.reason, exit.exitCode], ['OOMKilled', 137])
    await eventually(() => !groups.names().includes(groupOf('greedy')))
  })
  test('a resize takes effect, and a limit below what is in use does not', async () => {
    const file = join(node.directory, 'grow')
    const script = `setInterval(() => { if (fs.existsSync("${file}")) { globalThis.kept = Buffer.alloc(256 << 20, 1); fs.renameSync("${file}", "${file}n") } }, 5)`
    await create('resized', `exec ${process.execPath} -e '${script}'`, { memory: '128Mi' })
    await eventually(() => statusOf('resized')?.state?.running)
    const set = async (memory: string): Promise<void> => {
      const pod = podIn(api, 'resized') ?? assert.fail('the pod is gone')
      const containers = pod.spec.containers.map((container) => ({ ...container, resources: { limits: { memory } } }))
      await api.update(pods, { ...pod, spec: { ...pod.spec, containers } })
    }
    const limit = (): unknown => statusOf('resized')?.resources?.limits?.['memory']
    await set('512Mi')
    await eventually(() => limit() === '512Mi')
    writeFileSync(file, '')
    await eventually(() => existsSync(`${file}n`))
    await set('64Mi')
    await eventually(() => podIn(api, 'resized')?.status?.observedGeneration === podIn(api, 'resized')?.metadata.generation)
    assert.equal(limit(), '512Mi')
    assert.ok(statusOf('resized')?.state?.running)
  })
  test('what has left its process group ends with its pod, also when the kubelet was killed', async () => {
    const file = join(node.directory, 'lost')
    await create('lost', `env -i setsid /bin/sh -c 'echo $$ >${file}; exec sleep 1000' & wait`, {})
    const pid = Number(await eventually(() => existsSync(file) && readFileSync(file, 'utf8').trim()))
    await stop()
    await api.delete(pods, { namespace: 'default', name: 'lost' }, { gracePeriodSeconds: 0 })
    stop = node.start({ groups })
    await eventually(() => !existsSync(`/proc/${pid}`) || /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')))
    await eventually(() => groups.names().every((name) => podsWithGroups().includes(podOfGroup(name))))
  })
})
