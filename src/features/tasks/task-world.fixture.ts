import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { secrets } from '#api/core/v1/resources.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { conflict, notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client, WriteOptions } from '#client/client.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { runVariable } from './objects/created-objects.ts'
import { flagOf } from './program/parameters.ts'
import type { RunCommand } from './program/run-command.ts'
import { runTask } from './program/run-task.ts'
import type { TaskContext, TaskDefinition } from './task.ts'

/** How a task has ended. */
export interface TaskEnd {
  readonly code: number
  readonly log: string
  readonly results: Readonly<Record<string, string>>
}

/** Options of {@link TaskWorld.run}. */
export interface WorldRun {
  readonly parameters?: Readonly<Record<string, string | readonly string[]>>
  readonly environment?: Readonly<Record<string, string>>
  readonly client?: Client
  readonly signal?: AbortSignal
}

/** An API server in memory, guests that start at once, and commands that a test answers. */
export interface TaskWorld extends AsyncDisposable {
  readonly api: MemoryApi
  /** Of the guest-OS namespace `default`. */
  readonly client: Client
  readonly clock: JumpingClock
  /** Commands that were run. */
  readonly commands: (readonly string[])[]
  /** Answers a command: with its exit code. Default: 0. */
  answer: (command: readonly string[], signal: AbortSignal) => number | Promise<number>
  /** Banner of the SSH server of guests. */
  banner: string
  run(task: TaskDefinition, options?: WorldRun): Promise<TaskEnd>
}

/** Starts a world. `run` is the identity of its runs. */
export async function startTaskWorld(): Promise<TaskWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'))
  const clock = new JumpingClock()
  const api = new MemoryApi(() => clock.now())
  let count = 0
  const world: TaskWorld = {
    api,
    client: withPower(api),
    clock,
    commands: [],
    answer: () => 0,
    banner: 'SSH-2.0-test\r\n',
    async run(task, { parameters = {}, environment = {}, client = world.client, signal = new AbortController().signal } = {}) {
      count += 1
      const results = join(folder, `results-${count}`)
      const directory = join(folder, `work-${count}`)
      const lines: string[] = []
      const flags = Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((text) => `--${flagOf({ name })}=${text}`))
      const code = await runTask(task, {
        args: flags,
        environment: { STEADYVM_RESULTS_DIRECTORY: results, [runVariable]: 'run-1', ...environment },
        log: (line) => void lines.push(line),
        print: (text) => void lines.push(text),
        connect: async () => ({ ...contextOf(world, client, signal), directory: await mkdtemp(`${directory}-`) }),
      })
      const names = await readdir(results).catch(() => [])
      const entries = await Promise.all(names.map(async (name) => [name, await readFile(join(results, name), 'utf8')] as const))
      return { code, log: lines.join('\n'), results: Object.fromEntries(entries) }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
  return world
}

function contextOf(
  world: TaskWorld,
  client: Client,
  signal: AbortSignal,
): Omit<TaskContext, 'parameters' | 'environment' | 'log' | 'run' | 'directory'> {
  const runCommand: RunCommand = async (command, options) => {
    world.commands.push(command)
    const file = command[command.indexOf('-f') + 1] ?? ''
    if (command[0] === 'ssh-keygen') await Promise.all([writeFile(file, 'PRIVATE\n'), writeFile(`${file}.pub`, 'ssh-rsa PUBLIC\n')])
    const code = await world.answer(command, options.signal)
    options.signal.throwIfAborted()
    return { code, output: '' }
  }
  return {
    client,
    namespace: 'default',
    signal,
    clock: world.clock,
    random: () => 0.5,
    runCommand,
    openGuestPort: () => Promise.resolve(new PassThrough().end(world.banner)),
    findResource: ({ apiVersion, kind }) =>
      Promise.resolve(
        apiVersion === 'v1' && kind === 'ConfigMap'
          ? { group: '', version: 'v1', kind, plural: 'configmaps', namespaced: true }
          : undefined,
      ),
  }
}

/** Serves `start` and `stop` of VMs: guests run and end at once. */
function withPower(api: MemoryApi): Client {
  return {
    get: (resource, key) => api.get(resource, key),
    list: (resource, options) => api.list(resource, options),
    watch: (resource, options) => api.watch(resource, options),
    create: (resource, object, options) => api.create(resource, object, options),
    patch: (resource, key, patch, options) => api.patch(resource, key, patch, options),
    delete: (resource, key, options) => api.delete(resource, key, options),
    async update<T extends KubeObject>(resource: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
      if (resource.group !== 'subresources.kubevirt.io') return api.update(resource, object, options)
      const key = { namespace: object.metadata?.namespace ?? '', name: object.metadata?.name ?? '' }
      api.calls.push({ verb: options.subresource ?? '', resource: 'virtualmachines', key: `${key.namespace}/${key.name}`, subresource: '' })
      if (api.peek(virtualMachines, key.namespace, key.name) === undefined) throw notFound(virtualMachines, key.name)
      const isRunning = api.peek(virtualMachineInstances, key.namespace, key.name) !== undefined
      if (isRunning === (options.subresource === 'start')) throw conflict(virtualMachines, key.name, 'it is so already')
      if (isRunning) await api.delete(virtualMachineInstances, key)
      else await api.create(virtualMachineInstances, guest(key.name, 'Running'))
      return object
    },
  }
}

/** A VMI in a phase. */
export function guest(name: string, phase: string): KubeObject {
  return { metadata: { namespace: 'default', name }, spec: {}, status: { phase } } as KubeObject
}

/** Stores a VM that is off. */
export async function addVm(world: TaskWorld, name: string): Promise<void> {
  await world.api.create(virtualMachines, { metadata: { namespace: 'default', name }, spec: {} } as KubeObject)
}

/** Stores a connection secret. */
export async function addSecret(world: TaskWorld, name: string, keys: Readonly<Record<string, string>> = connection): Promise<void> {
  const data = Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
  await world.api.create(secrets, { metadata: { namespace: 'default', name }, data } as unknown as Secret)
}

/** A complete connection secret. */
export const connection: Readonly<Record<string, string>> = {
  type: 'ssh',
  user: 'root',
  'ssh-privatekey': 'KEY',
  'disable-strict-host-key-checking': 'true',
}

/** Verbs with which VMs were changed, in order. */
export function powerOf({ api }: TaskWorld): readonly string[] {
  return api.calls
    .filter(({ verb, resource }) => resource === 'virtualmachines' && ['start', 'stop', 'delete'].includes(verb))
    .map(({ verb }) => verb)
}

/** Keys of the objects of a resource. */
export function namesOf(world: TaskWorld, resource: ResourceType<KubeObject>): readonly string[] {
  return world.api.all(resource).map(({ metadata }) => metadata?.name ?? '')
}

/** Key in the namespace of the tests. */
export function keyFor(name: string): ObjectKey {
  return { namespace: 'default', name }
}

/** A clock that jumps over each sleep. */
export class JumpingClock implements Clock {
  #now = Date.UTC(2026, 0, 1)
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>()

  now(): number {
    return this.#now
  }

  after(ms: number, callback: () => void): Disposable {
    const timer = { at: this.#now + ms, callback }
    this.#timers.add(timer)
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) }
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    await new Promise((resolve) => setImmediate(resolve))
    this.advance(ms)
    signal?.throwIfAborted()
  }

  /** Lets time pass, and fires what is due. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = next.at
      next.callback()
    }
    this.#now = end
  }
}
