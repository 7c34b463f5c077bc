import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient, type NodeClient } from '#client/node/node-client.ts'
import { renderKubeconfig } from '#machine/pki/kubeconfig.ts'
import { ensurePki, type Identity } from '#machine/pki/pki.ts'
import { repository } from './machine.ts'

/** Names of the processes. */
export type Component = 'apiserver' | 'one' | 'two'

/**
 * An API server and two virt-controllers as real processes that only the test restarts, without the
 * delay of a kubelet. There is no node, so that guests stay pending.
 */
export class ControlPlane implements AsyncDisposable {
  readonly client: NodeClient
  readonly directory: string
  readonly #arguments: Readonly<Record<Component, readonly string[]>>
  readonly #running = new Map<Component, ChildProcess>()
  #isOver = false

  private constructor(directory: string, client: NodeClient, commands: Readonly<Record<Component, readonly string[]>>) {
    this.directory = directory
    this.client = client
    this.#arguments = commands
  }

  /** Creates keys and files, and starts no process. */
  static async create(): Promise<ControlPlane> {
    const directory = await mkdtemp(join(tmpdir(), 'control-plane-'))
    const [port = 0, ...healthPorts] = await freePorts(3)
    const pki = await ensurePki(join(directory, 'pki'), [], Date.now())
    const write = async (user: string, identity: Identity): Promise<string> => {
      const path = join(directory, `${user}.kubeconfig`)
      const subject = { server: `https://127.0.0.1:${port}`, caFile: pki.ca.certificate, user, identity }
      await writeFile(path, await renderKubeconfig(subject, 'json'), { mode: 0o600 })
      return path
    }
    const admin = await write('admin', pki.admin)
    const controller = await write('virt-controller', pki.virtController)
    await mkdir(join(directory, 'volumes'))
    const controllerAt = (healthPort = 0): readonly string[] => [
      'virt-controller',
      `--kubeconfig=${controller}`,
      '--address=127.0.0.1',
      '--port=0',
      `--health-port=${healthPort}`,
    ]
    const database = `--database=${join(directory, 'state.db')}`
    return new ControlPlane(directory, createNodeClient((await loadKubeconfig({ path: admin, env: {} })).http), {
      apiserver: [
        'apiserver',
        database,
        `--port=${port}`,
        `--pki=${join(directory, 'pki')}`,
        `--audit-log-path=${join(directory, 'audit.log')}`,
      ],
      one: controllerAt(healthPorts[0]),
      two: controllerAt(healthPorts[1]),
    })
  }

  /** Starts a process, and restarts it whenever it ends. */
  start(component: Component): void {
    const [program = '', ...args] = this.#arguments[component]
    const env = { ...process.env, POD_NAME: component, NODE_COMPILE_CACHE: join(repository, 'node_modules', '.cache', 'compile') }
    const child = spawn(process.execPath, [join(repository, 'src', 'cmd', `${program}.ts`), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const log = this.#logOf(component)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => appendFileSync(log, bytes))
    this.#running.set(component, child)
    child.once('exit', () => {
      if (!this.#isOver) this.start(component)
    })
  }

  /** Kills a process, as the kernel does when memory is short. */
  kill(component: Component): void {
    this.#running.get(component)?.kill('SIGKILL')
  }

  logOf(component: Component): string {
    return readFileSync(this.#logOf(component), 'utf8')
  }

  #logOf(component: Component): string {
    return join(this.directory, `${component}.log`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.client[Symbol.dispose]()
    const ends = [...this.#running.values()].map((child) => new Promise((resolve) => child.once('close', resolve)))
    for (const component of this.#running.keys()) this.kill(component)
    await Promise.all(ends)
    await rm(this.directory, { recursive: true, force: true })
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
