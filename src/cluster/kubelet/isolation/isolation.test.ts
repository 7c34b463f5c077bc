import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { configMaps, namespaces, secrets } from '#api/core/v1/resources.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createTestNode, eventually, podIn, shellPod, type TestNode } from '../kubelet.fixture.ts'
import { cannotIsolate, createPodUsers } from './pod-users.ts'

suite('pods in namespaces of users', { skip: cannotIsolate() ?? false }, () => {
  let api: MemoryApi
  let node: TestNode
  let home = ''
  before(async () => {
    api = new MemoryApi()
    node = createTestNode(api)
    home = node.directory
    chmodSync(home, 0o700)
    writeFileSync(join(home, 'kubeconfig'), 'token of the administrator', { mode: 0o644 })
    await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } })
    await api.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'default' },
      data: { key: 'configured' },
    })
    await api.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default' },
      data: { key: btoa('secret') },
    })
    const image = join(home, 'image')
    mkdirSync(image)
    const users = createPodUsers({
      client: api,
      clock: systemClock,
      home,
      ranges: join(home, 'user-ranges'),
      systemNamespaces: ['kube-system'],
    })
    node.start({ users, resolveImage: () => Promise.resolve({ rootDirectory: image, entrypoint: [] }) })
  })
  after(() => node[Symbol.asyncDispose]())

  async function run(name: string, script: string, spec: Partial<PodSpec> = {}): Promise<{ code: number; log: string }> {
    await api.create(pods, shellPod(name, script, { restartPolicy: 'Never', ...spec }))
    const exit = await eventually(() => podIn(api, name)?.status?.containerStatuses?.[0]?.state?.terminated)
    const { uid = '' } = (podIn(api, name) as Pod).metadata
    return { code: exit.exitCode, log: readFileSync(join(home, 'pods', uid, 'containers/main/0.log'), 'utf8') }
  }

  test('run as an unprivileged user without capabilities, in the directory of their image', async () => {
    const { log } = await run(
      'who',
      'pwd; id -u; id -G; id -un; grep -E "CapEff|CapBnd|NoNewPrivs" /proc/self/status; echo "$HOME $STEADYVM_CONTAINER"',
    )
    const [directory, uid, groups, name, effective, bounding, noNewPrivs, last] = log.split('\n')
    assert.equal(directory, join(home, 'image'))
    assert.ok(Number(uid) >= 524_288, log)
    assert.equal(groups, uid)
    assert.equal(name, `pod${uid}`)
    assert.match(`${effective} ${bounding} ${noNewPrivs}`, /CapEff:\s0+ CapBnd:\s0+ NoNewPrivs:\s1/)
    assert.match(last ?? '', /^\/ .*\/main\/0$/)
  })
  test('cannot read the home of the machine, regardless of file modes', async () => {
    const { log } = await run('reader', `cat ${home}/kubeconfig; ls ${home}; ls ${home}/pods`)
    assert.doesNotMatch(log, /administrator/)
    assert.match(log, /No such file/)
  })
  test('get their environment unchanged', async () => {
    const value = `it's "quoted" $HOME\nsecond line`
    const container = { name: 'main', image: 'i', command: ['env'] }
    const env = [
      { name: 'VALUE', value },
      { name: 'a.b', value: 'c' },
      { name: 'LD_PRELOAD', value: '' },
    ]
    const { log } = await run('env', '', { containers: [{ ...container, env }] })
    for (const line of [`VALUE=${value}`, 'a.b=c', 'LD_PRELOAD=', 'HOME=/']) assert.ok(log.split(/\n(?!second)/).includes(line), log)
  })
  test('read their configuration, and write only their emptyDir', async () => {
    const mounts = [
      { name: 'c', mountPath: '/tmp/steadyvm-test/c' },
      { name: 's', mountPath: '/tmp/steadyvm-test/s' },
      { name: 'e', mountPath: '/tmp/steadyvm-test/e' },
    ]
    const script =
      'cd /tmp/steadyvm-test; cat c/key s/key; echo written >e/file && cat e/file; echo no >c/key; rm s/key; cat "$POD_DIR/pod.json"'
    const { log } = await run('volumes', '', {
      containers: [{ name: 'main', image: 'i', command: ['/bin/sh', '-c', script], volumeMounts: mounts }],
      volumes: [
        { name: 'c', configMap: { name: 'c' } },
        { name: 's', secret: { secretName: 's', defaultMode: 0o400 } },
        { name: 'e', emptyDir: {} },
      ],
      securityContext: { runAsUser: 1000, fsGroup: 2000 },
    })
    assert.match(log, /^configuredsecretwritten\n/)
    assert.equal(log.match(/Permission denied/g)?.length, 3, log)
  })
  test('cannot make root run their code through environment variables', async () => {
    const container = { name: 'main', image: 'i', command: ['/bin/sh', '-c', 'id -u'] }
    const env = [
      { name: 'PATH', value: '/tmp/steadyvm-evil:/usr/bin:/bin' },
      { name: 'ENV', value: '/tmp/steadyvm-evil/run' },
      { name: 'LD_PRELOAD', value: '/tmp/steadyvm-evil/lib.so' },
    ]
    const { log } = await run('evil', '', { containers: [{ ...container, env }] })
    const warnings = log.split('\n').filter((line) => line.includes('LD_PRELOAD'))
    // The loader complains for each program that runs with the variable: the user's shell, its cat,
    // and id.
    assert.ok(warnings.length >= 1 && warnings.every((line) => !/setpriv|unshare|mount/.test(line)), log)
    assert.ok(Number(log.split('\n').find((line) => /^\d+$/.test(line))) >= 524_288, log)
  })
  test('do not start when they request privileges on the machine', async () => {
    const container = { name: 'main', image: 'i', command: ['/bin/true'], securityContext: { privileged: true } }
    await api.create(pods, shellPod('privileged', '', { containers: [container] }))
    const state = () => podIn(api, 'privileged')?.status?.containerStatuses?.[0]?.state?.waiting
    const waiting = await eventually(() => (state()?.message === undefined ? undefined : state()))
    assert.equal(waiting.reason, 'CreateContainerConfigError')
    assert.match(waiting.message ?? '', /privileged.*pod-security\.kubernetes\.io\/enforce=privileged/)
  })
})
