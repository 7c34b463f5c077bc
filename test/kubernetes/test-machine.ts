import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findRunningGuest } from '#cli/cluster/running-guest.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { writeGuestImage } from '#features/guest-image.fixture.ts'
import { containedLauncherPaths, mountPoints } from '#features/launcher/index.ts'
import { guestOf, type RunningGuest } from '#machine/guests/running-guests.ts'
import { ConsoleClosed, ConsoleUnreachable, runInGuest } from '#machine/guests/serial-console.ts'
import { startTicksOf, type ClusterProcess } from '#machine/supervisor/processes.ts'
import { commandsWith, createNamespace, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { restoreBaseline } from './baseline.ts'
import { auditLogPath } from './components/control-plane.ts'
import { credentialPath } from './components/credentials.ts'
import { execute } from './host/host.ts'
import { containerRuntimeClient, packImage } from './images.ts'
import { installationOn } from './installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { foldersOf } from './settings.ts'

const components = ['virt-operator', 'virt-api', 'virt-controller', 'virt-handler']
const consoleLimitMs = 300_000

/**
 * Returns a Kubernetes cluster, on which steadyvm is installed, as a machine for tests, in the
 * state that it had after the installation. The calling process is in the cluster's network.
 */
export async function machineOnCluster(clusterHome: string): Promise<TestMachine> {
  const folders = foldersOf({ home: clusterHome })
  const cluster = new KubernetesCluster(folders, () => {})
  const home = await mkdtemp(join(tmpdir(), 'steadyvm-'))
  const kubeconfig = join(home, 'kubeconfig')
  await copyFile(cluster.kubeconfig, kubeconfig)
  const { own, installed, steadyvm, apply } = installationOn(cluster, { folders, work: home })
  const commands = commandsWith(kubeconfig, home)
  const steps = {
    install: async (): Promise<void> => apply(await steadyvm('install', '--part', 'kubevirt')),
    async installed(): Promise<void> {
      // The status of the KubeVirt object may be that of pods which have just been deleted. A wait
      // fails when one of its pods is replaced meanwhile.
      await commands.insist(['wait', 'pods', '--all', '-n', 'kubevirt', '--for=condition=Ready', '--timeout=180s'])
      await installed(own)
    },
  }
  await restoreBaseline(clusterHome, commands, steps)
  const startedMs = Date.now()
  const operators = Number(textAt(await commands.getJson('deployment', 'virt-operator', '-n', 'kubevirt'), 'spec.replicas'))

  const processes = (): ClusterProcess[] =>
    cluster.hosts.flatMap(({ name: node, processes: found }) =>
      found.flatMap(({ pid, args }) => {
        const role = roleOf(args)
        const startTicks = role === undefined ? undefined : startTicksOf(pid)
        if (role === undefined || startTicks === undefined) return []
        return [{ pid, startTicks, role, node, pod: podOf(args), command: args.join(' ').trim() }]
      }),
    )
  const guests = (): RunningGuest[] =>
    processes().flatMap((process) => {
      const guest = guestOf(process)
      return guest === undefined ? [] : [reachable(guest)]
    })
  const addImage: TestMachine['addImage'] = async (reference, fill) => {
    const [node] = cluster.hosts
    const stored = node === undefined ? '' : await execute(containerRuntimeClient(node, ['images', 'list', '--quiet']))
    const name = /^[^/]+[.:][^/]*\//.test(reference) ? reference : `docker.io/${reference}`
    if (stored.split('\n').includes(name)) return
    const work = await mkdtemp(join(tmpdir(), 'image-'))
    await mkdir(join(work, 'root'))
    await fill(join(work, 'root'))
    await cluster.load(await packImage(work, name))
    await rm(work, { recursive: true })
  }
  await addImage('tests/power-button:v1', writeGuestImage)

  const at = (_: string, where: { readonly namespace: string; readonly kubeconfig: string }): TestMachine => ({
    ...commandsWith(where.kubeconfig, home),
    home,
    ...where,
    createNamespace: (name) => createNamespace(name, { home, commands, kubeconfig, at }),
    async connect() {
      const client = createNodeClient((await loadKubeconfig({ path: kubeconfig, env: {} })).http)
      return { client, [Symbol.dispose]: () => client[Symbol.dispose]() }
    },
    processes,
    guests,
    async inGuest(command, name) {
      const deadline = Date.now() + consoleLimitMs
      for (;;) {
        const { serialSocket } = (await findRunningGuest(guests(), where.namespace, name)) ?? {}
        try {
          if (serialSocket === undefined) throw new ConsoleUnreachable(`no QEMU runs ${where.namespace}/${name}`)
          const timeoutMs = Math.max(deadline - Date.now(), 5_000)
          const { output, exitCode } = await runInGuest(serialSocket, { command, id: randomUUID().slice(0, 8), timeoutMs })
          assert.equal(exitCode, 0, output)
          return output.trim()
        } catch (error) {
          const isUntyped = error instanceof ConsoleUnreachable || (error instanceof ConsoleClosed && !error.hasTyped)
          if (!isUntyped || Date.now() > deadline) throw error
          await sleep(250)
        }
      }
    },
    launchRecord(node, podUid) {
      const { first } = cluster.hosts.find(({ name }) => name === node) ?? {}
      return containedLauncherPaths(`/proc/${first?.pid}/root${mountPoints.handover}`, podUid).recordDirectory
    },
    credentials(name) {
      const pem = (file: string): Buffer => readFileSync(credentialPath(folders, file))
      return { cert: pem(`${name}.crt`), key: pem(`${name}.key`), ca: pem('ca.crt') }
    },
    async stopOperator() {
      const scale = (replicas: number): Promise<string> =>
        commands.kubectl(['scale', 'deployment/virt-operator', '-n', 'kubevirt', `--replicas=${replicas}`])
      await scale(0)
      await commands.kubectl(['wait', 'pods', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-operator', '--for=delete'])
      return async () => void (await scale(operators))
    },
    async restartComponents() {
      await commands.kubectl(['delete', 'pods', '--all', '-n', 'kubevirt'])
      await steps.installed()
    },
    addImage,
    auditEvents: () =>
      readFileSync(auditLogPath(folders), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as KubeJson)
        .filter((event) => Date.parse(textAt(event, 'requestReceivedTimestamp')) >= startedMs),
    async [Symbol.asyncDispose]() {
      await restoreBaseline(clusterHome, commands, steps)
      await rm(home, { recursive: true, force: true })
    },
  })
  return at(home, { namespace: 'default', kubeconfig })
}

/** Returns the name of the container that a process is, as machine mode calls it. */
function roleOf(args: readonly string[]): string | undefined {
  if (guestNameOf(args) !== undefined) return 'compute'
  return components.find((component) => args.some((word) => word.includes(`/${component}.`)))
}

/** Returns the beginning of the name of a guest's pod; empty for components. */
function podOf(args: readonly string[]): string {
  const [namespace = '', ...name] = guestNameOf(args)?.split('_') ?? []
  return namespace === '' ? '' : `${namespace}/virt-launcher-${name.join('_')}-`
}

function guestNameOf(args: readonly string[]): string | undefined {
  return args.find((word) => word.startsWith('guest='))?.slice('guest='.length)
}

/** Returns the guest with paths that lead into the container of its QEMU. */
function reachable(guest: RunningGuest): RunningGuest {
  const through = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : `/proc/${guest.process.pid}/root${path}`
  return {
    ...guest,
    serialSocket: through(guest.serialSocket),
    serialLog: through(guest.serialLog),
    monitorSocket: through(guest.monitorSocket),
  }
}
