import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signalProcess, startTicksOf, waitForEnd, type ProcessIdentity } from '#machine/supervisor/processes.ts'
import { runCommand } from '../../support/kubectl.ts'
import { programPath } from '../programs/build.ts'
import { cgroupName, type Folders } from '../settings.ts'
import { Cgroup } from './cgroups.ts'

/** A program that runs on a host until it is ended. */
export interface Program {
  /** Name of the built program, or of the process. */
  readonly name: string
  /** Values by the names of flags. */
  readonly flags: Readonly<Record<string, string>>
  /** Command of a program that is not built, and names its process itself. */
  readonly command?: readonly string[]
  /** Variables beside those of the caller. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A process on a host, also one in a container. */
export interface HostProcess {
  readonly pid: number
  /** Arguments, the program first. */
  readonly args: readonly string[]
}

/**
 * A node, or the machine of the control plane: network, mount, process, UTS and IPC namespaces with
 * own /var and /run. Processes are found by cgroup and command, so no record of them can be
 * outdated, and all end with the first one.
 */
export class Host {
  readonly name: string
  /** Folder with the host's configuration and its /var. */
  readonly folder: string
  /** Cgroup of the host: the kubelet makes those of pods in it. */
  readonly cgroup: Cgroup
  readonly #folders: Folders
  readonly #programs: Cgroup

  constructor(name: string, folders: Folders) {
    this.name = name
    this.folder = join(folders.home, 'hosts', name)
    this.cgroup = new Cgroup(`${cgroupName(folders)}/${name}`)
    this.#folders = folders
    this.#programs = new Cgroup(`${this.cgroup.path}/programs`)
  }

  /** Process that holds the namespaces; undefined while the host is down. */
  get first(): ProcessIdentity | undefined {
    return this.find('pause')
  }

  /** Returns the path of a built program. */
  pathOf(program: string): string {
    return programPath(this.#folders.programs, program)
  }

  /** Finds the process of a program. */
  find(program: string): ProcessIdentity | undefined {
    const found = this.#programs.members.flatMap((pid) => {
      const startTicks = startTicksOf(pid)
      return startTicks === undefined || basename(commandOf(pid)) !== program ? [] : [{ pid, startTicks }]
    })
    // A child of the program has its command until it executes another one.
    return found.toSorted((a, b) => a.startTicks - b.startTicks)[0]
  }

  /** Returns all processes, with those in containers. */
  get processes(): readonly HostProcess[] {
    return this.cgroup.allMembers.map((pid) => ({ pid, args: argumentsOf(pid) }))
  }

  /** Starts the host, unless it runs. */
  async start(): Promise<void> {
    if (this.first !== undefined) return
    const { home, programs } = this.#folders
    const subfolders = ['cache', 'lib/kubelet', 'log', 'tmp', 'spool', 'lock']
    for (const folder of subfolders) mkdirSync(join(this.folder, 'var', folder), { recursive: true })
    await runCommand('ln', ['-sfn', '/run', join(this.folder, 'var', 'run')])
    // Cgroups of containers outlive a power cut here, and would hold up the kubelet for 3 s each.
    await this.cgroup.remove()
    this.#programs.create()
    const namespaces = ['--mount', '--propagation', 'private', '--net', '--pid', '--fork', '--uts', '--ipc']
    const script = [join(import.meta.dirname, 'init.sh'), this.name, join(this.folder, 'var'), this.pathOf('pause')]
    await this.#launch('pause', ['unshare', ...namespaces, '--', ...script, home, programs])
  }

  /** Starts a program on the host, unless it runs. */
  async startProgram({ name, flags, command, environment = {} }: Program): Promise<void> {
    if (this.find(name) !== undefined) return
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    await this.#launch(name, this.inside([...(command ?? [this.pathOf(name)]), ...args]), environment)
  }

  /** Returns the command that runs a command in all namespaces of the host. */
  inside(command: readonly string[]): string[] {
    return ['nsenter', '--target', `${this.#pid}`, '--mount', '--net', '--pid', '--uts', '--ipc', '--', ...command]
  }

  /** Returns the command that runs a command of the machine in the host's network. */
  inNetwork(command: readonly string[]): string[] {
    return ['nsenter', `--net=/proc/${this.#pid}/ns/net`, '--', ...command]
  }

  /**
   * Kills one program with SIGKILL, or all processes of the host as a power cut does. Returns false
   * when it does not run.
   */
  async kill(program?: string): Promise<boolean> {
    return this.#end(program === undefined ? this.first : this.find(program), 'SIGKILL')
  }

  /** Asks a program to end. Returns false when it does not run. */
  async stop(program: string): Promise<boolean> {
    return this.#end(this.find(program), 'SIGTERM')
  }

  /** Returns the last lines that a program has printed. */
  logTail(program: string): string {
    const file = this.#logFile(program)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    return `${file}:\n${lines.slice(-5).join('\n')}`
  }

  get #pid(): number {
    const { first } = this
    if (first === undefined) throw new Error(`${this.name} does not run: start it with "cluster.ts up"`)
    return first.pid
  }

  async #end(found: ProcessIdentity | undefined, signal: NodeJS.Signals): Promise<boolean> {
    if (found === undefined) return false
    signalProcess(found, signal)
    await waitForEnd([found], 10_000, { now: Date.now, sleep })
    return true
  }

  #logFile(program: string): string {
    return join(this.folder, 'var', 'log', `${program}.log`)
  }

  /** Starts a command that outlives this process, and waits until it has become the program. */
  async #launch(program: string, command: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const join = 'for file in $0; do echo $$ >"$file" || exit; done; exec "$@"'
    const log = openSync(this.#logFile(program), 'a')
    const { programs } = this.#folders
    const path = ['bin', 'debian/usr/sbin', 'debian/usr/bin'].map((folder) => `${programs}/${folder}:`).join('') + process.env['PATH']
    const child = spawn('sh', ['-c', join, this.#programs.memberFiles.join(' '), ...command], {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
      env: { ...process.env, PATH: path, ...environment },
    })
    child.unref()
    closeSync(log)
    const ended = (): boolean => child.exitCode !== null || child.signalCode !== null
    while (this.find(program) === undefined) {
      if (ended()) throw new Error(`${program} has ended on ${this.name}. ${this.logTail(program)}`)
      await sleep(5)
    }
  }
}

/** Returns the path by which a process was started; empty when it has ended. */
function commandOf(pid: number): string {
  return argumentsOf(pid)[0] ?? ''
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
  } catch {
    return []
  }
}

/** Runs a command to its end. @throws with its output when it fails */
export async function execute(
  command: readonly string[],
  options: { readonly input?: string; readonly environment?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const [program = '', ...args] = command
  const { code, stdout, stderr } = await runCommand(program, args, {
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.environment === undefined ? {} : { env: options.environment }),
  })
  if (code !== 0) throw new Error(`"${command.join(' ')}" ended with exit code ${code}: ${stderr.trim() || stdout.trim()}`)
  return stdout
}
