import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { configMaps, pods } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { type Clock, systemClock } from '#runtime/clock/clock.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createTestNode, eventually, podIn, shellPod } from '../kubelet.fixture.ts'
import { createApiConfigurationSource } from '../environment/api-configuration-source.ts'
import { podDirectory } from '../pod/pod-directory.ts'
import { canMount } from '../process/mount-namespace.ts'
import { runCommandBeside } from '../process/run-command.ts'
import { containerMounts } from './mounts.ts'
import { prepareVolumes } from './prepare-volumes.ts'
import { startVolumeRefresher } from './refresher.ts'
import { createTokenSource } from './service-account-token.ts'

const noMounts = (await canMount()) ? false : 'mounting takes privileges that this process has not'

/** An API whose tokens contain the time of the request and live as long as requested. */
function tokenApi(clock: Clock, asked: object[]): Client {
  const create = async (_resource: unknown, request: { spec: { expirationSeconds: number } }): Promise<object> => {
    asked.push(request)
    return {
      status: {
        token: `t${asked.length}`,
        expirationTimestamp: new Date(clock.now() + request.spec.expirationSeconds * 1000).toISOString(),
      },
    }
  }
  return { create } as unknown as Client
}

const pod: Pod = { ...shellPod('a', ''), metadata: { name: 'a', namespace: 'default', uid: 'u1' } }

suite('tokens of a service account', () => {
  test('are bound to the pod, cached, and renewed after four fifths of their lifetime', async () => {
    const clock = createVirtualClock()
    const asked: object[] = []
    const tokens = createTokenSource(tokenApi(clock, asked), clock)
    const requirements = { audience: undefined, expirationSeconds: 1_000 }
    assert.equal(await tokens.token(pod, requirements), 't1')
    await clock.advance(799_000)
    assert.equal(await tokens.token(pod, requirements), 't1')
    assert.equal(await tokens.token(pod, { ...requirements, audience: 'vault' }), 't2')
    await clock.advance(2_000)
    assert.equal(await tokens.token(pod, requirements), 't3')
    const [first] = asked as { metadata: object; spec: { boundObjectRef: object } }[]
    assert.deepEqual(first?.metadata, { name: 'default', namespace: 'default' })
    assert.deepEqual(first?.spec.boundObjectRef, { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u1' })
  })
})

suite('volumes of a running pod', () => {
  test('are updated atomically within a minute, and kept when their objects are deleted', async () => {
    const clock = createVirtualClock()
    const api = new MemoryApi()
    const root = mkdtempSync(join(tmpdir(), 'volumes-'))
    try {
      await api.create(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c', namespace: 'default' },
        data: { k: 'one' },
      })
      const projected = { sources: [{ configMap: { name: 'c' } }, { serviceAccountToken: { path: 'token', expirationSeconds: 600 } }] }
      const hostPath = { path: join(root, 'missing') }
      const volumes = [
        { name: 'v', projected },
        { name: 'host', hostPath },
      ]
      const mounted: Pod = { ...pod, spec: { ...pod.spec, volumes } }
      const directory = podDirectory(root, 'u1')
      const ports = {
        clock,
        log,
        source: createApiConfigurationSource(api),
        tokens: createTokenSource(tokenApi(clock, []), clock),
        resolveImage: () => Promise.reject(new Error('none')),
        node: { nodeName: 'n1', hostIP: '127.0.0.1', cpu: '2', memory: '4Gi' },
      }
      await prepareVolumes(ports, mounted, directory)
      const path = directory.volume('kubernetes.io~projected', 'v')
      const content = (): string[] => ['k', 'token'].map((name) => readFileSync(join(path, name), 'utf8'))
      assert.deepEqual(content(), ['one', 't1'])
      assert.equal(statSync(join(path, 'token')).mode & 0o777, 0o600)
      assert.deepEqual(readdirSync(directory.volume('kubernetes.io~host-path', 'host')), [], 'a missing folder of the machine is made')
      const before = readdirSync(path)

      const refresher = startVolumeRefresher(ports, () => mounted, directory)
      await clock.advance(60_000)
      assert.deepEqual(readdirSync(path), before)
      const found = await api.get(configMaps, { namespace: 'default', name: 'c' })
      await api.update(configMaps, { ...found, data: { k: 'two' } })
      while (content()[0] !== 'two') await clock.advance(60_000)
      while (content()[1] !== 't2') await clock.advance(60_000)
      await api.delete(configMaps, { namespace: 'default', name: 'c' })
      await clock.advance(60_000)
      await refresher.close()
      assert.equal(content()[0], 'two')
    } finally {
      rmSync(root, { recursive: true })
    }
  })
})

suite('mounts', () => {
  const volumes = [{ name: 'v', emptyDir: {} }]
  const mountsOf = (root: string, volumeMounts: readonly object[]): ReturnType<typeof containerMounts> => {
    const container = { name: 'main', volumeMounts } as Pod['spec']['containers'][number]
    return containerMounts({ ...pod, spec: { containers: [container], volumes } }, container, podDirectory(root, 'u1'), { POD: 'a' })
  }

  test('resolve sub paths inside of their volume only, and put inner mounts after outer ones', async () => {
    const root = mkdtempSync(join(tmpdir(), 'mounts-'))
    try {
      const volume = podDirectory(root, 'u1').volume('kubernetes.io~empty-dir', 'v')
      const outside = join(root, 'outside')
      for (const directory of [volume, outside]) mkdirSync(directory, { recursive: true })
      const found = await mountsOf(root, [
        { name: 'v', mountPath: '/a/b', subPathExpr: 'x/$(POD)', readOnly: true },
        { name: 'v', mountPath: '/a' },
      ])
      assert.deepEqual(found, [
        { source: volume, target: '/a', readOnly: false },
        { source: join(volume, 'x/a'), target: '/a/b', readOnly: true },
      ])
      symlinkSync(outside, join(volume, 'link'))
      for (const subPath of ['link', 'link/new', 'link/new/deep', '../other', '/etc', 'x/../../y']) {
        await assert.rejects(mountsOf(root, [{ name: 'v', mountPath: '/a', subPath }]), /leaves the volume|stay inside/, subPath)
      }
      assert.deepEqual(readdirSync(outside), [])
      await assert.rejects(mountsOf(root, [{ name: 'other', mountPath: '/a' }]), /not among the pod's/)
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  test('are visible to the container and to commands beside it only', { skip: noMounts }, async () => {
    const api = new MemoryApi()
    await using node = createTestNode(api)
    await api.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'default' },
      data: { k: 'value' },
    })
    node.start()
    const target = join(node.directory, 'etc', 'config')
    const container = {
      name: 'main',
      image: 'shell',
      command: ['/bin/sh', '-c', `cat k ${target}.one; touch ${target}/new 2>/dev/null || echo " read-only"; exec sleep 1000`],
      workingDir: target,
      volumeMounts: [
        { name: 'v', mountPath: target, readOnly: true },
        { name: 'v', mountPath: `${target}.one`, subPath: 'k' },
      ],
    }
    await api.create(pods, shellPod('a', '', { containers: [container], volumes: [{ name: 'v', configMap: { name: 'c' } }] }))
    const process = await eventually(() => podIn(api, 'a')?.status?.phase === 'Running' && node.processes()[0])
    const uid = podIn(api, 'a')?.metadata.uid ?? ''
    const logFile = join(podDirectory(join(node.directory, 'pods'), uid).container('main'), '0.log')
    await eventually(() => readFileSync(logFile, 'utf8').endsWith('read-only\n'))
    assert.equal(readFileSync(logFile, 'utf8'), 'valuevalue read-only\n')
    const beside = await runCommandBeside(process.pid, ['cat', `${target}/k`], { clock: systemClock, timeoutMs: 5_000 })
    assert.deepEqual([beside.exitCode, beside.output], [0, 'value'])
    const named = await runCommandBeside(process.pid, ['uname', '-n'], { clock: systemClock, timeoutMs: 5_000 })
    assert.deepEqual(
      [named.output.trim(), hostname() === 'a'],
      ['a', false],
      'the pod has its own host name, and the machine keeps its own',
    )
    assert.deepEqual(readdirSync(target), [])
  })
})
