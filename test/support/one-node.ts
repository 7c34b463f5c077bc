import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pod } from '#api/core/v1/pod.ts'
import { startEmbeddedApi, type EmbeddedApi } from '#apiserver/embedded-api.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { createKubelet } from '#cluster/kubelet/index.ts'
import { openRemoteLog } from '#cluster/kubelet/logs/log-client.ts'
import { createStreamClient } from '#cluster/kubelet/streams/stream-client.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { runCommand, type CommandResult } from './kubectl.ts'

/**
 * An API server and one kubelet in this process, and pods as real processes: for tests of streams
 * between kubectl and a container.
 */
export interface OneNode extends AsyncDisposable {
  readonly api: EmbeddedApi
  readonly directory: string
  /** Environment for programs: KUBECONFIG and separate caches. */
  readonly env: NodeJS.ProcessEnv
  kubectl(path: string, args: readonly string[], options?: { readonly input?: string }): Promise<CommandResult>
  /**
   * Creates a pod on the node, whose containers run shell scripts, once. Waits until it runs, or
   * until its first container has the waiting reason.
   */
  runPod(name: string, scripts: Readonly<Record<string, string>>, container?: object, waitingReason?: string): Promise<void>
}

/** Starts the node; disposal kills its processes. */
export async function startOneNode(): Promise<OneNode> {
  const directory = await mkdtemp(join(tmpdir(), 'node-'))
  const authority = await createTestAuthority()
  const [serving, admin] = await Promise.all([authority.issue('apiserver', [], true), authority.issue('admin', ['system:masters'])])
  const socketOf = (): string => join(directory, 'n', 'kubelet.sock')
  const api = await startEmbeddedApi({
    database: join(directory, 'state.db'),
    synchronous: 'NORMAL',
    port: 0,
    tls: { ...serving, clientCa: authority.cert },
    version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
    now: () => Date.now(),
    random: () => randomInt(2 ** 32) / 2 ** 32,
    log: { info: () => {}, warn: () => {}, error: (fields, message) => console.error(message, fields) },
    logs: (request, end) => openRemoteLog(socketOf, request, end),
    streams: createStreamClient(socketOf),
  })
  const stop = new AbortController()
  const kubelet = createKubelet({
    client: api.client({ username: 'system:node:n1', groups: ['system:masters'] }),
    nodeName: 'n1',
    dataDirectory: join(directory, 'n'),
    resolveImage: () => Promise.resolve({ rootDirectory: directory, entrypoint: [] }),
    clock: systemClock,
    log: silentLogger,
    environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    version: 'v1.33.0',
  }).run(stop.signal)
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'default' } }],
    clusters: [{ name: 'test', cluster: { server: api.server.url, 'certificate-authority-data': base64(authority.cert) } }],
    users: [{ name: 'admin', user: { 'client-certificate-data': base64(admin.cert), 'client-key-data': base64(admin.key) } }],
  }
  await writeFile(join(directory, 'kubeconfig'), JSON.stringify(kubeconfig))
  const env = { ...process.env, KUBECONFIG: join(directory, 'kubeconfig'), HOME: directory, XDG_CACHE_HOME: directory }
  const client = api.client({ username: 'test', groups: ['system:masters'] })
  const podResource = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true } as const

  return {
    api,
    directory,
    env,
    kubectl: (path, args, options = {}) => runCommand(path, args, { env, timeoutMs: 60_000, ...options }),
    async runPod(name, scripts, container = {}, waitingReason) {
      const containers = Object.entries(scripts).map(([key, script]) => ({
        name: key,
        image: 'shell',
        command: ['/bin/sh', '-c', script],
        ...container,
      }))
      await client.create(podResource, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { nodeName: 'n1', restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers },
      } as never)
      for (;;) {
        const pod = (await client.get(podResource, { namespace: 'default', name })) as Pod
        const { phase = 'Pending', containerStatuses = [] } = pod.status ?? {}
        if (waitingReason === undefined ? phase !== 'Pending' : containerStatuses[0]?.state?.waiting?.reason === waitingReason) return
        await systemClock.sleep(20)
      }
    },
    async [Symbol.asyncDispose]() {
      const pods = await client.list(podResource, { namespace: 'default' })
      await Promise.all(
        pods.items.map((pod) =>
          client.delete(podResource, { namespace: 'default', name: pod.metadata?.name ?? '' }, { gracePeriodSeconds: 0 }),
        ),
      ).catch(() => {})
      const end = systemClock.now() + 5_000
      while ((await client.list(podResource, { namespace: 'default' })).items.length > 0 && systemClock.now() < end)
        await systemClock.sleep(20)
      stop.abort()
      await kubelet
      await api[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
