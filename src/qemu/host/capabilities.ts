import { spawn } from 'node:child_process'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'

/** Capabilities of one QEMU binary. */
export interface QemuCapabilities {
  /** `7.2.22`. */
  readonly version: string
  /** Alias → versioned type, e.g. `q35` → `pc-q35-7.2`. */
  readonly machineAliases: Readonly<Record<string, string>>
  /** All versioned types. */
  readonly machineTypes: readonly string[]
  /** Versioned types that a later QEMU will not have. */
  readonly deprecatedMachineTypes: readonly string[]
  /** CPU models without a missing feature on this host. */
  readonly cpuModels: readonly string[]
  /** CPU features that a guest can have here, by QEMU's names. */
  readonly cpuFeatures: readonly string[]
  /** Names of the devices that it can emulate. */
  readonly deviceModels: readonly string[]
}

/** QEMU is missing or does not answer. The message gives the remedy. */
export class QemuUnavailable extends Error {
  override readonly name = 'QemuUnavailable'
}

interface MachineInfo {
  readonly name: string
  readonly alias?: string
  readonly deprecated?: boolean
}
interface TypeInfo {
  readonly name: string
}
interface CpuInfo {
  readonly name: string
  readonly 'unavailable-features'?: readonly string[]
}

/**
 * Queries the binary over QMP on its standard streams, without starting a machine. Takes about 0.1
 * s, so the answer is cached in `cacheFile` while the size and time of the binary stay the same.
 * @throws QemuUnavailable
 */
export async function queryCapabilities(binary: string, accelerator: 'kvm' | 'tcg', cacheFile?: string): Promise<QemuCapabilities> {
  const key = await fingerprint(binary, accelerator)
  const cached = cacheFile === undefined ? undefined : await readCache(cacheFile, key)
  if (cached !== undefined) return cached
  const capabilities = await ask(binary, accelerator)
  if (cacheFile !== undefined) await writeCache(cacheFile, key, capabilities)
  return capabilities
}

async function fingerprint(binary: string, accelerator: string): Promise<string> {
  try {
    const file = await stat(binary)
    return `3:${binary}:${file.size}:${file.mtimeMs}:${accelerator}`
  } catch (cause) {
    throw new QemuUnavailable(`Cannot find QEMU at "${binary}": install it with "apt-get install qemu-system-x86 qemu-utils"`, { cause })
  }
}

async function readCache(file: string, key: string): Promise<QemuCapabilities | undefined> {
  try {
    const cached = JSON.parse(await readFile(file, 'utf8')) as { key: string; capabilities: QemuCapabilities }
    return cached.key === key ? cached.capabilities : undefined
  } catch {
    return undefined
  }
}

async function writeCache(file: string, key: string, capabilities: QemuCapabilities): Promise<void> {
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, JSON.stringify({ key, capabilities }))
  await rename(temporary, file)
}

async function ask(binary: string, accelerator: string): Promise<QemuCapabilities> {
  const commands: readonly (readonly [string, object?])[] = [
    ['qmp_capabilities'],
    ['query-version'],
    ['query-machines'],
    ['query-cpu-definitions'],
    ['query-cpu-model-expansion', { type: 'full', model: { name: 'max' } }],
    ['qom-list-types', { implements: 'device', abstract: false }],
    ['quit'],
  ]
  const input = commands.map(([execute, args], id) => JSON.stringify({ execute, arguments: args, id })).join('\n')
  const output = await run(
    binary,
    ['-S', '-no-user-config', '-nodefaults', '-nographic', '-machine', `none,accel=${accelerator}`, '-qmp', 'stdio'],
    input,
  )
  const answers = new Map<number, unknown>()
  for (const line of output.split('\n')) {
    if (!line.startsWith('{')) continue
    const message = JSON.parse(line) as { id?: number; return?: unknown }
    if (message.id !== undefined) answers.set(message.id, message.return)
  }
  const version = answers.get(1) as { qemu: { major: number; minor: number; micro: number } } | undefined
  const machines = (answers.get(2) ?? []) as readonly MachineInfo[]
  const cpus = (answers.get(3) ?? []) as readonly CpuInfo[]
  const best = (answers.get(4) ?? {}) as { model?: { props?: Readonly<Record<string, unknown>> } }
  const devices = (answers.get(5) ?? []) as readonly TypeInfo[]
  if (version === undefined || machines.length === 0)
    throw new QemuUnavailable(`Cannot understand the answers of "${binary}" to QMP queries`)
  return {
    version: `${version.qemu.major}.${version.qemu.minor}.${version.qemu.micro}`,
    machineAliases: Object.fromEntries(machines.flatMap((machine) => (machine.alias === undefined ? [] : [[machine.alias, machine.name]]))),
    machineTypes: machines.map((machine) => machine.name),
    deprecatedMachineTypes: machines.filter(({ deprecated }) => deprecated === true).map(({ name }) => name),
    cpuModels: cpus.filter((cpu) => (cpu['unavailable-features'] ?? []).length === 0).map((cpu) => cpu.name),
    cpuFeatures: Object.entries(best.model?.props ?? {}).flatMap(([name, value]) => (value === true ? [name] : [])),
    deviceModels: devices.map((device) => device.name),
  }
}

function run(binary: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: 20_000, killSignal: 'SIGKILL' })
    let output = ''
    let complaint = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk))
    child.stdin.on('error', () => {})
    child.on('error', (cause) => reject(new QemuUnavailable(`Cannot start QEMU "${binary}": ${cause.message}`, { cause })))
    child.on('close', (code) => {
      if (code === 0) resolve(output)
      else
        reject(new QemuUnavailable(`Cannot ask QEMU "${binary}" what it can do: it ended with ${code ?? 'a signal'}: ${complaint.trim()}`))
    })
    child.stdin.end(`${input}\n`)
  })
}
