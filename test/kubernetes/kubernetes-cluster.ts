import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ageMs } from '#machine/supervisor/processes.ts'
import { newestKubectl } from '../support/kubectl.ts'
import { clusterDns, controllers, resolverOf, storeAndApiServer, writeResolver } from './components/control-plane.ts'
import { createCredentials, credentialPath } from './components/credentials.ts'
import { configureNode, containerRuntime, nodePrograms, type Node } from './components/node.ts'
import { Cgroup } from './host/cgroups.ts'
import { execute, Host } from './host/host.ts'
import { connectHosts } from './host/network.ts'
import { containerRuntimeClient, loadFirstImages, loadImage } from './images.ts'
import { missingPrograms } from './programs/build.ts'
import { cgroupName, readSettings, writeSettings, type Folders, type Settings } from './settings.ts'
import { detachLoopDevices } from './storage/loop-devices.ts'
import { storageClasses } from './storage/persistent-volume.ts'
import { attachVolumes } from './storage/volumes.ts'

/**
 * A Kubernetes cluster of several nodes on this machine: real programs, each node with namespaces
 * of its own. All state is in the home and in the kernel, so any process can use the same cluster.
 */
export class KubernetesCluster {
  readonly #folders: Folders
  readonly #report: (line: string) => void

  /** @param report receives progress, a line at a time */
  constructor(folders: Folders, report: (line: string) => void) {
    this.#folders = folders
    this.#report = report
  }

  get kubeconfig(): string {
    return credentialPath(this.#folders, 'admin.kubeconfig')
  }

  /**
   * Environment of a program that calls this cluster as administrator. End-to-end tests run against
   * it.
   */
  get environment(): NodeJS.ProcessEnv {
    const { home } = this.#folders
    return { ...process.env, KUBECONFIG: this.kubeconfig, KUBECACHEDIR: join(home, 'kubectl-cache'), STEADYVM_TEST_CLUSTER: home }
  }

  /** Returns the reason why a cluster cannot run on this machine; undefined when it can. */
  get obstacle(): string | undefined {
    if (process.getuid?.() !== 0) return 'a Kubernetes cluster needs root'
    const missing = missingPrograms(this.#folders.programs)
    return missing.length === 0
      ? undefined
      : `${missing.join(', ')} missing in ${this.#folders.programs}: run "node test/kubernetes/cluster.ts build"`
  }

  /**
   * Starts what does not run, and waits until all nodes are ready. Settings that are not given are
   * those of the last time.
   */
  async up(given: Partial<Settings> = {}): Promise<void> {
    const { obstacle } = this
    if (obstacle !== undefined) throw new Error(obstacle)
    const settings = this.#updateSettings(given)
    const started = Date.now()
    const progress = (line: string): void => this.#report(`${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${line}`)

    const [controlPlane, nodes] = [this.#controlPlane, this.#nodes(settings)]
    await createCredentials(
      this.#folders,
      nodes.map(({ host }) => host.name),
    )
    writeResolver(this.#folders)
    await Promise.all([controlPlane, ...nodes.map(({ host }) => host)].map((host) => host.start()))
    await connectHosts(
      controlPlane,
      nodes.map(({ host }) => host),
    )
    progress(`namespaces of the control plane and ${nodes.length} nodes`)
    for (const program of storeAndApiServer(controlPlane, this.#folders, settings)) await controlPlane.startProgram(program)
    await attachVolumes(this.#folders)
    for (const node of nodes) {
      await configureNode(node, this.#folders, settings)
      await node.host.startProgram(containerRuntime(node))
    }
    for (const { host } of nodes) await this.#await('containerd', host, () => execute(containerRuntimeClient(host, ['version'])))
    await loadFirstImages(
      nodes.map(({ host }) => host),
      this.#folders.programs,
    )
    progress('container runtimes and their images')
    await this.#await('kube-apiserver', controlPlane, () => this.kubectl(['get', '--raw', '/readyz']))
    progress('API server')
    for (const program of [...controllers(this.#folders), clusterDns(controlPlane, this.#folders)]) await controlPlane.startProgram(program)
    for (const node of nodes) for (const program of nodePrograms(node, this.#folders, settings)) await node.host.startProgram(program)
    await this.kubectl(['apply', '-f', '-'], storageClasses)
    for (const { host } of nodes) await this.#await('kubelet', host, () => this.#assertReady(host))
    progress('all nodes are ready')
  }

  /**
   * Ends all processes, and with them namespaces and mounts. With `data`, it also removes the home.
   */
  async down({ data = false }: { readonly data?: boolean } = {}): Promise<void> {
    // The API server stores nothing, and would wait for the watches of its clients.
    const hosts = this.#nodes(this.#settings).map(({ host }) => host)
    for (const host of hosts) await host.kill()
    await this.#controlPlane.kill('kube-apiserver')
    await this.#controlPlane.stop('etcd')
    await new Cgroup(cgroupName(this.#folders)).remove()
    await detachLoopDevices(join(this.#folders.home, 'volumes'))
    if (data) await this.#removeHome()
  }

  /** Kills one program of a host with SIGKILL, or everything on it as a power cut does. */
  async kill(hostName: string, program?: string): Promise<void> {
    const hosts = [this.#controlPlane, ...this.#nodes(this.#settings).map(({ host }) => host)]
    const host = hosts.find(({ name }) => name === hostName)
    if (host === undefined) throw new Error(`${hostName} is none of ${hosts.map(({ name }) => name).join(', ')}`)
    if (!(await host.kill(program)))
      throw new Error(`${program ?? host.name} does not run${program === undefined ? '' : ` on ${host.name}`}`)
  }

  /** Imports an image archive into all nodes. */
  async load(archive: string): Promise<void> {
    await Promise.all(this.#nodes(this.#settings).map(({ host }) => loadImage(host, archive)))
  }

  /** Returns the nodes. */
  get hosts(): readonly Host[] {
    return this.#nodes(this.#settings).map(({ host }) => host)
  }

  /**
   * Returns the command that runs a command in the network of the control plane, with the DNS of
   * the cluster.
   */
  inNetwork(command: readonly string[]): string[] {
    const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'
    const named = ['unshare', '--mount', '--propagation', 'slave', 'sh', '-c', script, resolverOf(this.#folders), ...command]
    return this.#controlPlane.inNetwork(named)
  }

  /** Runs kubectl as administrator, with objects as input. @throws with its message */
  async kubectl(args: readonly string[], objects: readonly object[] = []): Promise<string> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
    return execute(this.inNetwork([newestKubectl().path, ...args]), { input, environment: this.environment })
  }

  get #controlPlane(): Host {
    return new Host('control-plane', this.#folders)
  }

  get #settings(): Settings {
    return { nodes: 3, features: '', kubeletRoot: '/var/lib/kubelet', ...readSettings(this.#folders) }
  }

  #nodes({ nodes }: Settings): readonly Node[] {
    return Array.from({ length: nodes }, (_, index) => ({ host: new Host(`node-${index + 1}`, this.#folders), number: index + 1 }))
  }

  #updateSettings(given: Partial<Settings>): Settings {
    const former = this.#settings
    const settings = { ...former, ...given }
    const running = this.#controlPlane.first !== undefined
    if (running && (settings.features !== former.features || settings.nodes < former.nodes))
      throw new Error('Other feature gates and fewer nodes take effect only after "cluster.ts down"')
    writeSettings(this.#folders, settings)
    return settings
  }

  /** Repeats a check until it does not fail. */
  async #await(program: string, host: Host, check: () => Promise<unknown>): Promise<void> {
    const deadline = Date.now() + 180_000
    for (;;) {
      try {
        await check()
        return
      } catch (error) {
        const why = host.find(program) === undefined ? 'has ended' : Date.now() > deadline ? 'is not ready after 180 s' : undefined
        if (why !== undefined)
          throw new Error(`${program} ${why} on ${host.name}: ${String(error)}\n${host.logTail(program)}`, { cause: error })
        await sleep(100)
      }
    }
  }

  /** @throws unless the kubelet that runs now has reported that the node is ready */
  async #assertReady(host: Host): Promise<void> {
    const node = JSON.parse(await this.kubectl(['get', 'node', host.name, '-o', 'json'])) as NodeStatus
    const ready = node.status.conditions.find(({ type }) => type === 'Ready')
    const kubelet = host.find('kubelet')
    // The API has times in whole seconds.
    const startedMs = kubelet === undefined ? Infinity : Date.now() - ageMs(kubelet) - 1000
    if (ready?.status !== 'True' || Date.parse(ready.lastHeartbeatTime) < startedMs) throw new Error(`${host.name} is not ready`)
  }

  /** Removes what the cluster has written, and the home if it holds nothing else. */
  async #removeHome(): Promise<void> {
    const { home } = this.#folders
    for (const name of [
      'hosts',
      'kubectl-cache',
      'pki',
      'volumes',
      'settings.json',
      'audit-policy.json',
      'audit.log',
      'baseline.json',
      'resolv.conf',
    ])
      await rm(join(home, name), { recursive: true, force: true })
    if (existsSync(home) && (await readdir(home)).length === 0) await rm(home, { recursive: true })
  }
}

interface NodeStatus {
  readonly status: { readonly conditions: readonly { type: string; status: string; lastHeartbeatTime: string }[] }
}
