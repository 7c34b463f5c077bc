import type { QmpConnection } from '../qmp/connection.ts'
import { QmpCommandError } from '../qmp/errors.ts'

/** A place for a CPU. */
export interface Vcpu {
  /** QEMU's type of CPU in this guest. */
  readonly type: string
  readonly socket: number
  readonly core: number
  readonly thread: number
  readonly plugged: boolean
  /** Its name, when it was plugged in by us. */
  readonly id?: string
}

/** Result of a CPU hotplug. */
export interface VcpuOutcome {
  /** CPUs that the guest has now. */
  readonly count: number
  /** Reason why CPUs were not plugged. */
  readonly refused?: string
}

interface HotpluggableCpu {
  readonly type: string
  readonly 'qom-path'?: string
  readonly props: { readonly 'socket-id'?: number; readonly 'core-id'?: number; readonly 'thread-id'?: number }
}

/** All places, the lowest first. QEMU gives them in descending order. */
export async function readVcpus(qmp: QmpConnection): Promise<Vcpu[]> {
  const places = (await qmp.execute('query-hotpluggable-cpus')) as readonly HotpluggableCpu[]
  return places
    .map(({ type, props, 'qom-path': path }): Vcpu => {
      const id = /^\/machine\/peripheral\/(.+)$/.exec(path ?? '')?.[1]
      return {
        type,
        socket: props['socket-id'] ?? 0,
        core: props['core-id'] ?? 0,
        thread: props['thread-id'] ?? 0,
        plugged: path !== undefined,
        ...(id === undefined ? {} : { id }),
      }
    })
    .toSorted((a, b) => a.socket - b.socket || a.core - b.core || a.thread - b.thread)
}

interface CpuFast {
  readonly 'cpu-index': number
  readonly 'qom-path': string
}

/**
 * Counts the plugged CPUs that the guest does not run yet: those whose paging is off, as it is
 * after reset. QMP has no field for this. ACPI's _OST is no evidence either: Linux reports success
 * for a CPU that it has registered and that nothing sets online, and reports nothing for one that
 * it finds while it boots.
 */
export async function countIdleVcpus(qmp: QmpConnection): Promise<number> {
  const cpus = (await qmp.execute('query-cpus-fast')) as readonly CpuFast[]
  const plugged = new Set(cpus.filter((cpu) => cpu['qom-path'].startsWith('/machine/peripheral/')).map((cpu) => cpu['cpu-index']))
  if (plugged.size === 0) return 0
  const registers = await qmp.execute('human-monitor-command', { 'command-line': 'info registers -a' })
  return [...plugged].filter((index) => !hasPaging(String(registers), index)).length
}

const pagingBit = 0x8000_0000

/** Reads a CPU's CR0 from the text of `info registers -a`, which has a section `CPU#N` for each. */
function hasPaging(registers: string, index: number): boolean {
  const section = registers.split(/^CPU#/m).find((text) => Number.parseInt(text, 10) === index) ?? ''
  const cr0 = /\bCR0=([0-9a-f]+)/.exec(section)?.[1]
  return cr0 !== undefined && Number.parseInt(cr0, 16) >= pagingBit
}

/**
 * Returns the reason why a guest with these slots cannot have so many CPUs; undefined when it can.
 * Pure.
 */
export function vcpusRefusal(places: readonly Vcpu[], wanted: number): string | undefined {
  const count = places.filter(({ plugged }) => plugged).length
  if (wanted < count) return `the guest has ${count} CPUs, and none can be taken out while it runs`
  return wanted > places.length ? `the guest was started with room for ${places.length} CPUs, and ${wanted} are wanted` : undefined
}

/**
 * Hotplugs CPUs until the guest has `wanted`, the lowest slot first: an emulated guest takes 15 s
 * to find the highest one. CPUs are never unplugged: under emulation, QEMU 7.2 corrupts its heap
 * then. Idempotent.
 */
export async function plugVcpus(qmp: QmpConnection, wanted: number): Promise<VcpuOutcome> {
  const places = await readVcpus(qmp)
  const count = places.filter(({ plugged }) => plugged).length
  const refusal = vcpusRefusal(places, wanted)
  if (refusal !== undefined) return { count, refused: refusal }
  const next = places.filter(({ plugged }) => !plugged).slice(0, wanted - count)
  for (const [index, place] of next.entries()) {
    const refused = await plug(qmp, place)
    if (refused !== undefined) return { count: count + index, refused }
  }
  return { count: wanted }
}

async function plug(qmp: QmpConnection, { type, socket, core, thread }: Vcpu): Promise<string | undefined> {
  try {
    await qmp.execute('device_add', {
      driver: type,
      id: `vcpu-${socket}-${core}-${thread}`,
      'socket-id': socket,
      'core-id': core,
      'thread-id': thread,
    })
    return undefined
  } catch (error) {
    if (error instanceof QmpCommandError) return error.message
    throw error
  }
}
