import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nodes, pods, secrets } from '#api/core/v1/resources.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { MemoryApi } from '../memory-api.fixture.ts'
import { ImageNeverPulled } from './images/image-never-pulled.ts'
import { createTestNode, eventually, isWritten, podIn, shellPod } from './kubelet.fixture.ts'

const manifest = (script: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: kube-system }
spec:
  terminationGracePeriodSeconds: 1
  containers: [{ name: main, image: shell, command: [/bin/sh, -c, ${JSON.stringify(script)}] }]
`

suite('createKubelet() on a full disk', () => {
  test('reports DiskPressure and its end', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const full = { capacityBytes: 100 * 2 ** 30, availableBytes: 2 ** 20, inodes: 100, inodesFree: 100 }
    const pressure = (): string | undefined => {
      const found = api.peek(nodes, '', 'n1')?.status?.conditions?.find(({ type }) => type === 'DiskPressure')
      return found === undefined ? undefined : `${found.status} ${found.reason ?? ''}`
    }
    const stop = node.start({ readDisk: () => Promise.resolve(full) })
    await eventually(() => pressure() === 'True KubeletHasDiskPressure')
    await stop()
    node.start({ readDisk: () => Promise.resolve({ ...full, availableBytes: 50 * 2 ** 30 }) })
    await eventually(() => pressure() === 'False KubeletHasNoDiskPressure')
  })
})

suite('createKubelet()', () => {
  test('refuses a pod whose host port another one has, also after it was killed', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const container = { name: 'main', image: 'shell', command: ['sleep', '1000'], ports: [{ containerPort: 80, hostPort: 80 }] }
    const stop = node.start()
    await api.create(pods, shellPod('first', '', { containers: [container] }))
    await eventually(() => podIn(api, 'first')?.status?.phase === 'Running')
    await stop()
    await api.create(pods, shellPod('second', '', { containers: [container] }))
    node.start()
    const refused = await eventually(() => podIn(api, 'second')?.status?.phase === 'Failed' && podIn(api, 'second'))
    assert.equal(refused.status?.reason, 'NodePorts')
    assert.equal(podIn(api, 'first')?.status?.phase, 'Running')
    await api.delete(pods, { namespace: 'default', name: 'second' })
    await eventually(() => podIn(api, 'second') === undefined)
    await api.delete(pods, { namespace: 'default', name: 'first' }, { gracePeriodSeconds: 0 })
    await eventually(() => podIn(api, 'first') === undefined)
    await api.create(pods, shellPod('third', '', { containers: [container] }))
    await eventually(() => podIn(api, 'third')?.status?.phase === 'Running')
  })

  test('runs static pods while the API cannot be reached, and shows them once it can', async () => {
    const api = new MemoryApi()
    api.reachable = false
    await using node = createTestNode(api)
    mkdirSync(join(node.directory, 'manifests'))
    writeFileSync(join(node.directory, 'manifests', 'web.yaml'), manifest('exec sleep 1000'))
    node.start()
    const [found] = await eventually(() => node.processes().length > 0 && node.processes())
    assert.strictEqual(found?.environment['POD_NAME'], 'web-n1')
    api.reachable = true
    const mirror = await eventually(() => {
      const shown = api.peek(pods, 'kube-system', 'web-n1')
      return shown?.status?.phase === 'Running' && shown
    })
    assert.notStrictEqual(mirror.metadata.annotations?.['kubernetes.io/config.mirror'], undefined)
    rmSync(join(node.directory, 'manifests', 'web.yaml'))
    await eventually(() => api.all(pods).length === 0 && node.processes().length === 0)
  })

  test('replaces a static pod whose manifest has changed, never running both', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    mkdirSync(join(node.directory, 'manifests'))
    const path = join(node.directory, 'manifests', 'web.yaml')
    const lock = join(node.directory, 'lock')
    const script = (tag: string): string =>
      `mkdir ${lock} || exit 9; trap 'rmdir ${lock}; exit 0' TERM; echo ${tag} > ${lock}.tag; while :; do sleep 0.02; done`
    writeFileSync(path, manifest(script('one')))
    node.start()
    await eventually(() => existsSync(`${lock}.tag`))
    writeFileSync(path, manifest(script('two')))
    await eventually(() => readFileSync(`${lock}.tag`, 'utf8').trim() === 'two')
  })

  test('brings a bound pod to Running and Ready with one status write', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    await api.create(pods, shellPod('a', 'echo hello; exec sleep 1000'))
    const pod = await eventually(() => podIn(api, 'a')?.status?.phase === 'Running' && podIn(api, 'a'))
    assert.deepStrictEqual(pod.status?.conditions?.find((condition) => condition.type === 'Ready')?.status, 'True')
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepStrictEqual(
      api.writes('pods').map((call) => `${call.verb} ${call.subresource}`),
      ['create ', 'patch status'],
    )
    const log = join(node.directory, 'pods', pod.metadata.uid ?? '', 'containers', 'main', '0.log')
    // The pod is Running before its shell has written anything.
    await eventually(() => isWritten(log))
    assert.strictEqual(readFileSync(log, 'utf8'), 'hello\n')
  })

  test('terminates a deleted pod gracefully and removes it from the API', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const out = join(node.directory, 'out')
    await api.create(pods, shellPod('a', `trap 'echo term >> ${out}; exit 7' TERM; echo up > ${out}; while :; do sleep 0.02; done`))
    await eventually(() => isWritten(out) && podIn(api, 'a')?.status?.phase === 'Running')
    const states: (number | undefined)[] = []
    const stop = new AbortController()
    const watching = (async () => {
      for await (const event of api.watch(pods, { signal: stop.signal })) {
        states.push(event.object.status?.containerStatuses?.[0]?.state?.terminated?.exitCode)
        if (event.type === 'DELETED') return
      }
    })()
    await api.delete(pods, { namespace: 'default', name: 'a' })
    await eventually(() => podIn(api, 'a') === undefined)
    await watching
    stop.abort()
    assert.strictEqual(readFileSync(out, 'utf8'), 'up\nterm\n')
    assert.deepStrictEqual(states, [undefined, 7, 7])
    await eventually(() => readdirSync(join(node.directory, 'pods')).length === 0)
  })

  test('kills processes that ignore SIGTERM at the end of the grace period', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    const out = join(node.directory, 'out')
    await api.create(
      pods,
      shellPod('a', `trap '' TERM; echo up > ${out}; while :; do sleep 0.02; done`, { terminationGracePeriodSeconds: 1 }),
    )
    await eventually(() => isWritten(out))
    await api.delete(pods, { namespace: 'default', name: 'a' })
    await eventually(() => podIn(api, 'a') === undefined && node.processes().length === 0)
  })

  test('restarts failed containers, first at once and then with back-off', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    await api.create(pods, shellPod('a', 'exit 3'))
    const status = await eventually(() => {
      const found = podIn(api, 'a')?.status?.containerStatuses?.[0]
      return found?.state?.waiting?.reason === 'CrashLoopBackOff' && found
    })
    assert.strictEqual(status.restartCount, 1)
    assert.strictEqual(status.lastState?.terminated?.exitCode, 3)
    await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.restartCount === 2)
  })

  test('reports Succeeded and Failed for pods that run to completion', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    await api.create(pods, shellPod('good', 'exit 0', { restartPolicy: 'Never' }))
    await api.create(pods, shellPod('bad', 'exit 1', { restartPolicy: 'Never' }))
    await eventually(() => podIn(api, 'good')?.status?.phase === 'Succeeded' && podIn(api, 'bad')?.status?.phase === 'Failed')
  })

  test('reports why an image is not available', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    await api.create(pods, shellPod('a', '', { containers: [{ name: 'main', image: 'missing' }] }))
    await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImagePull')
    await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ImagePullBackOff')
  })

  test('starts a pod when the missing image of a volume appears', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const images = join(node.directory, 'images')
    node.start({
      resolveImage: (reference) =>
        reference === 'disk' && !existsSync(images)
          ? Promise.reject(new RangeError('no such image'))
          : Promise.resolve({ rootDirectory: reference === 'disk' ? images : '/', entrypoint: [] }),
    })
    await api.create(pods, shellPod('a', 'exec sleep 1000', { volumes: [{ name: 'v', image: { reference: 'disk' } }] }))
    const waiting = await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.state?.waiting)
    assert.strictEqual(waiting.reason, 'ErrImagePull')
    assert.match(waiting.message ?? '', /"disk"/)
    await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ImagePullBackOff')
    mkdirSync(images)
    const pod = await eventually(() => podIn(api, 'a')?.status?.phase === 'Running' && podIn(api, 'a'))
    const link = join(node.directory, 'pods', pod.metadata.uid ?? '', 'volumes/kubernetes.io~image/v')
    assert.strictEqual(readlinkSync(link), images)
  })

  test('pulls images of volumes with the policy and the logins of the pod, and stops when the pod is deleted', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const events: string[] = []
    let asked: object | undefined
    node.start({
      onEvent: (_pod, _type, reason, message) => void events.push(`${reason}: ${message}`),
      resolveImage: async (reference, user) => {
        if (reference !== 'quay.io/disk' || user === undefined) return { rootDirectory: '/', entrypoint: [] }
        asked = { policy: user.policy, logins: await user.logins() }
        user.onEvent('Normal', 'Pulling', 'Pulling image "quay.io/disk"')
        return new Promise((_resolve, reject) => user.signal.addEventListener('abort', () => reject(user.signal.reason as Error)))
      },
    })
    const auths = { 'quay.io': { username: 'me', password: 'secret' } }
    const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') }
    await api.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'default' }, data })
    const volumes = [{ name: 'v', image: { reference: 'quay.io/disk' } }]
    await api.create(pods, shellPod('a', 'exec sleep 1000', { volumes, imagePullSecrets: [{ name: 'login' }, { name: 'missing' }] }))
    await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ContainerCreating')
    assert.deepEqual(asked, { policy: 'Always', logins: [{ address: 'quay.io', user: 'me', password: 'secret' }] })
    await api.delete(pods, { namespace: 'default', name: 'a' })
    await eventually(() => podIn(api, 'a') === undefined)
    assert.deepEqual(
      events.map((event) => event.split(':')[0]),
      ['FailedToRetrieveImagePullSecret', 'Pulling'],
    )
    assert.match(events[0] ?? '', /\(missing\)/)
  })

  test('an image that is not here and must not be pulled has its own reason', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start({
      resolveImage: async (_reference, user) => {
        if (user?.policy === 'Never') throw new ImageNeverPulled('Container image "quay.io/disk" is not present')
        return { rootDirectory: '/', entrypoint: [] }
      },
    })
    const volumes = [{ name: 'v', image: { reference: 'quay.io/disk', pullPolicy: 'Never' } }]
    await api.create(pods, shellPod('a', 'exec sleep 1000', { volumes }))
    const waiting = await eventually(() => podIn(api, 'a')?.status?.containerStatuses?.[0]?.state?.waiting)
    assert.deepEqual(waiting, { reason: 'ErrImageNeverPull', message: 'Container image "quay.io/disk" is not present' })
  })

  test('restarts ended containers at once after a kubelet restart, without the earlier back-off', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await api.create(pods, shellPod('a', 'exec sleep 1000'))
    for (let run = 0; run < 5; run++) {
      const stop = node.start()
      const since = systemClock.now()
      await eventually(() => node.processes().length === 1 && podIn(api, 'a')?.status?.containerStatuses?.[0]?.restartCount === run)
      assert.ok(systemClock.now() - since < 900, `run ${run} had to wait`)
      await stop()
      for (const { pid } of node.processes()) process.kill(pid, 'SIGKILL')
      await eventually(() => node.processes().length === 0)
    }
  })

  test('runs system-critical pods at a higher CPU priority than all others', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    node.start()
    await api.create(pods, shellPod('critical', 'exec sleep 1000', { priorityClassName: 'system-node-critical' }))
    await api.create(pods, shellPod('other', 'exec sleep 1000'))
    const found = await eventually(() => node.processes().length === 2 && node.processes())
    const niceness = found.map(({ pid, environment }) => [environment['POD_NAME'], getPriority(pid)])
    const own = getPriority()
    assert.deepStrictEqual(Object.fromEntries(niceness), { critical: own, other: Math.max(own, 10) })
  })

  test('adopts running processes of an earlier kubelet', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const stop = node.start()
    await api.create(pods, shellPod('a', 'exec sleep 1000'))
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Running')
    const before = node.processes().map((found) => found.pid)
    await stop()
    const writes = api.writes('pods').length
    node.start()
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.deepStrictEqual(
      node.processes().map((found) => found.pid),
      before,
    )
    assert.strictEqual(api.writes('pods').length, writes)
    process.kill(before[0] ?? 0, 'SIGKILL')
    const status = await eventually(() => {
      const found = podIn(api, 'a')?.status?.containerStatuses?.[0]
      return found?.restartCount === 1 && found.state?.running !== undefined && found
    })
    assert.strictEqual(status.lastState?.terminated?.reason, 'ContainerStatusUnknown')
  })

  test('kills the processes of a pod that was removed from the API while the kubelet was stopped', async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    const stop = node.start()
    await api.create(pods, shellPod('a', 'exec sleep 1000'))
    await eventually(() => podIn(api, 'a')?.status?.phase === 'Running')
    await stop()
    await api.delete(pods, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
    node.start()
    await eventually(() => node.processes().length === 0 && readdirSync(join(node.directory, 'pods')).length === 0)
  })
})
