import type { QmpConnection, QmpEvent } from '../qmp/connection.ts'
import { refusalOf } from '../qmp/refusal.ts'

/** The last dump of the memory of a guest in this QEMU. */
export interface MemoryDump {
  readonly state: 'none' | 'active' | 'completed' | 'failed'
  /** Size of the memory in bytes. 0 before the first dump. */
  readonly totalBytes: number
}

/** Name of the descriptor in QEMU's monitor. A dump that begins takes it away. */
const descriptorName = 'memory-dump'

/** Asks QEMU about its last dump. It forgets none, and does not tell which file one went to. */
export async function readMemoryDump(qmp: Pick<QmpConnection, 'execute'>): Promise<MemoryDump> {
  const { status, total } = (await qmp.execute('query-dump')) as { readonly status: MemoryDump['state']; readonly total: number }
  return { state: status, totalBytes: total }
}

/**
 * Begins to write the memory of a guest into an open file, as an ELF core. QEMU stops the guest
 * until the dump has ended, and cannot break it off. Returns the reason why QEMU refuses.
 */
export async function startMemoryDump(
  qmp: Pick<QmpConnection, 'execute' | 'executeWith'>,
  descriptor: number,
): Promise<string | undefined> {
  await qmp.executeWith(descriptor, 'getfd', { fdname: descriptorName })
  return refusalOf(/$^/, qmp.execute('dump-guest-memory', { paging: false, protocol: `fd:${descriptorName}`, detach: true }))
}

/** Returns why a dump has failed, which QEMU says once. Undefined for other events. */
export function dumpErrorIn({ event, data }: QmpEvent): string | undefined {
  if (event !== 'DUMP_COMPLETED' || typeof data['error'] !== 'string') return undefined
  return data['error'].replace(/^dump: /, '')
}
