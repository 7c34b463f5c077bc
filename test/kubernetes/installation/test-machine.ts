import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { writeGuestImage } from '#features/guest-image.fixture.ts'
import { containedLauncherPaths, mountPoints } from '#features/launcher/index.ts'
import { commandsWith, createNamespace, textAt, type KubeJson, type TestMachine } from '../../support/machine.ts'
import { restoreBaseline } from './baseline.ts'
import { auditLogPath } from '../components/control-plane.ts'
import { distrustRegistry, trustRegistry } from '../components/node.ts'
import { credentialPath } from '../components/credentials.ts'
import { guestsOn, runOnConsole, steadyvmProcesses } from './guests-on-nodes.ts'
import { execute } from '../host/host.ts'
import { containerRuntimeClient, packImage } from '../images.ts'
import { installationOn } from './installation.ts'
import { describeStorage } from './storage-settings.ts'
import { KubernetesCluster } from '../kubernetes-cluster.ts'
import { foldersOf } from '../settings.ts'

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
  const { own, installed, steadyvm, apply } = installationOn(cluster, { work: home })
  const commands = commandsWith(kubeconfig, home)
  const steps = {
    async install(): Promise<void> {
      for (const part of ['operator', 'kubevirt']) await apply(await steadyvm('install', '--part', part))
    },
    async installed(): Promise<void> {
      // The status of the KubeVirt object may be that of pods which have just been deleted. A wait
      // does not end by itself when one of its pods is replaced meanwhile.
      await commands.insist(['wait', 'pods', '--all', '-n', 'kubevirt', '--for=condition=Ready', '--timeout=15s'])
      await installed(own)
    },
  }
  await restoreBaseline(clusterHome, commands, steps)
  await describeStorage(commands)
  const startedMs = Date.now()
  const operators = Number(textAt(await commands.getJson('deployment', 'virt-operator', '-n', 'kubevirt'), 'spec.replicas'))

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
    processes: () => steadyvmProcesses(cluster.hosts),
    guests: () => guestsOn(cluster.hosts),
    async inGuest(command, name) {
      const { output, exitCode } = await runOnConsole(cluster.hosts, { namespace: where.namespace, name }, command)
      assert.equal(exitCode, 0, output)
      return output.trim()
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
    async trustRegistry(registry) {
      await Promise.all(cluster.hosts.map((host) => trustRegistry(host, registry)))
      return async () => void (await Promise.all(cluster.hosts.map((host) => distrustRegistry(host, registry))))
    },
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
